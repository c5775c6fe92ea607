"""Window: the last documents seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from spectralleader.documents import Documents, Ints
from spectralleader.samples.interleaving import interleave, take_turns
from spectralleader.samples.places import Places
from spectralleader.samples.protocol import Change
from spectralleader.samples.shortening import check_budget, check_capacity, shorten_rows
from spectralleader.states import check_same, part, whole


class Window:
    """The last `capacity` documents: a learner that remembers these follows a drifting stream.

    At most `budget` different words are remembered, as in `Reservoir`: of a document with more than
    its share a random part.

    Examples
    --------
    >>> window = Window(2, n_words=3)
    >>> change = window.add(Documents.from_tokens([[0], [1], [2]], n_words=3))
    >>> sorted(window.documents.words.tolist())
    [1, 2]
    """

    def __init__(self, capacity: int, *, n_words: int = 1, budget: int | None = None) -> None:
        self.capacity = check_capacity(capacity)
        self.budget = check_budget(budget, self.capacity)
        self._most = self.budget // self.capacity  # different words of a document
        self.n_seen = 0
        self._places = Places(n_words)

    def __len__(self) -> int:
        return len(self._places)

    @property
    def n_words(self) -> int:
        """Vocabulary size, at present."""
        return self._places.n_words

    @property
    def documents(self) -> Documents:
        """The remembered documents, in the order of their places."""
        return self._places.documents()

    def last(self, n: int) -> Documents:
        """Return the last n of the remembered documents, the oldest first."""
        n = min(n, len(self))
        return self._places.at(np.arange(self.n_seen - n, self.n_seen) % self.capacity)

    def add(self, documents: Documents) -> Change:
        """Show the window a block; return what entered and what left."""
        n_docs = documents.n_docs
        rows = np.arange(max(0, n_docs - self.capacity), n_docs)  # earlier ones are out again
        places = (self.n_seen + rows) % self.capacity
        order = np.argsort(places)
        rows = rows[order]
        if len(documents.words) > self._most:  # else no document is long
            documents, rows = shorten_rows(documents, rows, self.n_seen, self._most)
        change = self._places.put(documents, rows, places[order])
        self.n_seen += n_docs
        return change

    def undo(self, change: Change, n_docs: int) -> None:
        """Take back the last `add`, of so many documents."""
        self._places.undo(change)
        self.n_seen -= n_docs

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
        places = np.arange(self.n_seen - len(turns), self.n_seen) % self.capacity
        self._places = Places.of(take_turns(newest, turns).take(np.argsort(places)))

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words of the remembered documents, see `Sample`."""
        self._places.recode(new_ids, n_words)

    @property
    def settings(self) -> dict[str, Any]:
        """What samples must have in common to be merged."""
        return {"capacity": self.capacity, "budget": self.budget}

    def to_state(self) -> dict[str, Any]:
        """Return all that the window needs to go on."""
        return {
            "capacity": self.capacity,
            "budget": self.budget,
            "n_seen": self.n_seen,
            "places": self._places.to_state(),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Window:
        """Rebuild the window that `to_state` described."""
        places = Places.from_state(part(state, "places"))
        capacity, n_seen = whole(state, "capacity", 1), whole(state, "n_seen")
        check_same("documents remembered", len(places), min(n_seen, capacity))
        budget = state.get("budget")  # older files have none: the default
        window = cls(capacity, n_words=places.n_words, budget=budget)
        window.n_seen = n_seen
        window._places = places
        return window
