"""Offline: a method for all documents at once, as a learner that remembers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from spectralleader.arrays import Ints
from spectralleader.checks.states import check_same, part, take, truth
from spectralleader.documents import Documents
from spectralleader.documents.recoding import check_recoding
from spectralleader.learners.protocol import (
    Predictive,
    check_block,
    check_n_topics,
    check_seed,
    check_vocabulary,
    sizes_of,
)
from spectralleader.models import TopicModel
from spectralleader.runtime.blas import ONE_BLAS_THREAD
from spectralleader.runtime.guard import Guarded, changing
from spectralleader.samples import Everything

Info = TypeVar("Info")


class Offline(Guarded, Generic[Info]):
    """A learner by remembering: every document is kept, and a model read is solved for from all.

    Memory grows with the stream, and a model costs a solution from scratch: for reference, not for
    streams. `fit` is the usual way to use it. A subclass says how to solve (`_solve`) and names the
    arguments of its constructor (`parameters`).
    """

    parameters: tuple[str, ...] = ("n_topics", "n_words", "seed")

    def __init__(self, n_topics: int, n_words: int | None, seed: int, n_known: int = 1) -> None:
        self.n_topics = check_n_topics(n_topics)
        self.n_words, self.grows = check_vocabulary(n_words, n_known)
        self.seed = check_seed(seed)
        self._memory = Everything(n_words=self.n_words)
        self._solution: tuple[TopicModel, Info] | None = None  # of the documents so far

    def _solve(self, documents: Documents) -> tuple[TopicModel, Info]:
        """Return the model of the documents, and what a person wants to know of it."""
        raise NotImplementedError

    def fit(self, documents: Documents) -> Self:
        """Learn these documents, in place of all learned before; words that were known stay."""
        check_block(documents, self.n_words, grows=self.grows)
        with changing(self):
            self._memory = Everything(n_words=self.n_words)
            self._solution = None
            self._learn(documents)
        return self

    def learn(self, documents: Documents) -> None:
        """Remember the block."""
        block = check_block(documents, self.n_words, grows=self.grows)
        with changing(self):
            self._learn(block)

    def _learn(self, block: Documents) -> None:
        if self._memory.add(block).n_docs > 0:
            self._solution = None
        if block.n_words > self.n_words:
            self._recode(None, block.n_words)

    def recode(self, new_ids: ArrayLike | None, n_words: int) -> None:
        """Renumber the words of the remembered documents; -1 is dropped from them."""
        ids, n_words = check_recoding(new_ids, self.n_words, n_words)
        with changing(self):
            self._recode(ids, n_words)

    def _recode(self, new_ids: Ints | None, n_words: int) -> None:
        self._memory.recode(new_ids, n_words)
        self._solution = None
        self.n_words = n_words

    @property
    def is_empty(self) -> bool:
        """Whether nothing was learned yet."""
        return len(self._memory) == 0

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that learners must share to be merged."""
        return {n: getattr(self, n) for n in self.parameters if n not in ("n_words", "seed")}

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
    def predictive(self) -> Predictive:
        """The model."""
        return self.model

    @property
    def info(self) -> Info:
        """How the model came about."""
        return self._solved()[1]

    def to_state(self) -> dict[str, Any]:
        """Return everything needed to continue."""
        parameters = {name: getattr(self, name) for name in self.parameters}
        return {**parameters, "grows": self.grows, "memory": self._memory.to_state()}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the learner that `to_state` described."""
        memory = Everything.from_state(part(state, "memory"))
        check_same("n_words of the memory", memory.n_words, sizes_of(state)[1])
        learner = cls(**{name: take(state, name) for name in cls.parameters})
        learner.grows = truth(state, "grows")
        learner._memory = memory
        return learner
