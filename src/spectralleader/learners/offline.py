"""Offline methods for all documents at once, as learners that remember: BatchEM, SpectralMethod."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.checks import check_whole, is_number
from spectralleader.checks.saved import fields
from spectralleader.checks.states import check_same, take
from spectralleader.documents import Documents
from spectralleader.em.start import (
    Start,
    check_smoothing,
    check_start,
    make_start,
    n_known_words,
    read_start,
)
from spectralleader.em.statistics import em_step, objective, with_words
from spectralleader.learners.learner_base import LearnerBase
from spectralleader.learners.passes import solve
from spectralleader.learners.protocol import MAX_ITERATIONS, MAX_RESTARTS, check_block
from spectralleader.learners.summaries import InMemory
from spectralleader.models import TopicModel
from spectralleader.runtime.blas import ONE_BLAS_THREAD
from spectralleader.runtime.interrupts import raise_if_interrupted
from spectralleader.runtime.locks import changing, locked
from spectralleader.samples import Everything
from spectralleader.spectral import Estimate

Info = TypeVar("Info")


class Offline(LearnerBase, Generic[Info]):
    """A learner by remembering: every document is kept, and a model read is solved for from all.

    Memory grows with the stream, and a model costs a solution from scratch: for reference, not for
    streams. `fit` is the usual way to use it. A subclass says how to solve (`_solve`).
    """

    saved = fields(LearnerBase.saved, _memory=Everything)

    def __init__(self, n_topics: int, n_words: int | None, seed: int, n_known: int = 1) -> None:
        super().__init__(n_topics, n_words, seed, n_known)
        self._memory = Everything(n_words=self.n_words)
        self._solution: tuple[TopicModel, Info] | None = None  # of the documents so far

    def _solve(self, documents: Documents) -> tuple[TopicModel, Info]:
        """Return the model of the documents, and what a person wants to know of it."""
        raise NotImplementedError

    @locked
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
    @locked
    def is_empty(self) -> bool:
        """Whether nothing was learned yet."""
        return len(self._memory) == 0

    @locked
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
    @locked
    def info(self) -> Info:
        """How the model came about."""
        return self._solved()[1]

    def _loaded(self) -> None:
        check_same("n_words of the memory", self._memory.n_words, self.n_words)


@dataclass(frozen=True)
class Ascent:
    """The convergence of EM from its best start."""

    objectives: Floats  # at the start and after each iteration, never decreasing; see `objective`
    converged: bool  # whether the last iteration gained less than the tolerance


class BatchEM(Offline[Ascent]):
    """EM over all documents from several starts, of which the best is kept; offline.

    Every iteration passes over all documents and never lowers their log-likelihood plus the prior
    of the smoothing (see `em.statistics.objective`). As a learner it remembers every document, so
    that memory grows with the stream.

    Parameters
    ----------
    n_topics : int
        Number of topics, K.
    n_words : int, optional
        Vocabulary size, d. If omitted, it grows with the stream.
    seed : int
        Random seed of the starts.
    start : float or TopicModel
        Concentration of random Dirichlet topics, or a model to start from.
    smoothing : float
        Pseudo-count of every word in every topic, relative to the counts of a mean document.
    n_restarts : int
        Number of random starts.
    n_iterations : int
        Maximum number of iterations per start.
    tolerance : float
        Stop if an iteration gains less than this, in nats per document.

    Notes
    -----
    Memory: 12 per distinct word of each document: grows with the stream.

    Merging: all documents, concatenated.

    Examples
    --------
    >>> documents = Documents.from_tokens([[0, 0, 0], [1, 1, 1], [0, 0, 0]], n_words=2)
    >>> method = BatchEM(n_topics=2, n_words=2).fit(documents)
    >>> sorted(method.model.weights.round(2).tolist()), method.info.converged
    ([0.33, 0.67], True)
    """

    # Numbers are checked by the constructor.
    saved = fields(
        Offline.saved,
        start=read_start,
        smoothing=take,
        n_restarts=take,
        n_iterations=take,
        tolerance=take,
    )

    def __init__(
        self,
        n_topics: int,
        *,
        n_words: int | None = None,
        seed: int = 0,
        start: Start = 10.0,
        smoothing: float = 1e-5,
        n_restarts: int = 3,
        n_iterations: int = 200,
        tolerance: float = 1e-6,
    ) -> None:
        super().__init__(n_topics, n_words, seed, n_known_words(start))
        self.start = check_start(start, n_topics, self.n_words)
        self.smoothing = check_smoothing(smoothing)
        self.n_restarts = check_whole("n_restarts", n_restarts, 1, MAX_RESTARTS)
        self.n_iterations = check_whole("n_iterations", n_iterations, 1, MAX_ITERATIONS)
        if not is_number(tolerance) or not tolerance >= 0.0:
            raise ValueError(f"tolerance must be a number, not negative; got {tolerance!r}")
        self.tolerance = float(tolerance)

    def _solve(self, documents: Documents) -> tuple[TopicModel, Ascent]:
        starts = self._starts()
        documents = with_words(documents)
        if documents.n_docs == 0:
            return starts[0], Ascent(np.zeros(0), converged=True)
        ascents = [self._climb(documents, start) for start in starts]
        return max(ascents, key=lambda ascent: float(ascent[1].objectives[-1]))

    def _starts(self) -> list[TopicModel]:
        n_starts = 1 if isinstance(self.start, TopicModel) else self.n_restarts
        return [
            make_start(self.start, self.n_topics, self.n_words, [self.seed, i])
            for i in range(n_starts)
        ]

    def _recode(self, new_ids: Ints | None, n_words: int) -> None:
        super()._recode(new_ids, n_words)
        if isinstance(self.start, TopicModel):
            self.start = self.start.recode(new_ids, n_words)

    def _climb(self, documents: Documents, model: TopicModel) -> tuple[TopicModel, Ascent]:
        """Iterate EM from a model to convergence."""
        objectives = [objective(documents, model, self.smoothing)]
        gain = np.inf
        while gain >= self.tolerance and len(objectives) <= self.n_iterations:
            raise_if_interrupted()
            model = em_step(documents, model, self.smoothing)
            objectives.append(objective(documents, model, self.smoothing))
            gain = objectives[-1] - objectives[-2]
        return model, Ascent(np.array(objectives), converged=bool(gain < self.tolerance))


class SpectralMethod(Offline[Estimate]):
    """The spectral method on all documents: theta* where the truth is unknown; offline.

    One run of `estimate` (Anandkumar et al. 2014); `info` has its diagnostics. As a learner it
    remembers every document, so memory grows with the stream; `spectralleader.engines.dask` and
    `spectralleader.engines.spark` find the same model where documents are on many machines.

    Parameters
    ----------
    n_topics : int
        Number of topics, K.
    n_words : int, optional
        Vocabulary size, d. If omitted, it grows with the stream.
    seed : int
        Of the power method's starts.
    n_polish : int
        Iterations of EM afterwards: topics that predict better, no longer the moments' own.

    Notes
    -----
    Memory: 12 per distinct word of each document: grows with the stream.

    Merging: all documents, concatenated.

    Examples
    --------
    >>> documents = Documents.from_tokens([[0, 0, 0], [1, 1, 1], [0, 0, 0]], n_words=2)
    >>> method = SpectralMethod(n_topics=2, n_words=2).fit(documents)
    >>> sorted(method.model.weights.round(2).tolist()), method.info.n_usable
    ([0.33, 0.67], 2)
    """

    saved = fields(Offline.saved, n_polish=take)

    def __init__(
        self, n_topics: int, *, n_words: int | None = None, seed: int = 0, n_polish: int = 0
    ) -> None:
        super().__init__(n_topics, n_words, seed)
        self.n_polish = check_whole("n_polish", n_polish, 0, MAX_ITERATIONS)

    def _solve(self, documents: Documents) -> tuple[TopicModel, Estimate]:
        partitions = InMemory([documents], documents.n_words)
        solution = solve(partitions, self.n_topics, seed=self.seed, n_polish=self.n_polish)
        return solution.model, solution.estimate
