"""OnlineEM: what the online forms of EM share."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from spectralleader.arrays import Ints
from spectralleader.checks.states import part, take, whole
from spectralleader.documents import Documents
from spectralleader.em.start import (
    Start,
    check_concentration,
    check_smoothing,
    make_start,
    n_known_words,
    recode_start,
)
from spectralleader.em.statistics import Statistics, with_words
from spectralleader.learners.checked import CheckedLearner
from spectralleader.learners.protocol import sizes_of
from spectralleader.models import TopicModel


class OnlineEM(CheckedLearner):
    """A start, running statistics, and the model that the M-step reads off them.

    A subclass says how a block changes the statistics (`_update`); `parameters` are the arguments
    of its constructor but the start.

    A word that is new after the first update has not occurred: it has the smoothing's pseudo-count.
    One that is new before is drawn into the start.
    """

    parameters = (*CheckedLearner.parameters, "smoothing")
    has_differences = False  # whether the statistics may be negative

    def __init__(
        self, n_topics: int, n_words: int | None, seed: int, start: Start, smoothing: float
    ) -> None:
        super().__init__(n_topics, n_words, seed, n_known_words(start))
        self.smoothing = check_smoothing(smoothing)
        self.n_updates = 0
        start_model = make_start(start, n_topics, self.n_words, seed)
        self._concentration = np.inf if isinstance(start, TopicModel) else float(start)
        self._model: TopicModel | None = start_model  # None: to be read off the statistics
        self._statistics = Statistics.one_document(start_model, 1.0)

    def _update(self, block: Documents) -> None:
        """Take a block of documents, all of which have words, into the statistics."""
        raise NotImplementedError

    def _learn(self, documents: Documents) -> None:
        block = with_words(documents)
        if block.n_docs == 0:
            return
        if self.n_updates == 0:  # how long a document is, is known only now
            length = float(block.counts.sum()) / block.n_docs
            self._statistics = Statistics.one_document(self.model, length)
        self._update(block)
        self.n_updates += 1
        self._model = None

    def _recode(self, new_ids: Ints | None, n_words: int) -> None:
        if self.n_updates == 0:
            seed = [self.seed, self.n_words, n_words]
            start = recode_start(self.model, new_ids, n_words, self._concentration, seed)
            self._model, self._statistics = start, Statistics.one_document(start, 1.0)
        else:
            self._model = None
            self._statistics.recode(new_ids, n_words)
        super()._recode(new_ids, n_words)

    @property
    def _pseudo_count(self) -> float:
        """The smoothing, in the unit of the statistics."""
        return self.smoothing

    @property
    def model(self) -> TopicModel:
        """The M-step of the statistics; before the first document, the start."""
        if self._model is None:
            self._model = self._statistics.maximise(self._pseudo_count)
        return self._model

    def to_state(self) -> dict[str, Any]:
        """Return everything needed to continue."""
        return {
            **super().to_state(),
            "start": self.model.to_state() if self.n_updates == 0 else None,
            "concentration": self._concentration,
            "n_updates": self.n_updates,
            "statistics": self._statistics.to_state(),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the learner that `to_state` described."""
        sizes, n_updates = sizes_of(state), whole(state, "n_updates")
        statistics = Statistics.from_state(part(state, "statistics"), *sizes)
        if not cls.has_differences:  # rounded below 0 in older files, and in files that lie
            for sums in (statistics.totals, statistics.words):
                np.maximum(sums, 0.0, out=sums)
        if n_updates == 0:
            start = TopicModel.from_state(part(state, "start"))
        else:
            start = TopicModel.uniform(*sizes)  # long forgotten
        learner = cls._made(state, start=start)
        learner.n_updates = n_updates
        concentration = take(state, "concentration")
        if concentration != np.inf:  # of a given start
            concentration = check_concentration(concentration)
        learner._concentration = concentration
        learner._statistics = statistics
        learner._model = start if n_updates == 0 else None
        return learner
