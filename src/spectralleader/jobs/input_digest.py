"""A digest of the learned documents, so that resuming neither skips nor repeats any."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

from spectralleader.jobs.options import Progress, Source
from spectralleader.runtime.interrupts import raise_if_interrupted
from spectralleader.sources.files import Reader, TextBlock
from spectralleader.sources.files.reader import MARKED
from spectralleader.sources.files.text_block import cut
from spectralleader.sources.position import Position

SEGMENT = MARKED  # documents per link of the hash chain
CHAINED = "chained:"  # prefix of digests that end a hash chain
CHEAP = 2**24  # up to this many bytes are always read again: it takes at most a second
ADVICE = "name the same files in the same order, or start over with --fresh"


class InputDigest:
    """A digest of documents in order, independent of the blocks in which they are added.

    Examples
    --------
    >>> one, other = InputDigest(), InputDigest()
    >>> one.add(["rain", "wind", "snow"])
    >>> other.add(["rain"])
    >>> other.add(["wind", "snow"])
    >>> one.position == other.position, one.position.offset
    (True, 3)
    """

    def __init__(self, n_docs: int = 0, chain: str = "", *, is_chained: bool = True) -> None:
        self._is_chained = is_chained  # False: one hash over all, as in files of version 0.1.0
        self.n_docs = self.n_chained = n_docs  # documents added; those before the last segment
        self.chain = chain  # digest of the documents before the last segment
        self._digest = hashlib.sha256(chain.encode())
        self._before_last = self._digest.copy()

    def add(self, texts: list[Any]) -> None:
        """Add documents."""
        while texts:
            part, texts = texts, []
            if self._is_chained:
                if self.n_docs - self.n_chained == SEGMENT:
                    self._link()
                n = self.n_chained + SEGMENT - self.n_docs
                part, texts = part[:n], part[n:]
            self._digest.update(as_bytes(part[:-1]))
            self._before_last = self._digest.copy()
            self._digest.update(as_bytes(part[-1:]))
            self.n_docs += len(part)

    def _link(self) -> None:
        """Start a segment with the digest of the last one: `hashlib` states cannot be saved."""
        self.n_chained, self.chain = self.n_docs, self._digest.hexdigest()
        self._digest = hashlib.sha256(self.chain.encode())

    @property
    def position(self) -> Position:
        """The position after the documents added so far."""
        prefix = CHAINED if self._is_chained else ""
        digests = [prefix + one.hexdigest() for one in (self._digest, self._before_last)]
        return Position(self.n_docs, digests[0], digests[1])

    def position_in(self, reader: Reader) -> Position:
        """Return the position, with a mark in the files if the reader can make one."""
        mark = reader.mark(self.n_chained)
        found = self.position
        return found if mark is None else replace(found, chain=self.chain, mark=mark)


def as_bytes(texts: list[Any]) -> bytes:
    """Return an injective encoding of a list of texts or documents of tokens."""
    texts = [text if type(text) is str else as_json(text) for text in texts]
    return "".join([f"{len(text)}:{text}" for text in texts]).encode("utf-8", "surrogatepass")


def as_json(document: Any) -> str:
    """Return a document of tokens as canonical JSON."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def check_pipe(source: Source) -> None:
    """Raise if other files are read besides a pipe: resuming would learn them again."""
    if len(source.files) > 1:
        raise ValueError(
            f"resuming with {source.once_only} and {len(source.files) - 1} more files would learn "
            "the files again; read only the pipe, or start over with --fresh"
        )


def retrace(
    reader: Reader, position: Position, size: int, progress: Progress, *, verify: bool = False
) -> tuple[InputDigest, Iterator[TextBlock]]:
    """Read up to the position; return the digest there, and the blocks that follow.

    The input before the position's mark is not read if samples of it show no change, unless it is
    small or `verify` is set. The documents after the mark are always read and compared. The last
    one may differ: the last line of a file that is being written may have been incomplete.

    Raises
    ------
    ValueError
        If the documents differ from those that were learned.
    """
    if position.digest is None:
        raise ValueError(
            "the model was learned from a pipe and has no position in files; resume with a pipe, "
            "or start over with --fresh"
        )
    learned = f"resuming after {position.offset:,} documents"
    digest, blocks = _begin(reader, position, verify=verify)
    if digest.n_docs:
        progress.say(
            f"{learned}; skipping the first {digest.n_docs:,}, as samples of the input show no "
            "change (--verify reads all)"
        )
    else:
        progress.say(f"{learned}; checking that the input is the same")
    old = None if position.digest.startswith(CHAINED) else InputDigest(is_chained=False)
    rest: list[TextBlock] = []
    while digest.n_docs < position.offset:
        raise_if_interrupted()
        block = next(blocks, None)
        if block is None:
            raise ValueError(
                f"the input has {digest.n_docs:,} documents, but {position.offset:,} were learned "
                f"before: it was truncated or is another one; {ADVICE}"
            )
        n_known = min(len(block), position.offset - digest.n_docs)
        digest.add(block.texts[:n_known])
        if old is not None:
            old.add(block.texts[:n_known])
        rest = [block[n_known:]] if n_known < len(block) else []
        progress.counted(digest.n_docs, "read again")
    check_same_input((old or digest).position, position, progress)
    return digest, cut(chain(rest, blocks), size) if rest else blocks


def _begin(
    reader: Reader, position: Position, *, verify: bool
) -> tuple[InputDigest, Iterator[TextBlock]]:
    """Return the digest of the documents that are skipped, and the blocks that follow."""
    mark, n_docs = position.mark, (position.offset - 1) // SEGMENT * SEGMENT
    if verify or mark is None or mark.n_bytes < CHEAP or mark.n_docs > n_docs:
        return InputDigest(), reader
    if not reader.skip_to(mark):
        return InputDigest(), reader
    return InputDigest(n_docs, position.chain), drop(reader, n_docs - mark.n_docs)


def drop(blocks: Iterator[TextBlock], n_docs: int) -> Iterator[TextBlock]:
    """Yield blocks without the first `n_docs` documents."""
    for block in blocks:
        if n_docs < len(block):
            yield block[n_docs:]
        n_docs = max(0, n_docs - len(block))


def check_same_input(found: Position, learned: Position, progress: Progress) -> None:
    """Raise if the documents read differ from those that were learned."""
    if found.digest == learned.digest:
        return
    if found.offset < 2 or found.digest_before_last != learned.digest_before_last:
        raise ValueError(
            f"the first {found.offset:,} documents of the input differ from those that were "
            f"learned: a file has changed or is another one; {ADVICE}"
        )
    progress.say(
        f"document {found.offset:,}, the last one learned, has changed since: probably an "
        "incomplete line; it stays as it was learned"
    )
