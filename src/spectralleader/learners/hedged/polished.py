"""Polished: an estimate from remembered documents, with priors that follow the stream."""

from __future__ import annotations

from typing import Any

import numpy as np

from spectralleader.documents import Documents, Floats, Ints
from spectralleader.learners.hedged.background import Background, smooth_weights
from spectralleader.learners.hedged.foresight import log_likelihoods, with_priors
from spectralleader.learners.hedged.tracking import PriorTracking
from spectralleader.learners.statistics import Statistics
from spectralleader.model import compare, match

PRIOR_MEMORIES = (3.0, 30.0, 300.0)  # documents
PRIOR_RUNS = (10.0, 100.0)  # documents


def foresee(
    documents: Documents, statistics: Statistics, background: Background, strengths: Floats
) -> Floats:
    """Return log P(words | topic) at each strength of smoothing, (n_strengths, n_docs, K)."""
    block = (documents.indptr, documents.words, documents.counts)
    table = (statistics.words, statistics.totals, statistics.scale)
    return log_likelihoods(*block, *table, background.counts, background.total, strengths)


class Polished:
    """Topics that stay until they are replaced, their own weights and tracked ones.

    It is several candidates: at each strength of smoothing, one with the topics' own weights and
    one for each way of tracking them.
    """

    def __init__(self, statistics: Statistics, n_strengths: int) -> None:
        self.statistics = statistics
        n_topics = statistics.totals.shape[1]
        self.trackings = [
            PriorTracking(n_topics, PRIOR_MEMORIES, PRIOR_RUNS) for _ in range(n_strengths)
        ]

    def log_probs(self, likelihoods: Floats) -> Floats:
        """Return the candidates' log-probabilities, strength by strength, (n_docs, n)."""
        own = smooth_weights(self.statistics)
        return np.hstack(
            [
                with_priors(at_strength, np.vstack([own, tracking.priors]))
                for at_strength, tracking in zip(likelihoods, self.trackings, strict=True)
            ]
        )

    def follow(self, likelihoods: Floats) -> None:
        """Let the priors follow documents."""
        for at_strength, tracking in zip(likelihoods, self.trackings, strict=True):
            tracking.update(at_strength)

    def replace(self, statistics: Statistics, reference: Statistics) -> None:
        """Take another estimate, its topics in the order that best matches the reference's."""
        order = best_order(statistics, reference)
        self.statistics = Statistics(
            np.ascontiguousarray(statistics.totals[:, order]),
            np.ascontiguousarray(statistics.words[:, order]),
            statistics.scale,
        )

    def to_state(self) -> dict[str, Any]:
        """Return all there is to it."""
        priors = np.stack([tracking.priors for tracking in self.trackings])
        return {"statistics": self.statistics.to_state(), "priors": priors}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Polished:
        """Rebuild what `to_state` described."""
        polished = cls(Statistics.from_state(state["statistics"]), len(state["priors"]))
        for tracking, priors in zip(polished.trackings, state["priors"], strict=True):
            tracking.priors = np.array(priors)
        return polished


def best_order(statistics: Statistics, reference: Statistics) -> Ints:
    """Return the topics' order that best matches the reference's, by the cosine of their words."""
    tiny = 1e-100  # a topic without words is like no other
    topics, wanted = (np.ascontiguousarray(s.words.T) + tiny for s in (statistics, reference))
    similarity, order, is_best, _ = compare(topics, wanted)
    return order if is_best else match(similarity)
