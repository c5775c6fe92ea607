"""Tables: the expected statistics of several estimates, stacked."""

from __future__ import annotations

from typing import Any

import numpy as np

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.checks.states import parts
from spectralleader.documents import Documents
from spectralleader.em.statistics import SMALLEST_SCALE, Statistics
from spectralleader.learners.hedged.background import WEIGHT
from spectralleader.runtime.compiled import kernel


class Tables:
    """Statistics of several estimates of K topics, a word's in one row.

    What an estimate has is `scales[i]` times columns i K to (i + 1) K, so that all of them can be
    asked for a document in one go, and each may decay at its own rate.
    """

    def __init__(self, n_tables: int, n_topics: int, n_words: int) -> None:
        self.n_topics = n_topics
        self.scales: Floats = np.ones(n_tables)
        self.stacked = Statistics.zero(n_tables * n_topics, n_words)

    @property
    def words(self) -> Floats:
        """Words of the topics of all estimates, (d, n_tables K)."""
        return self.stacked.words

    @property
    def totals(self) -> Floats:
        """Documents and words of the topics of all estimates, (2, n_tables K)."""
        return self.stacked.totals

    def view(self, i: int) -> Statistics:
        """Return the statistics of estimate i, sharing memory."""
        at = slice(i * self.n_topics, (i + 1) * self.n_topics)
        return Statistics(self.totals[:, at], self.words[:, at], float(self.scales[i]))

    def __getitem__(self, i: int) -> Statistics:
        """Return a copy of the statistics of estimate i, multiplied out."""
        shared = self.view(i)
        return Statistics(shared.scale * shared.totals, shared.scale * shared.words)

    def __setitem__(self, i: int, statistics: Statistics) -> None:
        """Replace estimate i."""
        shared = self.view(i)
        shared.totals[:], shared.words[:] = statistics.totals, statistics.words
        self.scales[i] = statistics.scale

    @property
    def weights(self) -> Floats:
        """The topics' weights in each estimate, one pseudo-document shared, (n_tables, K)."""
        return share_documents(self.totals, self.scales)

    def forget(self, first: int, memories: Floats, n_docs: int) -> Floats:
        """Decay the estimates from the first on, as n_docs more documents are learned.

        Returns what each of these counts in them now, so that a full memory has its size.
        """
        keep = (1.0 - 1.0 / memories) ** n_docs
        self.scales[first:] *= keep
        if self.scales.min() < SMALLEST_SCALE:
            factors = np.repeat(self.scales, self.n_topics)
            self.totals[:] *= factors
            self.words[:] *= factors
            self.scales[:] = 1.0
        return np.asarray((1.0 - keep) * memories / n_docs / self.scales[first:])

    def add(self, documents: Documents, chances: Floats, weights: Floats, gains: Floats) -> None:
        """Add documents to the last estimates, one for each gain, by their topics' posteriors.

        The chances are P(words | topic) of each estimate in any unit, (n_docs, n_models, K), the
        first model of an estimate being its own.
        """
        arrays = (documents.indptr, documents.words, documents.counts)
        add_posteriors(*arrays, self.words, self.totals, chances, weights, gains)

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words; new ones have not occurred."""
        self.stacked.recode(new_ids, n_words)

    def to_state(self) -> dict[str, Any]:
        """Return all there is to it."""
        return {"tables": [self.view(i).to_state() for i in range(len(self.scales))]}

    @classmethod
    def from_state(
        cls, state: dict[str, Any], n_tables: int, n_topics: int, n_words: int
    ) -> Tables:
        """Rebuild what `to_state` described, of that size."""
        states = parts(state, "tables", n_tables)
        found = [Statistics.from_state(one, n_topics, n_words, 0.0) for one in states]
        tables = cls(n_tables, n_topics, n_words)
        for i, statistics in enumerate(found):
            tables[i] = statistics
        return tables


@kernel
def share_documents(totals: Floats, scales: Floats) -> Floats:
    """``(scale * totals[0] + WEIGHT / K) / sum`` of each estimate."""
    n_topics = totals.shape[1] // len(scales)
    out = np.empty((len(scales), n_topics))
    for t in range(len(scales)):
        for k in range(n_topics):
            out[t, k] = scales[t] * totals[0, t * n_topics + k] + WEIGHT / n_topics
        out[t] /= out[t].sum()
    return out


@kernel
def add_posteriors(
    indptr: Ints,
    words: WordIds,
    counts: Floats,
    table: Floats,
    totals: Floats,
    chances: Floats,
    weights: Floats,
    gains: Floats,
) -> None:
    """``table += gain * X.T @ r`` and ``totals += gain * [1, lengths] @ r`` of the last estimates.

    ``r = weights * chances``, divided by its sum.
    """
    n_topics, n_strengths = weights.shape[1], chances.shape[1] // len(weights)
    first = len(weights) - len(gains)
    begin = first * n_topics
    row = np.empty(len(gains) * n_topics)
    for i in range(len(indptr) - 1):
        for g in range(len(gains)):
            model, total = (first + g) * n_strengths, 0.0
            for k in range(n_topics):
                row[g * n_topics + k] = weights[first + g, k] * chances[i, model, k]
                total += row[g * n_topics + k]
            for k in range(n_topics):
                row[g * n_topics + k] *= gains[g] / total
        length = 0.0
        for j in range(indptr[i], indptr[i + 1]):
            w, count = words[j], counts[j]
            length += count
            for x in range(len(row)):
                table[w, begin + x] += count * row[x]
        for x in range(len(row)):
            totals[0, begin + x] += row[x]
            totals[1, begin + x] += length * row[x]
