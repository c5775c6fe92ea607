"""PriorTracking: topics stay, and how frequent each one is now."""

from __future__ import annotations

from typing import Any

import numpy as np

from spectralleader.compiled import kernel
from spectralleader.documents import Floats

FLOOR = 1e-3  # of each prior is shared equally, so that no topic is given up


class PriorTracking:
    """Topic weights that follow the stream, at several rates: exponentially forgotten posteriors.

    ``omega <- (1 - 1/m) omega + (1/m) P(topic | document)`` for each memory m, in documents.

    Parameters
    ----------
    priors : (n_memories, K) array
        To start from.
    memories : tuple of float
        Documents that each remembers.

    Examples
    --------
    >>> tracking = PriorTracking(np.full((1, 2), 0.5), memories=(4.0,))
    >>> for _ in range(10):
    ...     tracking.update(np.log([[0.9, 0.1]]))  # log P(words | topic) of a document
    >>> tracking.priors.round(2).tolist()
    [[0.97, 0.03]]
    """

    def __init__(self, priors: Floats, memories: tuple[float, ...]) -> None:
        self.priors = np.array(priors, np.float64)
        self.memories = memories

    def update(self, log_likelihoods: Floats) -> None:
        """Follow documents in order, given log P(words | topic), (n_docs, K)."""
        follow(self.priors, 1.0 / np.array(self.memories), log_likelihoods)

    def reorder(self, order: Any) -> None:
        """Keep the topics in another order."""
        self.priors = self.priors[:, order]


@kernel
def follow(priors: Floats, rates: Floats, log_likelihoods: Floats) -> None:
    """Update each prior by the documents' posteriors under it, in order."""
    n_topics = priors.shape[1]
    likelihood, posterior = np.empty(n_topics), np.empty(n_topics)
    for i in range(len(log_likelihoods)):
        largest = log_likelihoods[i].max()
        for k in range(n_topics):
            likelihood[k] = np.exp(log_likelihoods[i, k] - largest)
        for m in range(len(rates)):
            total = 0.0
            for k in range(n_topics):
                posterior[k] = priors[m, k] * likelihood[k]
                total += posterior[k]
            for k in range(n_topics):
                moved = (1.0 - rates[m]) * priors[m, k] + rates[m] * posterior[k] / total
                priors[m, k] = (1.0 - FLOOR) * moved + FLOOR / n_topics
