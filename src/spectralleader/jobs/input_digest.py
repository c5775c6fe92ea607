"""A digest of the documents learned, so that resuming neither skips nor repeats one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from itertools import chain
from typing import Any

from spectralleader.jobs.progress import Progress
from spectralleader.jobs.source import Source
from spectralleader.runtime.interrupts import look
from spectralleader.sources.files import TextBlock
from spectralleader.sources.files.text_block import cut
from spectralleader.sources.position import Position

ADVICE = "name the same files in the same order, or start anew with --fresh"


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

    def __init__(self) -> None:
        self.n_docs = 0
        self._digest = hashlib.sha256()
        self._before_last = self._digest.copy()

    def add(self, texts: list[Any]) -> None:
        """Add documents."""
        self._digest.update(as_bytes(texts[:-1]))
        self._before_last = self._digest.copy()
        self._digest.update(as_bytes(texts[-1:]))
        self.n_docs += len(texts)

    @property
    def position(self) -> Position:
        """The position after the documents added so far."""
        return Position(self.n_docs, self._digest.hexdigest(), self._before_last.hexdigest())


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
            "again; read the pipe alone, or start anew with --fresh"
        )


def retrace(
    blocks: Iterator[TextBlock], position: Position, size: int, progress: Progress
) -> tuple[InputDigest, Iterator[TextBlock]]:
    """Read what was learned before once more; return its digest, and the blocks that follow.

    The last document may have changed: the last line of a file that is being written is half there.

    Raises
    ------
    ValueError
        If the documents are not those that were learned.
    """
    if position.digest is None:
        raise ValueError(
            "documents of a pipe were learned before, so that the place in a file is not known; "
            "go on with a pipe, or start anew with --fresh"
        )
    digest = InputDigest()
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
        rest = [block[n_known:]] if n_known < len(block) else []
        progress.retraced(digest.n_docs)
    check_same_input(digest.position, position, progress)
    return digest, cut(chain(rest, blocks), size) if rest else blocks


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
