"""DocumentBuffer: remembered documents in numbered slots; what all samples share."""

from __future__ import annotations

from typing import Any

import numpy as np

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import check_same, whole
from spectralleader.documents import Documents
from spectralleader.documents.views import DocumentView
from spectralleader.runtime.compiled import in_place
from spectralleader.samples.protocol import Change
from spectralleader.samples.subsamples import check_budget, check_capacity


class DocumentBuffer:
    """Documents in slots 0 .. n-1, stored in one append-only buffer, the arena.

    A document is always written at the end of the arena; the one that it replaces becomes a gap.
    When the arena is full, the documents are copied to a new one without gaps. Writing is therefore
    amortised linear in the words written, and memory stays within about twice the remembered
    documents. Because nothing is overwritten, a `Change` can be a view of the arena.
    Documents over more words than before widen the vocabulary.
    """

    _read_only: tuple[WordIds, Floats]  # read-only views of the arena's words and counts
    _end: int  # first free entry of the arena

    def __init__(self, n_words: int) -> None:
        self.n_words = n_words
        self._bounds = np.zeros((0, 2), np.int64)  # start and end in the arena, by slot
        self._n = 0  # slots in use
        self._open(np.zeros(0, np.int32), np.zeros(0), 0)

    @classmethod
    def of(cls, documents: Documents) -> DocumentBuffer:
        """Return a buffer with the documents in slots 0 .. n-1, in order."""
        buffer = cls(documents.n_words)
        everything = np.arange(documents.n_docs)
        buffer.put(documents, everything, everything)
        return buffer

    def __len__(self) -> int:
        return self._n

    def documents(self) -> Documents:
        """Return all remembered documents, in the order of their slots."""
        return self.at(np.arange(self._n))

    def at(self, slots: Ints) -> Documents:
        """Return the documents in some slots, in this order."""
        return DocumentView(self._bounds, *self._read_only, self.n_words).gather(slots)

    def view(self) -> DocumentView:
        """Return a view of all remembered documents, in the order of their slots."""
        return DocumentView(self._bounds[: self._n], *self._read_only, self.n_words)

    def put(self, documents: Documents, rows: Ints, slots: Ints) -> Change:
        """Put document ``rows[i]`` into ``slots[i]``; slots beyond the last are new.

        Slots must be distinct and increasing, and new slots must be contiguous.
        """
        return self.enter(documents, np.stack([rows, slots], axis=1))

    def enter(self, documents: Documents, chosen: Ints) -> Change:
        """Put documents into slots like `put`, given (document, slot) pairs, (n, 2)."""
        n, n_left, moved = len(chosen), 0, np.empty((2 * len(chosen), 2), np.int64)
        n_words = max(self.n_words, documents.n_words)
        if n > 0:
            indptr, words, counts = documents.indptr, documents.words, documents.counts
            n_before, n_slots = self._n, int(chosen[-1, 1]) + 1
            is_full = self._end + len(words) > len(self._words)  # a bound: as if all were chosen
            if is_full or n_slots > len(self._bounds):
                self._reserve(n_slots, documents, chosen)
            arena = (self._bounds, self._words, self._counts, self._end)
            n_left, self._end = write_documents(
                indptr, words, counts, chosen, n_before, *arena, moved
            )
            self._n = max(n_before, n_slots)
        # In a full sample one document leaves for each that enters, and nothing is sliced.
        moved = moved if n_left == n else moved[: n + n_left]
        self.n_words = n_words
        return Change(DocumentView(moved, *self._read_only, n_words), n, chosen)

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words of the remembered documents; words with id -1 are dropped."""
        self.n_words = n_words
        if new_ids is not None:
            everything = np.arange(self._n)
            # Written again, at the end: views of earlier changes keep the old word ids.
            recoded = self.documents().renumber(new_ids, n_words)
            self.put(recoded, everything, everything)

    def _reserve(self, n_slots: int, documents: Documents, chosen: Ints) -> None:
        """Reserve space for more slots, and in the arena for the chosen documents."""
        if n_slots > len(self._bounds):
            more = np.zeros((max(n_slots, 2 * len(self._bounds), 64), 2), np.int64)
            more[: self._n] = self._bounds[: self._n]
            self._bounds = more
        # Exactly the chosen documents; the cheaper bound in `enter` only decides whether to look.
        n_entries = int(np.diff(documents.indptr)[chosen[:, 0]].sum())
        if self._end + n_entries > len(self._words):
            self._compact(n_entries)

    def _compact(self, n_entries: int) -> None:
        """Copy the documents to a new arena of at least twice the required size."""
        live = self.documents()
        room, end = max(2 * (len(live.words) + n_entries), 1024), len(live.words)
        words, counts = np.empty(room, np.int32), np.empty(room)
        words[:end], counts[:end] = live.words, live.counts
        # Earlier views keep the previous arena alive, and stay valid.
        self._open(words, counts, end)
        self._bounds[: self._n, 0], self._bounds[: self._n, 1] = live.indptr[:-1], live.indptr[1:]

    def _open(self, words: WordIds, counts: Floats, end: int) -> None:
        """Use this arena, whose first free entry is `end`.

        Views of it are read-only, like `Documents`, so that Numba compiles one kernel for both.
        """
        self._words, self._counts, self._end = words, counts, end
        self._read_only = (words.view(), counts.view())
        for array in self._read_only:
            array.setflags(write=False)

    def __setstate__(self, state: dict[str, Any]) -> None:  # a copy needs views of its own arena
        self.__dict__.update(state)
        self._open(self._words, self._counts, self._end)


@in_place
def write_documents(
    indptr: Ints,
    words: WordIds,
    counts: Floats,
    chosen: Ints,
    n_taken: int,
    bounds: Ints,
    arena_words: WordIds,
    arena_counts: Floats,
    end: int,
    moved: Ints,
) -> tuple[int, int]:
    """Write document ``chosen[i, 0]`` of a block into slot ``chosen[i, 1]``, at the arena's end.

    Sets `moved` to the bounds of the written documents, followed by the bounds of the documents
    they replace (slots from n_taken on are new). Returns the number of replaced documents, and the
    new end of the arena.
    """
    n, n_left = len(chosen), 0
    for i in range(n):
        row, slot = chosen[i, 0], chosen[i, 1]
        first, last = indptr[row], indptr[row + 1]
        # Save the old bounds before they are overwritten; the entries themselves stay in the arena.
        if slot < n_taken:
            moved[n + n_left, 0], moved[n + n_left, 1] = bounds[slot, 0], bounds[slot, 1]
            n_left += 1
        for j in range(last - first):
            arena_words[end + j] = words[first + j]
            arena_counts[end + j] = counts[first + j]
        moved[i, 0], moved[i, 1] = end, end + last - first
        bounds[slot, 0], bounds[slot, 1] = end, end + last - first
        end += last - first
    return n_left, end


class BufferedSample(Saved):
    """A sample that stores documents in `DocumentBuffer`."""

    saved = fields(documents=Documents)

    def __init__(self, n_words: int) -> None:
        self._buffer = DocumentBuffer(n_words)

    def __len__(self) -> int:
        return len(self._buffer)

    @property
    def n_words(self) -> int:
        """Current vocabulary size."""
        return self._buffer.n_words

    @property
    def documents(self) -> Documents:
        """The remembered documents, in the order of their slots."""
        return self._buffer.documents()

    @documents.setter
    def documents(self, documents: Documents) -> None:
        self._buffer = DocumentBuffer.of(documents)

    @property
    def view(self) -> DocumentView:
        """A view of the remembered documents, in the order of their slots."""
        return self._buffer.view()

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words of the remembered documents, see `Sample`."""
        self._buffer.recode(new_ids, n_words)


class BoundedSample(BufferedSample):
    """A sample of at most `capacity` documents with at most `budget` entries (distinct words)."""

    saved = fields(
        BufferedSample.saved,
        capacity=field(whole, least=1),
        budget=whole,
        n_seen=whole,
    )
    n_seen: int  # documents seen so far, remembered or not

    def __init__(self, capacity: int, n_words: int, budget: int | None) -> None:
        super().__init__(n_words)
        self.capacity = check_capacity(capacity)
        self.budget = check_budget(budget, self.capacity)
        self._max_entries = self.budget // self.capacity  # distinct words per document, at most
        self.n_seen = 0

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that samples must share to be merged."""
        return {"capacity": self.capacity, "budget": self.budget}

    def _loaded(self) -> None:
        # Samples fill up before they replace anything.
        check_same("documents remembered", len(self), min(self.n_seen, self.capacity))
