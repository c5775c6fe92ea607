"""Window and Everything: the last documents seen, or all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from spectralleader.documents import BlockT
from spectralleader.samples.document_buffer import Change, one_each
from spectralleader.samples.sample import BoundedSample, Sample
from spectralleader.samples.subsamples import interleave, take_in_turns


class Window(BoundedSample[BlockT]):
    """The last `capacity` documents: a learner that remembers these follows a drifting stream.

    At most `budget` different words are remembered, as in `Reservoir`: of a document with more than
    its share a random part.

    Examples
    --------
    >>> from spectralleader import Documents
    >>> window = Window(2, n_words=3)
    >>> change = window.add(Documents.from_tokens([[0], [1], [2]], n_words=3))
    >>> sorted(window.documents.words.tolist())
    [1, 2]
    """

    saved_as = "window"

    def __init__(self, capacity: int, *, n_words: int = 1, budget: int | None = None) -> None:
        super().__init__(capacity, n_words, budget)

    def last(self, n: int) -> BlockT:
        """Return the last n of the remembered documents, the oldest first."""
        # A ring buffer: document t of the stream is in slot t % capacity.
        n = min(n, len(self))
        last: BlockT = self._buffer.at(np.arange(self.n_seen - n, self.n_seen) % self.capacity)
        return last

    def add(self, documents: BlockT) -> Change[BlockT]:
        """Show the window a block; return what entered and what left."""
        n_docs = documents.n_docs
        skipped = max(0, n_docs - self.capacity)  # these are out again
        first = (self.n_seen + skipped) % self.capacity
        rows = np.arange(skipped, n_docs)
        slots = rows + (first - skipped)
        # `DocumentBuffer.enter` needs increasing slots: documents that wrap around to slot 0 come
        # first.
        if (n_wrapped := first + len(rows) - self.capacity) > 0:
            rows, slots = np.roll(rows, n_wrapped), np.roll(slots % self.capacity, n_wrapped)
        chosen = np.empty((len(rows), 2), np.int64)
        chosen[:, 0], chosen[:, 1] = rows, slots
        return self._enter(documents, chosen)

    def merge(self, others: Sequence[Self], rng: np.random.Generator) -> None:
        """Become the last documents of this and other streams, as if those had been one.

        When a document came is not remembered: every way to interleave the streams is equally
        likely. So of each the newest documents stay, in proportion to what it saw.
        """
        parts = (self, *others)
        turns = interleave([part.n_seen for part in parts], self.capacity, rng)
        n_of_each = np.bincount(turns, minlength=len(parts)).tolist()
        newest = [part.last(n) for part, n in zip(parts, n_of_each, strict=True)]
        self.n_seen = sum(part.n_seen for part in parts)
        # The slots of a window that had seen the streams as one.
        slots = np.arange(self.n_seen - len(turns), self.n_seen) % self.capacity
        self.documents = take_in_turns(newest, turns).take(np.argsort(slots))


class Everything(Sample[BlockT]):
    """A sample of all documents seen. Memory grows with the stream.

    Examples
    --------
    >>> from spectralleader import Documents
    >>> everything = Everything(n_words=3)
    >>> change = everything.add(Documents.from_tokens([[0], [1], [2]], n_words=3))
    >>> len(everything), change.left.n_docs
    (3, 0)
    """

    saved_as = "everything"

    def __init__(self, *, n_words: int = 1) -> None:
        super().__init__(n_words)

    def add(self, documents: BlockT) -> Change[BlockT]:
        """Remember a block; return what entered (all of it) and what left (nothing)."""
        chosen = one_each(documents.n_docs)
        chosen[:, 1] += len(self)
        change: Change[BlockT] = self._buffer.enter(documents, chosen)
        return change

    def merge(self, others: Sequence[Self], rng: np.random.Generator) -> None:
        """Append the documents of other samples; `rng` is not used."""
        for other in others:
            self.add(other.documents.widen(max(self.n_words, other.n_words)))
