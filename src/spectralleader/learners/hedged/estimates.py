"""Estimates: stacked sufficient statistics of several sets of topics."""

from __future__ import annotations

from typing import Any

import numpy as np

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.checks.states import parts
from spectralleader.documents import Documents
from spectralleader.em.columns import Columns, add_document
from spectralleader.em.statistics import SMALLEST_SCALE, Statistics
from spectralleader.runtime.compiled import in_place


class Estimates:
    """Sufficient statistics of several estimates of K topics, with one row per word.

    Estimate i is `scales[i]` times the columns i K to (i + 1) K. All estimates can thus be
    evaluated in one pass over a document, and each can decay at its own rate.
    """

    def __init__(self, n_tables: int, n_topics: int, n_words: int) -> None:
        self.n_topics = n_topics
        self.scales: Floats = np.ones(n_tables)
        self.stacked = Statistics.zero(n_tables * n_topics, n_words)

    def view(self, i: int) -> Statistics:
        """Return a view of the statistics of estimate i."""
        at = slice(i * self.n_topics, (i + 1) * self.n_topics)
        return Statistics(
            self.stacked.totals[:, at], self.stacked.words[:, at], float(self.scales[i])
        )

    def __getitem__(self, i: int) -> Statistics:
        """Return a copy of the statistics of estimate i, with scale 1."""
        shared = self.view(i)
        return Statistics(shared.scale * shared.totals, shared.scale * shared.words)

    def __setitem__(self, i: int, statistics: Statistics) -> None:
        """Replace estimate i."""
        shared = self.view(i)
        shared.totals[:], shared.words[:] = statistics.totals, statistics.words
        self.scales[i] = statistics.scale

    def learn(
        self, documents: Documents, topic_likelihoods: Floats, weights: Floats, keep: Floats
    ) -> None:
        """Let the last ``len(keep)`` estimates decay and learn documents.

        Each is multiplied by ``keep ** n_docs``. The topic likelihoods are P(words | topic) of each
        model, up to a factor per row, (n_docs, n_models, K); the first model of an estimate is its
        own.
        """
        arrays = (documents.indptr, documents.words, documents.counts)
        stacked = (self.stacked.words, self.stacked.totals, self.scales)
        learned, room = (topic_likelihoods, weights, keep), np.empty((2, len(keep) * self.n_topics))
        if learn_posteriors(*arrays, *stacked, *learned, room) < SMALLEST_SCALE:
            # A pass over the vocabulary, but a rare one: before any lazy scale underflows.
            factors = np.repeat(self.scales, self.n_topics)
            self.stacked.totals[:] *= factors
            self.stacked.words[:] *= factors
            self.scales[:] = 1.0

    def to_state(self) -> dict[str, Any]:
        """Return the state."""
        return {"tables": [self.view(i).to_state() for i in range(len(self.scales))]}

    @classmethod
    def from_state(
        cls, state: dict[str, Any], n_tables: int, n_topics: int, n_words: int
    ) -> Estimates:
        """Return what `to_state` described, of that size."""
        states = parts(state, "tables", n_tables)
        found = [Statistics.from_state(one, n_topics, n_words, 0.0) for one in states]
        estimates = cls(n_tables, n_topics, n_words)
        for i, statistics in enumerate(found):
            estimates[i] = statistics
        return estimates


@in_place
def learn_posteriors(
    indptr: Ints,
    words: WordIds,
    counts: Floats,
    table: Floats,
    totals: Floats,
    scales: Floats,
    topic_likelihoods: Floats,
    weights: Floats,
    keep: Floats,
    room: Floats,
) -> float:
    """``table += gain * X.T @ r`` and ``totals += gain * [1, lengths] @ r`` of the last estimates.

    ``r = weights * topic_likelihoods``, divided by its sum. `room` is to work in, two numbers per
    topic of these estimates. Returns the smallest scale.
    """
    n, n_topics = len(indptr) - 1, weights.shape[1]
    n_tables, n_strengths = len(scales), topic_likelihoods.shape[1] // len(scales)
    first = n_tables - len(keep)
    row, gains = room[0], room[1]
    columns = Columns(table, totals, first * n_topics, len(row))
    for g in range(len(keep)):
        # kappa of eq. 32, with b = n documents.
        kept = keep[g] ** n
        scales[first + g] *= kept
        # (1 - kappa) m / b for each document, with m = 1 / (1 - keep), relative to the lazy scale.
        gains[g] = (1.0 - kept) / (1.0 - keep[g]) / n / scales[first + g]
    for i in range(n):
        for g in range(len(keep)):
            # The models of an estimate are side by side; responsibilities are those of the first.
            model, total = (first + g) * n_strengths, 0.0
            for k in range(n_topics):
                row[g * n_topics + k] = weights[first + g, k] * topic_likelihoods[i, model, k]
            for k in range(n_topics):  # a loop of its own, see `compiled.kernel`
                total += row[g * n_topics + k]
            for k in range(n_topics):
                row[g * n_topics + k] *= gains[g] / total
        # The columns of these estimates are adjacent: one pass over a document updates all.
        add_document(indptr[i], indptr[i + 1], words, counts, row, 1.0, 0.0, columns)
    smallest = scales[0]
    for t in range(n_tables):  # compared, not `min`, as in `safe_length`
        if scales[t] < smallest:
            smallest = scales[t]
    return float(smallest)
