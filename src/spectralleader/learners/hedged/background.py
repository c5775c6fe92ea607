"""Background: word counts that topics are smoothed with; AveragedTopics, which `model` reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import MOST, floats, number, whole
from spectralleader.documents import Documents
from spectralleader.documents.recoding import move_rows
from spectralleader.em.columns import UNSEEN, WEIGHT, Columns
from spectralleader.em.statistics import Statistics, mode
from spectralleader.learners.hedged.settings import SETTINGS
from spectralleader.models import TopicModel
from spectralleader.runtime.compiled import in_place

LEAST = 0.05  # minimum pseudo-words of background per topic: those of a vocabulary of one word


def fit_strength(n_tokens: float, n_topics: int, n_words: int) -> float:
    """Return the pseudo-words of background per topic with which EM fits.

    A rule of the documents, not a choice: a strength chosen with few documents is heavy, and
    statistics fitted with it prefer a heavy one again, until few topics are better than many.
    """
    share = SETTINGS.fit_share * n_tokens / max(1, n_topics)
    return max(LEAST, min(share, SETTINGS.fit_most * n_words))


class Background(Saved):
    """Word counts of the stream, which also define the topic of no documents.

    A word with count c of n has the probability ``(c + 1/2) / (n + d/2)``. Topics are smoothed with
    the square roots of the counts: a rare word is less certain to be of one topic.
    """

    saved = fields(
        seen=field(floats, shape=("n_words",), least=UNSEEN), n_seen=field(number, least=UNSEEN)
    )

    def __init__(self, n_words: int) -> None:
        self.seen: Floats = np.full(n_words, UNSEEN)  # (d,)
        self.n_seen = UNSEEN * n_words  # their sum
        self._set_roots()

    def _set_roots(self) -> None:
        self.roots: Floats = np.sqrt(self.seen)  # (d,)
        self.n_roots = float(self.roots.sum())

    def copy(self) -> Background:
        """Return an independent copy."""
        background = Background(1)
        background.seen, background.n_seen = self.seen.copy(), self.n_seen
        background.roots, background.n_roots = self.roots.copy(), self.n_roots
        return background

    def add(self, documents: Documents) -> None:
        """Count the words of documents."""
        self.n_seen += count_words(self.seen, self.roots, documents.words, documents.counts)
        # Summed again, not updated: rounding must depend on the counts alone, not on their history.
        self.n_roots = float(np.add.reduce(self.roots))

    def merge(self, others: Sequence[Self]) -> None:
        """Add the counts of others."""
        for other in others:
            # Each part contains the pseudo-counts; the result must contain them once.
            self.seen = self.seen + (other.seen - UNSEEN)
        self.n_seen = float(self.seen.sum())
        self._set_roots()

    @property
    def prior(self) -> Floats:
        """The distribution over words that topics are smoothed with, (d,)."""
        return np.asarray(self.roots / self.n_roots)

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words; new words have count 0."""
        # `move_rows` fills new rows with zeros, so that the pseudo-counts are added afterwards.
        self.seen = move_rows(self.seen - UNSEEN, new_ids, n_words) + UNSEEN
        self.n_seen = float(self.seen.sum())
        self._set_roots()

    def _loaded(self) -> None:
        self._set_roots()
        away = abs(self.n_seen - float(self.seen.sum()))
        if away > 1e-6 * self.n_seen:  # rounding is much less
            raise ValueError(f"n_seen must be the sum of what was seen, is {away:g} off")


def smooth(columns: Columns, background: Floats, strength: float, scale: float = 1.0) -> TopicModel:
    """Return the model of `scale` times the statistics, with `strength` pseudo-words per topic."""
    K, topics = columns.n_topics, slice(columns.first, columns.first + columns.n_topics)
    n_docs = scale * columns.totals[0, topics]
    # A topic without documents is closed, as in `em.columns.m_step`.
    weights = np.where(n_docs > 0.0, n_docs + WEIGHT / K, 0.0)
    weights = weights if weights.any() else np.ones(K)
    return mode(weights, scale * columns.words[:, topics], strength * background)


@in_place
def count_words(seen: Floats, roots: Floats, words: WordIds, counts: Floats) -> float:
    """``np.add.at(seen, words, counts); roots[:] = np.sqrt(seen)``; return the sum of counts."""
    total = 0.0
    for j in range(len(words)):
        w = words[j]
        seen[w] += counts[j]
        roots[w] = np.sqrt(seen[w])
        total += counts[j]
    return total


class AveragedTopics(Saved):
    """The reservoir's topics, averaged over the last part of the stream.

    It is updated whenever the stream has grown by a step, so that topics keep their words, and
    reading them in between costs nothing.
    """

    saved = fields(
        statistics=Statistics,
        background=Background,
        strength=field(number, least=LEAST, most=MOST),
        n_docs=whole,
    )

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
