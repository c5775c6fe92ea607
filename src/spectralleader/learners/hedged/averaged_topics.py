"""AveragedTopics: the topics of `model`, an average over the recent part of the stream."""

from __future__ import annotations

from typing import Any

from spectralleader.arrays import Ints
from spectralleader.checks.states import MOST, number, part, whole
from spectralleader.em.statistics import Statistics
from spectralleader.learners.hedged.background import LEAST, Background, smooth
from spectralleader.learners.hedged.settings import SETTINGS
from spectralleader.models import TopicModel


class AveragedTopics:
    """The reservoir's topics, averaged over the last part of the stream.

    It is updated whenever the stream has grown by a step, so that topics keep their words, and
    reading them in between costs nothing.
    """

    def __init__(
        self, statistics: Statistics, background: Background, strength: float, n_docs: int
    ) -> None:
        # A copy: word counts continue, but `model` must not change between two updates.
        self.statistics, self.background = statistics, background.copy()
        self.strength = strength  # words of background in each topic
        self.n_docs = n_docs  # learned at the last update
        self._model: TopicModel | None = None

    @property
    def model(self) -> TopicModel:
        """The averaged topics as a model."""
        if self._model is None:
            columns = self.statistics.columns
            self._model = smooth(columns, self.background.prior, self.strength)
        return self._model

    def updated(
        self, current: Statistics, background: Background, strength: float, n_docs: int
    ) -> AveragedTopics:
        """Return the average updated with the current topics."""
        # An exponential average over `inertia` times the stream; its memory grows with the stream.
        average, rate = self.statistics, (n_docs - self.n_docs) / (SETTINGS.inertia * n_docs)
        rate = min(1.0, rate)
        # Rescaled to the documents learned, which are more by now: the rate is then exact.
        n_now, n_then = float(current.totals[0].sum()), float(average.totals[0].sum())
        kept = (1.0 - rate) * n_now / max(1.0, n_then)
        totals = kept * average.totals + rate * current.totals
        words = kept * average.words
        words += rate * current.words
        return AveragedTopics(Statistics(totals, words), background, strength, n_docs)

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words."""
        self.statistics.recode(new_ids, n_words)
        self.background.recode(new_ids, n_words)
        self._model = None

    def to_state(self) -> dict[str, Any]:
        """Return the state."""
        return {
            "statistics": self.statistics.to_state(),
            "background": self.background.to_state(),
            "strength": self.strength,
            "n_docs": self.n_docs,
        }

    @classmethod
    def from_state(cls, state: dict[str, Any], n_topics: int, n_words: int) -> AveragedTopics:
        """Return what `to_state` described, of that size."""
        statistics = Statistics.from_state(part(state, "statistics"), n_topics, n_words, 0.0)
        background = Background.from_state(part(state, "background"), n_words)
        return cls(
            statistics, background, number(state, "strength", LEAST, MOST), whole(state, "n_docs")
        )
