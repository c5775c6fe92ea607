"""Offline: a method for all documents at once, as a learner that remembers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, Self, TypeVar

import numpy as np

from spectralleader.arrays import Ints
from spectralleader.checks.states import check_same, part
from spectralleader.documents import Documents
from spectralleader.learners.checked import CheckedLearner
from spectralleader.learners.protocol import check_block
from spectralleader.models import TopicModel
from spectralleader.runtime.blas import ONE_BLAS_THREAD
from spectralleader.runtime.guard import changing
from spectralleader.samples import Everything

Info = TypeVar("Info")


class Offline(CheckedLearner, Generic[Info]):
    """A learner by remembering: every document is kept, and a model read is solved for from all.

    Memory grows with the stream, and a model costs a solution from scratch: for reference, not for
    streams. `fit` is the usual way to use it. A subclass says how to solve (`_solve`).
    """

    def __init__(self, n_topics: int, n_words: int | None, seed: int, n_known: int = 1) -> None:
        super().__init__(n_topics, n_words, seed, n_known)
        self._memory = Everything(n_words=self.n_words)
        self._solution: tuple[TopicModel, Info] | None = None  # of the documents so far

    def _solve(self, documents: Documents) -> tuple[TopicModel, Info]:
        """Return the model of the documents, and what a person wants to know of it."""
        raise NotImplementedError

    def fit(self, documents: Documents) -> Self:
        """Learn these documents, in place of all learned before; words that were known stay."""
        check_block(documents, self.n_words, grows=self.grows)
        with changing(self):
            self._memory, self._solution = Everything(n_words=self.n_words), None
        self.learn(documents)
        return self

    def _learn(self, block: Documents) -> None:
        if self._memory.add(block).n_docs > 0:
            self._solution = None

    def _recode(self, new_ids: Ints | None, n_words: int) -> None:
        super()._recode(new_ids, n_words)
        self._memory.recode(new_ids, n_words)
        self._solution = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing was learned yet."""
        return len(self._memory) == 0

    def merge(self, others: Sequence[Self], rng: np.random.Generator) -> None:
        """Remember also what others do."""
        with changing(self):
            self._memory.merge([other._memory for other in others], rng)
            self._solution = None

    def _solved(self) -> tuple[TopicModel, Info]:
        if self._solution is None:
            with ONE_BLAS_THREAD:
                self._solution = self._solve(self._memory.documents)
        return self._solution

    @property
    def model(self) -> TopicModel:
        """The model of all documents learned."""
        return self._solved()[0]

    @property
    def info(self) -> Info:
        """How the model came about."""
        return self._solved()[1]

    def to_state(self) -> dict[str, Any]:
        """Return everything needed to continue."""
        return {**super().to_state(), "memory": self._memory.to_state()}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the learner that `to_state` described."""
        memory = Everything.from_state(part(state, "memory"))
        learner = super().from_state(state)
        check_same("n_words of the memory", memory.n_words, learner.n_words)
        learner._memory = memory
        return learner
