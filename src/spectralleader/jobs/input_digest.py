"""A digest of the documents learned, so that resuming neither skips nor repeats one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

from spectralleader.jobs.progress import Progress
from spectralleader.jobs.source import Source
from spectralleader.runtime.interrupts import look
from spectralleader.sources.files import Reader, TextBlock
from spectralleader.sources.files.reader import MARKED
from spectralleader.sources.files.text_block import cut
from spectralleader.sources.position import Position

SEGMENT = MARKED  # documents in a link of the chain of digests
CHAINED = "chained:"  # before a digest of this kind
CHEAP = 2**24  # bytes that are read again in any case: a second at most
ADVICE = "name the same files in the same order, or start over with --fresh"


class InputDigest:
    """A digest of documents in their order; how they came in blocks does not matter.

    Examples
    --------
    >>> one, other = InputDigest(), InputDigest()
    >>> one.add(["rain", "wind", "snow"])
    >>> other.add(["rain"])
    >>> other.add(["wind", "snow"])
    >>> one.position == other.position, one.position.offset
    (True, 3)
    """

    def __init__(self, n_docs: int = 0, chain: str = "") -> None:
        self.n_docs = self.n_chained = n_docs  # the latter: before the last segment
        self.chain = chain  # digest of these
        self._digest = hashlib.sha256(chain.encode())
        self._before_last = self._digest.copy()

    def add(self, texts: list[Any]) -> None:
        """Add documents."""
        while texts:
            if self.n_docs - self.n_chained == SEGMENT:
                self._link()
            part = texts[: self.n_chained + SEGMENT - self.n_docs]
            texts = texts[len(part) :]
            self._digest.update(as_bytes(part[:-1]))
            self._before_last = self._digest.copy()
            self._digest.update(as_bytes(part[-1:]))
            self.n_docs += len(part)

    def _link(self) -> None:
        """Begin a segment with the digest of the last: `hashlib` cannot save one and continue."""
        self.n_chained, self.chain = self.n_docs, self._digest.hexdigest()
        self._digest = hashlib.sha256(self.chain.encode())

    @property
    def position(self) -> Position:
        """The position after the documents added so far."""
        before_last = CHAINED + self._before_last.hexdigest()
        return Position(self.n_docs, CHAINED + self._digest.hexdigest(), before_last)

    def position_in(self, reader: Reader) -> Position:
        """Return the position, with a mark in the files that are read if there can be one."""
        mark = reader.mark(self.n_chained)
        return (
            self.position if mark is None else replace(self.position, chain=self.chain, mark=mark)
        )


class WholeDigest:
    """The digest in files of version 0.1.0: one over all documents, which no pass can continue."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self._before_last = self._digest.copy()
        self._n_docs = 0

    def add(self, texts: list[Any]) -> None:
        """Add documents."""
        self._digest.update(as_bytes(texts[:-1]))
        self._before_last = self._digest.copy()
        self._digest.update(as_bytes(texts[-1:]))
        self._n_docs += len(texts)

    @property
    def position(self) -> Position:
        """The position after the documents added so far."""
        return Position(self._n_docs, self._digest.hexdigest(), self._before_last.hexdigest())


def as_bytes(texts: list[Any]) -> bytes:
    """Return texts, or documents of tokens, so that no two lists of them look alike."""
    texts = [text if type(text) is str else as_json(text) for text in texts]
    return "".join([f"{len(text)}:{text}" for text in texts]).encode("utf-8", "surrogatepass")


def as_json(document: Any) -> str:
    """Return a document of tokens as one text."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def check_pipe(source: Source) -> None:
    """Raise if a pipe cannot be gone on with: what is read beside it would be read again."""
    if len(source.files) > 1:
        raise ValueError(
            f"going on with {source.once_only} and {len(source.files) - 1} more would learn these "
            "again; read the pipe alone, or start over with --fresh"
        )


def retrace(
    reader: Reader, position: Position, size: int, progress: Progress, *, verify: bool = False
) -> tuple[InputDigest, Iterator[TextBlock]]:
    """Find the end of what was learned before; return its digest, and the blocks that follow.

    What is before the position's mark is not read if samples of it show no change, unless it is
    small or `verify` is set. What follows the mark is read and compared in any case. The last
    document may have changed: the last line of a file that is being written is half there.

    Raises
    ------
    ValueError
        If the documents are not those that were learned.
    """
    if position.digest is None:
        raise ValueError(
            "documents of a pipe were learned before, so that the place in a file is not known; "
            "go on with a pipe, or start over with --fresh"
        )
    learned = f"goes on after {position.offset:,} documents"
    digest, blocks = _begin(reader, position, verify=verify)
    if digest.n_docs:
        progress.say(
            f"{learned}; the first {digest.n_docs:,} are not read again, as samples of the input "
            "show no change (--verify reads all)"
        )
    else:
        progress.say(f"{learned}; reading up to there")
    old = None if position.digest.startswith(CHAINED) else WholeDigest()
    rest: list[TextBlock] = []
    while digest.n_docs < position.offset:
        look()
        block = next(blocks, None)
        if block is None:
            raise ValueError(
                f"the input has {digest.n_docs:,} documents, but {position.offset:,} of it were "
                f"learned before: it was cut short or is another; {ADVICE}"
            )
        n_known = min(len(block), position.offset - digest.n_docs)
        digest.add(block.texts[:n_known])
        if old is not None:
            old.add(block.texts[:n_known])
        rest = [block[n_known:]] if n_known < len(block) else []
        progress.retraced(digest.n_docs)
    check_same_input((old or digest).position, position, progress)
    return digest, cut(chain(rest, blocks), size) if rest else blocks


def _begin(
    reader: Reader, position: Position, *, verify: bool
) -> tuple[InputDigest, Iterator[TextBlock]]:
    """Return the digest, and the blocks that follow, of documents that need not be read again."""
    mark, n_docs = position.mark, (position.offset - 1) // SEGMENT * SEGMENT
    if verify or mark is None or mark.n_bytes < CHEAP or mark.n_docs > n_docs:
        return InputDigest(), reader
    if not reader.skip_to(mark):
        return InputDigest(), reader
    return InputDigest(n_docs, position.chain), drop(reader, n_docs - mark.n_docs)


def drop(blocks: Iterator[TextBlock], n_docs: int) -> Iterator[TextBlock]:
    """Yield blocks without their first so many documents."""
    for block in blocks:
        if n_docs < len(block):
            yield block[n_docs:]
        n_docs = max(0, n_docs - len(block))


def check_same_input(found: Position, learned: Position, progress: Progress) -> None:
    """Raise if the documents found are not those that were learned."""
    if found.digest == learned.digest:
        return
    if found.offset < 2 or found.digest_before_last != learned.digest_before_last:
        raise ValueError(
            f"the first {found.offset:,} documents of the input are not those that were learned "
            f"before: a file has changed or is another; {ADVICE}"
        )
    progress.say(
        f"document {found.offset:,}, the last one learned before, has changed since, as a line "
        "does that was not finished; it stays as it was learned"
    )
