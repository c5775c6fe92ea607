"""What every sample can do, and what it says of a change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, Self

import numpy as np

from spectralleader.arrays import Ints
from spectralleader.documents import Documents
from spectralleader.documents.views import Scattered


class Change:
    """What one `add` did to a sample: documents that entered and documents that left it.

    A document that entered and was replaced within the same `add` is in neither. They are not
    copied until somebody asks for them.
    """

    __slots__ = ("chosen", "moved", "n_entered")

    moved: Scattered  # those that entered, then those that left
    n_entered: int
    chosen: Ints  # (n_entered, 2) which documents of the block entered, and their places

    def __init__(self, moved: Scattered, n_entered: int, chosen: Ints) -> None:
        self.moved, self.n_entered, self.chosen = moved, n_entered, chosen

    @classmethod
    def of(cls, entered: Documents, left: Documents, places: Ints) -> Change:
        """Return the change in which these documents entered and left."""
        both = Documents.concatenate([entered, left])
        chosen = np.stack([np.arange(entered.n_docs), places], axis=1)
        return cls(Scattered.of(both), entered.n_docs, chosen)

    @property
    def places(self) -> Ints:
        """Of the documents that entered; those that left had the taken ones among them."""
        return self.chosen[:, 1]

    @property
    def n_docs(self) -> int:
        """How many documents moved, in or out."""
        return len(self.moved.bounds)

    @property
    def entered(self) -> Documents:
        """The documents that entered, in the order of their places."""
        return self.moved.gather(np.arange(self.n_entered))

    @property
    def left(self) -> Documents:
        """The documents that left, in the order of their places."""
        return self.moved.gather(np.arange(self.n_entered, self.n_docs))

    def renumber(self, new_ids: Ints | None, n_words: int) -> Change:
        """Return the change with words numbered anew, by numbers that are known to be valid."""
        entered = self.entered.renumber(new_ids, n_words)
        return Change.of(entered, self.left.renumber(new_ids, n_words), self.places)


class Sample(Protocol):
    """A bounded or unbounded memory of the documents seen, chosen online.

    Its vocabulary is the widest that it was made with or shown; the words of documents over fewer
    are the first ones.
    """

    @property
    def n_words(self) -> int:
        """Vocabulary size, at present."""

    @property
    def n_seen(self) -> int:
        """Documents shown to the sample so far, remembered or not."""

    @property
    def documents(self) -> Documents:
        """The remembered documents, as one block in the order of their places."""

    def __len__(self) -> int:
        """Return how many documents are remembered."""

    def add(self, documents: Documents) -> Change:
        """Show the sample a block; return what entered and what left."""

    def merge(self, others: Sequence[Self], rng: np.random.Generator) -> None:
        """Become the sample of all that it and others saw; they have its settings and kind."""

    @property
    def settings(self) -> dict[str, Any]:
        """What samples must have in common to be merged."""

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Give word w the number ``new_ids[w]``, known to be valid; -1 is dropped from documents.

        None: every word keeps its number, and those from there to n_words are new.
        """

    def to_state(self) -> dict[str, Any]:
        """Return all that the sample needs to go on, as arrays and plain values."""

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Rebuild the sample that `to_state` described."""
