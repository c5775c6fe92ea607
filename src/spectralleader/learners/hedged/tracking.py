"""PriorTracking: topics stay, and how frequent each one is now."""

from __future__ import annotations

import numpy as np

from spectralleader.compiled import kernel
from spectralleader.documents import Floats

FLOOR = 1e-3  # of each prior is shared equally, so that no topic is given up


class PriorTracking:
    """Topic weights that follow the stream, in two ways, each at several rates.

    By forgetting: ``omega <- (1 - 1/m) omega + (1/m) r`` for each memory m, in documents, where r
    is P(topic | document) under omega. And by runs, as if a topic stayed for l documents on
    average: ``omega <- (1 - 1/l) r + (1/l) 1/K``, the filter of a hidden Markov chain.

    Parameters
    ----------
    n_topics : int
        K; the weights start equal.
    memories, runs : tuple of float
        Documents.

    Examples
    --------
    >>> tracking = PriorTracking(2, memories=(4.0,), runs=(10.0,))
    >>> for _ in range(10):
    ...     tracking.update(np.log([[0.9, 0.1]]))  # log P(words | topic) of a document
    >>> tracking.priors.round(2).tolist()
    [[0.95, 0.05], [0.94, 0.06]]
    """

    def __init__(self, n_topics: int, memories: tuple[float, ...], runs: tuple[float, ...]) -> None:
        self.memories, self.runs = memories, runs
        self.priors: Floats = np.full((len(memories) + len(runs), n_topics), 1.0 / n_topics)

    def update(self, log_likelihoods: Floats) -> None:
        """Follow documents in order, given log P(words | topic), (n_docs, K)."""
        rates = 1.0 / np.array([*self.memories, *self.runs])
        follow(self.priors, rates, len(self.memories), log_likelihoods)


@kernel
def follow(priors: Floats, rates: Floats, n_forgetting: int, log_likelihoods: Floats) -> None:
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
                now = posterior[k] / total
                if m < n_forgetting:
                    moved = (1.0 - rates[m]) * priors[m, k] + rates[m] * now
                else:
                    moved = (1.0 - rates[m]) * now + rates[m] / n_topics
                priors[m, k] = (1.0 - FLOOR) * moved + FLOOR / n_topics
