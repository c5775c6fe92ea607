"""Changes: what happened to a sample since its anchor, as few arrays, read back with distrust."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spectralleader.arrays import Ints
from spectralleader.checks.states import check_same, integers, part
from spectralleader.documents import Documents
from spectralleader.documents.views import DocumentView
from spectralleader.samples import Change, Sample


def changes_to_state(changes: Sequence[Change]) -> dict[str, Any]:
    """Return changes end to end, and how many documents and words are whose.

    Of each change the documents that entered come first, then those that left.
    """
    # one block of documents for all changes: 2,865 changes of one document take 4.4 instead of
    # 6.1 MB and load in 54 ms instead of 1.6 s
    n_words = max((change.moved.n_words for change in changes), default=1)
    moved = [change.moved.gather(np.arange(change.n_docs)) for change in changes]
    none = Documents.empty(n_words)
    return {
        "moved": Documents.concatenate([none, *(one.widen(n_words) for one in moved)]).to_state(),
        "places": np.concatenate([np.zeros(0, np.int64), *(c.slots for c in changes)]),
        "n_entered": np.array([change.n_entered for change in changes], np.int64),
        "n_left": np.array([change.n_docs - change.n_entered for change in changes], np.int64),
        "n_words": np.array([change.moved.n_words for change in changes], np.int64),
    }


def changes_from_state(state: dict[str, Any], anchor: Documents, sample: Sample) -> list[Change]:
    """Return the changes that `changes_to_state` described, by which the anchor became the sample.

    Raises
    ------
    ValueError
        If it did not: sums of the changes would not be of documents then.
    """
    history = History.from_state(state, anchor.n_words)
    history.check(anchor, sample)
    return history.changes()


class History(NamedTuple):
    """Changes end to end."""

    moved: Documents  # of each change those that entered, then those that left
    slots: Ints  # of those that entered
    n_entered: Ints  # a change, as are the following
    n_left: Ints
    n_words: Ints  # there were

    @classmethod
    def from_state(cls, state: dict[str, Any], n_words: int) -> History:
        """Return changes that are individually valid; there were n_words before them."""
        moved = Documents.from_state(part(state, "moved"))
        entered = integers(state, "n_entered", (None,), 0, moved.n_docs)
        left = integers(state, "n_left", entered.shape, 0, moved.n_docs)
        check_same("documents that moved", int(entered.sum() + left.sum()), moved.n_docs)
        slots = integers(state, "places", (int(entered.sum()),))
        widths = integers(state, "n_words", entered.shape, n_words, max(n_words, moved.n_words))
        # Kernels check no bounds: words must be within the vocabulary of their change.
        ends = moved.indptr[np.cumsum(entered + left)]
        too_large = moved.words >= np.repeat(widths, np.diff(ends, prepend=0))
        if too_large.any() or (np.diff(widths) < 0).any():
            raise ValueError("the changes since the anchor are over words that were not there")
        return cls(moved, slots, entered, left, widths)

    @property
    def firsts(self) -> Ints:
        """The first document of each change."""
        return np.cumsum(self.n_entered + self.n_left) - self.n_entered - self.n_left

    def changes(self) -> list[Change]:
        """Return the changes one by one; they lie in the same arrays."""
        bounds, words, counts, _ = DocumentView.of(self.moved)
        ends = np.cumsum(self.n_entered)
        chosen = np.stack([np.arange(len(self.slots)), self.slots], axis=1)
        chosen[:, 0] -= np.repeat(ends - self.n_entered, self.n_entered)  # from 0 on in each
        rows = zip(*(x.tolist() for x in (self.firsts, ends, *self[2:])), strict=True)
        return [
            Change(
                DocumentView(bounds[first : first + entered + left], words, counts, n_words),
                entered,
                chosen[end - entered : end],
            )
            for first, end, entered, left, n_words in rows
        ]

    def check(self, anchor: Documents, sample: Sample) -> None:
        """Raise unless the anchor becomes the sample by the changes."""
        gone, there = self.replay(anchor.n_docs)
        n_words = max(anchor.n_words, self.moved.n_words, sample.n_words)
        everything = Documents.concatenate([anchor.widen(n_words), self.moved.widen(n_words)])
        sizes = np.stack([self.n_entered, self.n_left], axis=1).ravel()
        # The documents of `moved` alternate: entered, left, entered, left, and so on.
        left = np.flatnonzero(np.repeat(np.arange(len(sizes)) % 2, sizes))
        if everything.take(gone) != everything.take(anchor.n_docs + left):
            raise ValueError("the changes since the anchor take out what was not there")
        if everything.take(there) != sample.documents:
            raise ValueError("the anchor and the changes since do not lead to the sample")

    def replay(self, n_anchored: int) -> tuple[Ints, Ints]:
        """Return which documents left, one after the other, and which are there at the end.

        They are numbered: those of the anchor, then all that moved.
        """
        at = np.arange(n_anchored + len(self.slots))  # the document in each slot, used or not
        gone, n, end = [np.zeros(0, np.int64)], n_anchored, 0
        rows = zip(*(x.tolist() for x in (self.firsts, self.n_entered, self.n_left)), strict=True)
        for first, entered, left in rows:
            slots = self.slots[end : end + entered]
            end += entered
            # Slots increase: those below n were taken, the others are new and must be contiguous.
            n_taken = int(np.searchsorted(slots, n))
            n_after = n + len(slots) - n_taken
            rises = (slots[1:] > slots[:-1]).all()
            if not rises or n_taken != left or (n_after > n and slots[-1] != n_after - 1):
                raise ValueError("the changes since the anchor do not follow on each other")
            gone.append(at[slots[:n_taken]])
            at[slots] = n_anchored + first + np.arange(entered)
            n = n_after
        return np.concatenate(gone), at[:n]
