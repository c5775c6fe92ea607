"""Trail: which documents were learned, so that going on neither skips nor repeats one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import chain

from spectralleader.jobs.source import Source
from spectralleader.jobs.watcher import Watcher
from spectralleader.runtime.interrupts import look
from spectralleader.sources.files import TextBlock
from spectralleader.sources.files.text_block import cut
from spectralleader.storage.checkpoint import Progress

ADVICE = "name the same files in the same order, or start anew with --fresh"


class Trail:
    """A digest of documents in their order; how they came in blocks does not matter.

    Examples
    --------
    >>> one, other = Trail(), Trail()
    >>> one.add(["rain", "wind", "snow"])
    >>> other.add(["rain"])
    >>> other.add(["wind", "snow"])
    >>> one.digest == other.digest, one.n_docs
    (True, 3)
    """

    def __init__(self) -> None:
        self.n_docs = 0
        self._digest = hashlib.sha256()
        self._before = self._digest.copy()

    def add(self, texts: list[str]) -> None:
        """Take note of documents."""
        self._digest.update(as_bytes(texts[:-1]))
        self._before = self._digest.copy()
        self._digest.update(as_bytes(texts[-1:]))
        self.n_docs += len(texts)

    @property
    def digest(self) -> str:
        """Of all documents."""
        return self._digest.hexdigest()

    @property
    def before(self) -> str:
        """Of all documents but the last."""
        return self._before.hexdigest()


def as_bytes(texts: list[str]) -> bytes:
    """Return texts so that no two lists of them look alike."""
    return "".join([f"{len(text)}:{text}" for text in texts]).encode("utf-8", "surrogatepass")


def check_pipe(source: Source) -> None:
    """Raise if a pipe cannot be gone on with: what is read beside it would be read again."""
    if len(source.files) > 1:
        raise ValueError(
            f"going on with {source.once_only} and {len(source.files) - 1} more would learn these "
            "again; read the pipe alone, or start anew with --fresh"
        )


def retrace(
    blocks: Iterator[TextBlock], progress: Progress, size: int, watcher: Watcher
) -> tuple[Trail, Iterator[TextBlock]]:
    """Read what was learned before once more; return its trail, and the blocks that follow.

    The last document may have changed: the last line of a file that is being written is half there.

    Raises
    ------
    ValueError
        If the documents are not those that were learned.
    """
    if progress.digest is None:
        raise ValueError(
            "documents of a pipe were learned before, so that the place in a file is not known; "
            "go on with a pipe, or start anew with --fresh"
        )
    trail = Trail()
    rest: list[TextBlock] = []
    while trail.n_docs < progress.n_docs:
        look()
        block = next(blocks, None)
        if block is None:
            raise ValueError(
                f"the input has {trail.n_docs:,} documents, but {progress.n_docs:,} of it were "
                f"learned before: it was cut short or is another; {ADVICE}"
            )
        n_known = min(len(block), progress.n_docs - trail.n_docs)
        trail.add(block.texts[:n_known])
        rest = [block[n_known:]] if n_known < len(block) else []
        watcher.retraced(trail.n_docs)
    check_trail(trail, progress, watcher)
    return trail, cut(chain(rest, blocks), size) if rest else blocks


def check_trail(trail: Trail, progress: Progress, watcher: Watcher) -> None:
    """Raise if these are not the documents that were learned."""
    if trail.digest == progress.digest:
        return
    if trail.n_docs < 2 or trail.before != progress.before:
        raise ValueError(
            f"the first {trail.n_docs:,} documents of the input are not those that were learned "
            f"before: a file has changed or is another; {ADVICE}"
        )
    watcher.say(
        f"document {trail.n_docs:,}, the last one learned before, has changed since, as a line "
        "does that was not finished; it stays as it was learned"
    )
