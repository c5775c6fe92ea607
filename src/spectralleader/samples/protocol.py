"""The interface of samples, and the changes that they report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, Self

import numpy as np

from spectralleader.arrays import Ints
from spectralleader.documents import Documents
from spectralleader.documents.views import DocumentView


class Change:
    """The effect of one `add` on a sample: the documents that entered, and those that left.

    A document that entered and was replaced within the same `add` is in neither. Documents are
    views until they are read.
    """

    __slots__ = ("chosen", "moved", "n_entered")

    moved: DocumentView  # the documents that entered, then those that left
    n_entered: int
    chosen: Ints  # (n_entered, 2) row in the block and slot of each document that entered

    def __init__(self, moved: DocumentView, n_entered: int, chosen: Ints) -> None:
        self.moved, self.n_entered, self.chosen = moved, n_entered, chosen

    @classmethod
    def of(cls, entered: Documents, left: Documents, slots: Ints) -> Change:
        """Return the change in which these documents entered and left."""
        both = Documents.concatenate([entered, left])
        chosen = np.stack([np.arange(entered.n_docs), slots], axis=1)
        return cls(DocumentView.of(both), entered.n_docs, chosen)

    @property
    def slots(self) -> Ints:
        """The slots of the documents that entered."""
        return self.chosen[:, 1]

    @property
    def n_docs(self) -> int:
        """Number of documents that entered or left."""
        return len(self.moved.bounds)

    @property
    def entered(self) -> Documents:
        """The documents that entered, in the order of their slots."""
        return self.moved.gather(np.arange(self.n_entered))

    @property
    def left(self) -> Documents:
        """The documents that left, in the order of their slots."""
        return self.moved.gather(np.arange(self.n_entered, self.n_docs))

    def renumber(self, new_ids: Ints | None, n_words: int) -> Change:
        """Return the change with renumbered words; `new_ids` is not checked."""
        entered = self.entered.renumber(new_ids, n_words)
        return Change.of(entered, self.left.renumber(new_ids, n_words), self.slots)


class Sample(Protocol):
    """A bounded or unbounded sample of the documents seen, chosen online.

    Its vocabulary is the largest seen so far; documents over fewer words use the first ids.
    """

    @property
    def n_words(self) -> int:
        """Current vocabulary size."""

    @property
    def n_seen(self) -> int:
        """Number of documents seen so far, remembered or not."""

    @property
    def documents(self) -> Documents:
        """The remembered documents, as one block in the order of their slots."""

    def __len__(self) -> int:
        """Return the number of remembered documents."""

    def add(self, documents: Documents) -> Change:
        """Offer a block to the sample; return the documents that entered and left."""

    def merge(self, others: Sequence[Self], rng: np.random.Generator) -> None:
        """Become a sample of everything that this and other samples of equal settings saw."""

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that samples must share to be merged."""

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber word w to ``new_ids[w]``, which is not checked; -1 drops the word.

        With None every word keeps its id, and further words up to n_words are new.
        """

    def to_state(self) -> dict[str, Any]:
        """Return everything needed to continue, as arrays and plain values."""

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the sample that `to_state` described."""
