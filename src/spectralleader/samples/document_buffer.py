"""Buffers: remembered documents in numbered slots, and the changes of them."""

from __future__ import annotations

from typing import Any, Generic, NamedTuple

import numpy as np

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.documents import BlockT, Documents, DocumentView
from spectralleader.runtime.compiled import in_place
from spectralleader.samples.subsamples import subsample_tokens


class Change(Generic[BlockT]):
    """The effect of one `add` on a sample: the documents that entered, and those that left.

    A document that entered and was replaced within the same `add` is in neither. Documents are
    views until they are read.
    """

    __slots__ = ("chosen", "moved", "n_entered")

    moved: Any  # a view of the documents that entered, then those that left
    n_entered: int
    chosen: Ints  # (n_entered, 2) row in the block and slot of each document that entered

    def __init__(self, moved: Any, n_entered: int, chosen: Ints) -> None:
        self.moved, self.n_entered, self.chosen = moved, n_entered, chosen

    @classmethod
    def of(cls, entered: Documents, left: Documents, slots: Ints) -> Change[Documents]:
        """Return the change in which these documents entered and left."""
        both = Documents.concatenate([entered, left])
        chosen = np.stack([np.arange(entered.n_docs), slots], axis=1)
        return Change(DocumentView.of(both), entered.n_docs, chosen)

    @property
    def slots(self) -> Ints:
        """The slots of the documents that entered."""
        return self.chosen[:, 1]

    @property
    def n_docs(self) -> int:
        """Number of documents that entered or left."""
        return len(self.moved.bounds)

    @property
    def entered(self) -> BlockT:
        """The documents that entered, in the order of their slots."""
        entered: BlockT = self.moved.gather(np.arange(self.n_entered))
        return entered

    @property
    def left(self) -> BlockT:
        """The documents that left, in the order of their slots."""
        left: BlockT = self.moved.gather(np.arange(self.n_entered, self.n_docs))
        return left

    def renumber(self: Change, new_ids: Ints | None, n_words: int) -> Change:
        """Return the change of documents with renumbered words; `new_ids` is not checked."""
        entered = self.entered.renumber(new_ids, n_words)
        return Change.of(entered, self.left.renumber(new_ids, n_words), self.slots)


class BlockView(NamedTuple, Generic[BlockT]):
    """A block with the members of a `DocumentView` that changes need."""

    block: BlockT

    @property
    def bounds(self) -> range:
        """As long as there are documents."""
        return range(self.block.n_docs)

    def gather(self, rows: Ints) -> BlockT:
        """Return some of the documents as a block."""
        return self.block.take(rows)


class BlockBuffer(Generic[BlockT]):
    """Items of any family in slots 0 .. n-1; each change copies all of them.

    A family starts with a subclass that names its blocks, see `DocumentBuffer` for a faster one.
    """

    takes: type[BlockT]  # the class of its blocks

    def __init__(self, n_words: int) -> None:
        self._block = self.takes.empty(n_words)

    def __len__(self) -> int:
        return self._block.n_docs

    @property
    def n_words(self) -> int:
        """Number of different symbols so far."""
        return self._block.n_words

    def documents(self) -> BlockT:
        """Return all items, in the order of their slots."""
        return self._block

    def at(self, slots: Ints) -> BlockT:
        """Return the items in some slots, in this order."""
        return self._block.take(slots)

    def view(self) -> BlockView[BlockT]:
        """Return what the kernels of the family read the items by."""
        return BlockView(self._block)

    def shorten(self, block: BlockT, rows: Ints, first: int, most: int) -> tuple[BlockT, Ints]:
        """Return rows of a block, and their numbers there, without any of more than `most` entries.

        `first` is the number of the first item in the stream. Here all items fit.
        """
        return block, rows

    def enter(self, block: BlockT, chosen: Ints) -> Change[BlockT]:
        """Put items into slots, given (row, slot) pairs, (n, 2); new slots follow the last one.

        Slots must be distinct and increasing. A block over more symbols widens the others.
        """
        rows, slots = chosen.T
        n_words, n_before = max(self.n_words, block.n_words), len(self)
        entered, before = block.widen(n_words).take(rows), self._block.widen(n_words)
        left = before.take(slots[slots < n_before])
        places = np.arange(max(n_before, slots.max(initial=-1) + 1))
        places[slots] = n_before + np.arange(len(slots))
        self._block = self.takes.concatenate([before, entered]).take(places)
        return Change(BlockView(self.takes.concatenate([entered, left])), len(slots), chosen)

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the symbols of the items; those of id -1 are dropped."""
        self._block = self._block.recode(new_ids, n_words)


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

    def shorten(
        self, documents: Documents, rows: Ints, first: int, most: int
    ) -> tuple[Documents, Ints]:
        """Return rows of a block, and their numbers there, documents of many words subsampled."""
        # The first comparison is a bound that takes no time.
        if len(documents.words) <= most or (np.diff(documents.indptr) <= most).all():
            return documents, rows
        # Only documents that enter are subsampled: for others the draws would be wasted.
        return subsample_tokens(documents.take(rows), first + rows, most), np.arange(len(rows))

    def enter(self, documents: Documents, chosen: Ints) -> Change:
        """Put documents into slots, given (document, slot) pairs, (n, 2); others are new.

        Slots must be distinct and increasing, and new slots must be contiguous.
        """
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
            # Written again, at the end: views of earlier changes keep the old word ids.
            self.enter(self.documents().renumber(new_ids, n_words), one_each(self._n))

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


def one_each(n: int) -> Ints:
    """Return the pairs by which n documents enter n slots in their order, (n, 2)."""
    return np.repeat(np.arange(n)[:, None], 2, axis=1)


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
