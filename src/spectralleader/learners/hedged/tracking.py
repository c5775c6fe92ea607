"""PriorTracking: topics stay, and how frequent each one is now."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.runtime.compiled import kernel

FLOOR = 1e-3  # of each prior is shared equally, so that no topic is given up


class PriorTracking:
    """Topic weights that follow the stream, in two ways, each at several rates.

    By forgetting: ``omega <- (1 - 1/m) omega + (1/m) r`` for each memory m, in documents, where r
    is P(topic | document) under omega. And by runs, as if a topic stayed for l documents on
    average: ``omega <- (1 - 1/l) r + (1/l) 1/K``, the filter of a hidden Markov chain.

    Several models are tracked side by side, each with priors of its own.

    Parameters
    ----------
    n_topics : int
        K; the weights start equal.
    memories, runs : tuple of float
        Documents.
    n_models : int
        How many are tracked.

    Examples
    --------
    >>> tracking = PriorTracking(2, memories=(4.0,), runs=(10.0,))
    >>> for _ in range(10):
    ...     tracking.update(np.array([[[0.9, 0.1]]]))  # P(words | topic) of a document
    >>> tracking.priors[0].round(2).tolist()
    [[0.95, 0.05], [0.94, 0.06]]
    """

    def __init__(
        self,
        n_topics: int,
        memories: tuple[float, ...],
        runs: tuple[float, ...],
        n_models: int = 1,
    ) -> None:
        self.n_memories = len(memories)
        self.rates: Floats = 1.0 / np.array([*memories, *runs])
        self.priors: Floats = np.full((n_models, len(self.rates), n_topics), 1.0 / n_topics)

    def update(self, likelihoods: Floats) -> None:
        """Follow documents in order, given P(words | topic) by each model, (n_docs, n_models, K).

        For a document and a model these are in any unit. Models after the last tracked are allowed.
        """
        follow(self.priors, self.rates, self.n_memories, likelihoods)


@kernel
def follow(priors: Floats, rates: Floats, n_forgetting: int, likelihoods: Floats) -> None:
    """Update each prior by the documents' posteriors under it, in order."""
    n_models, _, n_topics = priors.shape
    posterior = np.empty(n_topics)
    for i in range(len(likelihoods)):
        for model in range(n_models):
            for m in range(len(rates)):
                total = 0.0
                for k in range(n_topics):
                    posterior[k] = priors[model, m, k] * likelihoods[i, model, k]
                    total += posterior[k]
                # priors stay: the old one, moved a little; runs end: the posterior, or any topic
                stays = m < n_forgetting
                keep = (1.0 - FLOOR) * (1.0 - rates[m]) if stays else 0.0
                gain = (1.0 - FLOOR) * (rates[m] if stays else 1.0 - rates[m]) / total
                equal = (FLOOR + (0.0 if stays else (1.0 - FLOOR) * rates[m])) / n_topics
                for k in range(n_topics):
                    moved = keep * priors[model, m, k] + gain * posterior[k]
                    priors[model, m, k] = moved + equal
