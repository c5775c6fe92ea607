"""Background: how often each word was seen, which topics are smoothed with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from spectralleader.compiled import kernel
from spectralleader.documents import Documents, Floats, Ints, WordIds
from spectralleader.learners.statistics import Statistics
from spectralleader.model import TopicModel
from spectralleader.recoding import move_rows
from spectralleader.states import floats, number

WEIGHT = 1.0  # pseudo-documents that the topics share


class Background:
    """Counts of the words seen: the distribution that a topic of no documents has.

    A word seen c times among n has the probability ``(c + 1/2) / (n + d/2)``.
    """

    def __init__(self, n_words: int) -> None:
        self.counts: Floats = np.zeros(n_words)
        self.total = 0.0

    def add(self, documents: Documents) -> None:
        """Count the words of documents."""
        count_words(self.counts, documents.words, documents.counts)
        self.total += float(documents.counts.sum())

    def merge(self, others: Sequence[Self]) -> None:
        """Add what others counted."""
        for other in others:
            self.counts = self.counts + other.counts
            self.total += other.total

    @property
    def words(self) -> Floats:
        """The distribution over words, (d,)."""
        return np.asarray((self.counts + 0.5) / (self.total + 0.5 * len(self.counts)))

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words; new ones were seen no times."""
        self.counts = move_rows(self.counts, new_ids, n_words)
        self.total = float(self.counts.sum())

    def to_state(self) -> dict[str, Any]:
        """Return all there is to it."""
        return {"counts": self.counts.copy(), "total": self.total}

    @classmethod
    def from_state(cls, state: dict[str, Any], n_words: int) -> Background:
        """Rebuild what `to_state` described, over that many words."""
        background = cls(1)
        background.counts = floats(state, "counts", (n_words,), 0.0)
        background.total = number(state, "total", 0.0)
        away = abs(background.total - float(background.counts.sum()))
        if away > 1e-6 * background.total:  # rounding is much less
            raise ValueError(f"total must be the sum of the counts, is {away:g} off")
        return background


def smooth(statistics: Statistics, background: Floats, strength: float) -> TopicModel:
    """Return the model of the statistics, each topic with `strength` words of background."""
    words = statistics.scale * np.maximum(statistics.words.T, 0.0) + strength * background
    return TopicModel.trusted(smooth_weights(statistics), words / words.sum(axis=1, keepdims=True))


def smooth_weights(statistics: Statistics) -> Floats:
    """Return the topics' weights, one pseudo-document shared among them."""
    return share_documents(statistics.totals, statistics.scale)


@kernel
def share_documents(totals: Floats, scale: float) -> Floats:
    """``(scale * totals[0] + WEIGHT / K) / sum``; below zero counts as zero."""
    weights = np.maximum(totals[0], 0.0) * scale + WEIGHT / totals.shape[1]
    shares: Floats = weights / weights.sum()
    return shares


@kernel
def count_words(out: Floats, words: WordIds, counts: Floats) -> None:
    """``np.add.at(out, words, counts)``."""
    for j in range(len(words)):
        out[words[j]] += counts[j]
