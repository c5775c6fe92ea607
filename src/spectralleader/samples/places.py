"""Places: remembered documents in numbered places, each overwritten as a whole."""

from __future__ import annotations

from typing import Any

import numpy as np

from spectralleader.compiled import kernel
from spectralleader.csr import gather
from spectralleader.documents import Documents, Floats, Ints, WordIds
from spectralleader.samples.protocol import Change
from spectralleader.states import part


class Places:
    """Documents in places 0 .. n-1, stored end to end in one growing arena.

    A document put in a taken place is written at the arena's end; what it replaces becomes a gap.
    When the arena is full the gaps are squeezed out, or the arena doubles if there are few: a put
    costs the words that it moves, and memory stays within about twice what is remembered.
    Documents over more words than before widen the vocabulary.
    """

    def __init__(self, n_words: int) -> None:
        self.n_words = n_words
        self._nothing = Documents.empty(n_words)
        self._starts = np.zeros(0, np.int64)
        self._ends = np.zeros(0, np.int64)
        self._n = 0  # places in use
        self._words = np.zeros(0, np.int32)
        self._counts = np.zeros(0, np.float64)
        self._end = 0  # first free entry of the arena

    @classmethod
    def of(cls, documents: Documents) -> Places:
        """Put documents in places 0 .. n-1, in order."""
        places = cls(documents.n_words)
        everything = np.arange(documents.n_docs)
        places.put(documents, everything, everything)
        return places

    def __len__(self) -> int:
        return self._n

    def documents(self) -> Documents:
        """Return all remembered documents, in the order of their places."""
        return self.at(np.arange(self._n))

    def at(self, places: Ints) -> Documents:
        """Return the documents in some places, in their order."""
        block = gather(places, self._starts, self._ends, self._words, self._counts)
        return Documents(*block, self.n_words)

    def put(self, documents: Documents, rows: Ints, places: Ints) -> Change:
        """Put document ``rows[i]`` into ``places[i]``; places beyond the last are new.

        Places must be distinct and increasing, and new ones follow on without holes.
        """
        n_words = max(self.n_words, documents.n_words)
        if len(rows) == 0:
            self._widen(n_words)
            return Change(self._nothing, self._nothing, places)
        n_before, n_entries = self._n, len(documents.words)  # of which all may enter
        if self._end + n_entries > len(self._words):
            n_entries = int((documents.indptr[rows + 1] - documents.indptr[rows]).sum())
        n_places = int(places[-1]) + 1
        self._reserve(n_places, n_entries)
        block = (documents.indptr, documents.words, documents.counts)
        index = (self._starts, self._ends)
        entered, left, self._end = exchange(
            rows, *block, places, n_before, *index, self._words, self._counts, self._end
        )
        self._n = max(n_before, n_places)
        self._widen(n_words)
        return Change(Documents(*entered, self.n_words), Documents(*left, self.n_words), places)

    def _widen(self, n_words: int) -> None:
        if n_words != self.n_words:
            self.recode(None, n_words)

    def undo(self, change: Change) -> None:
        """Take back the last `put`, which returned this change: those that left are there again."""
        left, n_before = change.left, self._n - change.entered.n_docs + change.left.n_docs
        if left.n_docs:
            taken = change.places[change.places < n_before]
            self.put(left, np.arange(left.n_docs), taken)
        self._n = n_before

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words of the remembered documents; those of -1 are dropped from them."""
        self.n_words = n_words
        self._nothing = Documents.empty(n_words)
        if new_ids is not None:
            everything = np.arange(self._n)
            recoded = self.documents().renumber(new_ids, n_words)
            self.put(recoded, everything, everything)

    def _reserve(self, n_places: int, n_entries: int) -> None:
        """Make room for more places and for entries at the arena's end."""
        if n_places > len(self._starts):
            more = np.zeros(max(n_places, 2 * len(self._starts), 64), np.int64)
            self._starts, self._ends = (
                np.concatenate([array[: self._n], more[self._n :]])
                for array in (self._starts, self._ends)
            )
        if self._end + n_entries > len(self._words):
            self._squeeze(n_entries)

    def _squeeze(self, n_entries: int) -> None:
        """Move the documents together, into an arena with at least as much room again."""
        live = self.documents()
        room, end = max(2 * (len(live.words) + n_entries), 1024), len(live.words)
        words, counts = np.empty(room, np.int32), np.empty(room)
        words[:end], counts[:end] = live.words, live.counts
        self._words, self._counts, self._end = words, counts, end
        self._starts[: self._n], self._ends[: self._n] = live.indptr[:-1], live.indptr[1:]

    def to_state(self) -> dict[str, Any]:
        """Return the remembered documents in the order of their places."""
        return {"documents": self.documents().to_state()}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Places:
        """Rebuild the places that `to_state` described."""
        return cls.of(Documents.from_state(part(state, "documents")))


@kernel
def exchange(
    rows: Ints,
    indptr: Ints,
    words: WordIds,
    counts: Floats,
    places: Ints,
    n_taken: int,
    starts: Ints,
    ends: Ints,
    arena_words: WordIds,
    arena_counts: Floats,
    end: int,
) -> tuple[tuple[Ints, WordIds, Floats], tuple[Ints, WordIds, Floats], int]:
    """Write document ``rows[i]`` of a block into ``places[i]``, at the arena's end.

    Returns the documents written, those that were in the places (from n_taken on there were none),
    and the arena's new end.
    """
    entered = gather(rows, indptr[:-1], indptr[1:], words, counts)
    left = gather(places[places < n_taken], starts, ends, arena_words, arena_counts)
    bounds, new_words, new_counts = entered
    for i in range(len(places)):
        starts[places[i]] = end + bounds[i]
        ends[places[i]] = end + bounds[i + 1]
    for j in range(len(new_words)):
        arena_words[end + j] = new_words[j]
        arena_counts[end + j] = new_counts[j]
    return entered, left, end + len(new_words)
