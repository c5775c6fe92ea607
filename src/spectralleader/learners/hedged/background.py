"""Background: how often each word was seen, which topics are smoothed with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.checks.states import floats, number
from spectralleader.documents import Documents
from spectralleader.documents.recoding import move_rows
from spectralleader.em.statistics import Statistics
from spectralleader.em.visits import UNSEEN, WEIGHT
from spectralleader.models import TopicModel
from spectralleader.runtime.compiled import kernel

LEAST = 0.05  # words of background in a topic, at least: those of one known word


class Background:
    """Counts of the words seen: the distribution that a topic of no documents has.

    A word seen c times among n has the probability ``(c + 1/2) / (n + d/2)``.
    """

    def __init__(self, n_words: int) -> None:
        self.seen: Floats = np.full(n_words, UNSEEN)  # (d,)
        self.n_seen = UNSEEN * n_words  # their sum

    def copy(self) -> Background:
        """Return the same counts, to be changed on their own."""
        background = Background(1)
        background.seen, background.n_seen = self.seen.copy(), self.n_seen
        return background

    def add(self, documents: Documents) -> None:
        """Count the words of documents."""
        self.n_seen += count_words(self.seen, documents.words, documents.counts)

    def merge(self, others: Sequence[Self]) -> None:
        """Add what others counted."""
        for other in others:
            self.seen = self.seen + (other.seen - UNSEEN)
        self.n_seen = float(self.seen.sum())

    @property
    def words(self) -> Floats:
        """The distribution over words, (d,)."""
        return np.asarray(self.seen / self.n_seen)

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words; new ones were seen no times."""
        self.seen = move_rows(self.seen - UNSEEN, new_ids, n_words) + UNSEEN
        self.n_seen = float(self.seen.sum())

    def to_state(self) -> dict[str, Any]:
        """Return all there is to it."""
        return {"seen": self.seen.copy(), "n_seen": self.n_seen}

    @classmethod
    def from_state(cls, state: dict[str, Any], n_words: int) -> Background:
        """Rebuild what `to_state` described, over that many words."""
        background = cls(1)
        background.seen = floats(state, "seen", (n_words,), UNSEEN)
        background.n_seen = number(state, "n_seen", UNSEEN)
        away = abs(background.n_seen - float(background.seen.sum()))
        if away > 1e-6 * background.n_seen:  # rounding is much less
            raise ValueError(f"n_seen must be the sum of what was seen, is {away:g} off")
        return background


def smooth(statistics: Statistics, background: Floats, strength: float) -> TopicModel:
    """Return the model of the statistics, each topic with `strength` words of background."""
    # one layout, whether they are on their own or among others': the kernel is compiled once
    words, totals = map(np.ascontiguousarray, (statistics.words, statistics.totals))
    arrays = (words, totals, statistics.scale)
    return TopicModel.trusted(*smoothed(*arrays, background, strength))


@kernel
def smoothed(
    words: Floats, totals: Floats, scale: float, background: Floats, strength: float
) -> tuple[Floats, Floats]:
    """Return weights, (K,), and topics, (K, d).

    ``scale * totals[0] + WEIGHT / K`` and ``scale * words.T + strength * background``, each row
    divided by its sum.
    """
    n_words, n_topics = words.shape
    weights, topics, n_docs = np.empty(n_topics), np.empty((n_topics, n_words)), 0.0
    for k in range(n_topics):
        weights[k] = scale * totals[0, k] + WEIGHT / n_topics
        n_docs += weights[k]
        row, total = topics[k], 0.0
        for w in range(n_words):
            row[w] = scale * words[w, k] + strength * background[w]
            total += row[w]
        for w in range(n_words):
            row[w] /= total
    for k in range(n_topics):
        weights[k] /= n_docs
    return weights, topics


@kernel
def count_words(out: Floats, words: WordIds, counts: Floats) -> float:
    """``np.add.at(out, words, counts)``; return the sum."""
    total = 0.0
    for j in range(len(words)):
        out[words[j]] += counts[j]
        total += counts[j]
    return total
