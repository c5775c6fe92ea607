"""BatchEM: EM over all documents to convergence, with several random starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.checks import check_whole, is_number
from spectralleader.checks.states import take
from spectralleader.documents import Documents
from spectralleader.em.start import (
    Start,
    check_smoothing,
    check_start,
    make_start,
    n_known_words,
    start_from_state,
    start_to_state,
)
from spectralleader.em.statistics import with_words
from spectralleader.em.steps import em_step, objective
from spectralleader.learners.offline import Offline
from spectralleader.learners.protocol import MAX_ITERATIONS, MAX_RESTARTS
from spectralleader.models import TopicModel
from spectralleader.runtime.interrupts import raise_if_interrupted


@dataclass(frozen=True)
class Ascent:
    """The convergence of EM from its best start."""

    objectives: Floats  # at the start and after each iteration, never decreasing; see `objective`
    converged: bool  # whether the last iteration gained less than the tolerance


class BatchEM(Offline[Ascent]):
    """EM over all documents from several starts; the likeliest model is kept.

    Every iteration passes over all documents and never lowers their log-likelihood plus the prior
    of the smoothing (see `em.steps.objective`). As a learner it remembers every document, so that
    memory grows with the stream.

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

    Examples
    --------
    >>> documents = Documents.from_tokens([[0, 0, 0], [1, 1, 1], [0, 0, 0]], n_words=2)
    >>> method = BatchEM(n_topics=2, n_words=2).fit(documents)
    >>> sorted(method.model.weights.round(2).tolist()), method.info.converged
    ([0.33, 0.67], True)
    """

    parameters = (*Offline.parameters, "smoothing", "n_restarts", "n_iterations", "tolerance")

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

    def to_state(self) -> dict[str, Any]:
        """Return everything needed to continue."""
        return {**super().to_state(), "start": start_to_state(self.start)}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the learner that `to_state` described."""
        learner = super().from_state(state)
        learner.start = start_from_state(take(state, "start"), learner.n_topics, learner.n_words)
        return learner
