"""The spectral method on one page: from moments to a model (Algorithm 1, lines 1 to 5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.models import TopicModel
from spectralleader.moments import Sums
from spectralleader.spectral import cold
from spectralleader.spectral.cold import NOTHING

# Decomposes a symmetric (k, k, k) tensor from starting directions (K, n, K), K >= k: returns
# eigenvalues (k,) and eigenvectors, one per row, (k, k).
Decomposition = Callable[[Floats, Floats], tuple[Floats, Floats]]


class Anchoring(NamedTuple):
    """How the basis of an estimate was computed."""

    n_anchors: int  # how often the basis was recomputed
    reason: str  # why it was recomputed last
    n_changed: int  # documents that entered the sample since


class Estimate(NamedTuple):
    """A model with the intermediate results of its estimation."""

    model: TopicModel
    whitening: Floats  # W = U A^{-1/2} (eq. 8), in coordinates of a basis, (r, k)
    eigenvalues: Floats  # A, of the pairs, the usable ones, largest first, (k,)
    triples: Floats  # T, whitened, (k, k, k)
    tensor_eigenvalues: Floats  # lambda, in the order found
    tensor_eigenvectors: Floats  # v, one per row, (k, k)
    clipped: Floats  # negative mass removed from each topic found
    spectrum: cold.Spectrum  # all eigenvalues of the pairs in the basis, with their noise levels
    gain: float | None = None  # over word frequencies, in nats per remembered document
    anchoring: Anchoring | None = None  # None if the coordinates are words

    @property
    def n_usable(self) -> int:
        """Number of topics that were estimated.

        Fewer than K if there is too little data, or if the documents have fewer topics.
        """
        return int(np.count_nonzero(np.abs(self.tensor_eigenvalues) > NOTHING))

    @property
    def total_weight(self) -> float:
        """The sum of 1 / lambda^2, the weights before they are normalised (eq. 10).

        1 for documents of K topics; far from 1 if an eigenvalue used is noise, or for another K.
        """
        lambdas = self.tensor_eigenvalues
        return float((lambdas[np.abs(lambdas) > NOTHING] ** -2.0).sum())

    @property
    def warning(self) -> str | None:
        """What is wrong with the model, in a sentence; None if nothing is known to be."""
        if self.gain is None or self.gain >= 0.0:
            return None
        return (
            f"the model predicts the remembered documents {-self.gain:.2f} nats each worse than "
            "word frequencies do: learn more documents, or another number of topics"
        )

    @property
    def directions(self) -> Floats:
        """W v, in the coordinates of the moments, (k, r): the warm start of the next estimate."""
        return self.tensor_eigenvectors @ self.whitening.T


def estimate(
    sums: Sums, n_topics: int, decompose: Decomposition, starts: Floats, *, noise_rank: bool = False
) -> Estimate:
    """Estimate a single-topic model from sums of words, pairs and triples.

    Parameters
    ----------
    sums : Sums
        The moments of documents, or of a known model.
    n_topics : int
        Number of topics, K. If fewer can be estimated, the others get weight 0.
    decompose : callable
        The tensor decomposition, such as `power_method`.
    starts : (K, n_restarts, K) array
        Starting directions of the decomposition, see `power.random_starts`.
    noise_rank : bool
        Use only the eigenvalues of the pairs before the first one that can be noise, and word
        frequencies if only one is left. Otherwise use all that are positive, as the paper does.
    """
    found = cold.measure_spectrum(sums)
    n_used = min(n_topics, max(1, found.noise_rank)) if noise_rank else n_topics
    W, A, T = cold.whiten(sums, found, n_used)  # lines 1 to 3
    eigenvalues, eigenvectors = decompose(T, starts)  # line 4
    weights, topics = np.empty(n_topics), np.empty((n_topics, len(sums.words)))
    clipped = cold.recover(sums, W, eigenvalues, eigenvectors, weights, topics)  # line 5
    model = TopicModel.trusted(weights, topics)
    if noise_rank and len(A) == 1:
        # The top eigenvector is that of the largest topic; one topic has all words.
        model = cold.unigram_model(sums, n_topics)
    return Estimate(model, W, A, T, eigenvalues, eigenvectors, clipped, found)
