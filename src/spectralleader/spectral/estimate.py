"""The spectral method on one page: moments in, model out (Algorithm 1, lines 1 to 5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from scipy.sparse.linalg import LinearOperator

from spectralleader.documents import Floats
from spectralleader.model import TopicModel
from spectralleader.spectral.recovery import (
    background_share,
    complete,
    recover,
    smooth_words,
    to_simplex,
)
from spectralleader.spectral.whitening import whiten


class Moments(Protocol):
    """Mean moments, in coordinates that are words or those of a basis."""

    n_tokens: float  # words that the means were taken over

    @property
    def words(self) -> Floats:
        """M1, shape (d,)."""

    @property
    def pairs(self) -> Floats | LinearOperator:
        """M2, shape (r, r)."""

    def triples(self, basis: Floats) -> Floats:
        """M3(Q, Q, Q) for a basis Q of shape (r, k): shape (k, k, k)."""

    def lift(self, topics: Floats) -> Floats:
        """Topics in these coordinates (k, r) as topics over words (k, d)."""


# Decomposes a symmetric (k, k, k) tensor from starting directions (K, n, K) or (k, n, k): returns
# eigenvalues (k,) and eigenvectors, one a row, (k, k).
Decomposition = Callable[[Floats, Floats], tuple[Floats, Floats]]


class Estimate(NamedTuple):
    """A model, and what a person wants to know of how it came about."""

    model: TopicModel
    n_usable: int  # topics that could be estimated; fewer than asked for means too little data
    eigenvalues: Floats  # of the pairs, the usable ones, largest first
    triples: Floats  # T, whitened, (k, k, k)
    tensor_eigenvalues: Floats  # lambda, in the order found
    tensor_eigenvectors: Floats  # v, one a row, (k, k)
    topics: Floats  # u as they came out, in the coordinates of the moments, (k, r)
    clipped: Floats  # negative mass removed from each topic found

    @property
    def condition_number(self) -> float:
        """Largest over smallest usable eigenvalue of the pairs; 1 if there are none."""
        values = self.eigenvalues
        return float(values[0] / values[-1]) if len(values) else 1.0

    @property
    def residual(self) -> float:
        """||T - sum lambda v^(x)3|| / ||T||: small if each document has one topic."""
        k, V = len(self.triples), self.tensor_eigenvectors
        squares = (V[:, :, None] * V[:, None, :]).reshape(k, k * k)
        rebuilt = (self.tensor_eigenvalues[:, None] * V).T @ squares  # T unfolded, (k, k^2)
        norm = np.linalg.norm(self.triples)
        error = np.linalg.norm(self.triples.reshape(k, k * k) - rebuilt)
        return float(error / norm) if norm > 0 else 0.0


def estimate(
    moments: Moments,
    n_topics: int,
    decompose: Decomposition,
    starts: Floats,
    *,
    near: Floats | None = None,
) -> Estimate:
    """Estimate a single-topic model from its moments.

    Parameters
    ----------
    moments : Moments
        Mean words, pairs and triples.
    n_topics : int
        K. If fewer can be estimated, the rest get weight 0.
    decompose : callable
        The tensor decomposition, such as `power_method`.
    starts : (K, n_restarts, K) array
        Directions that the decomposition starts from, see `power.random_starts`.
    near : (k, r) array, optional
        Topics of an earlier estimate in the same coordinates, to start from instead.
    """
    whitening = whiten(moments.pairs, n_topics)  # lines 1 and 2
    T = moments.triples(whitening.forward)  # line 3
    if near is not None and len(near) == len(T):
        starts = (near @ whitening.forward)[:, None, :]
    eigenvalues, eigenvectors = decompose(T, starts)  # line 4
    weights, raw = recover(whitening.backward, eigenvalues, eigenvectors)  # line 5
    topics, clipped = to_simplex(moments.lift(raw))
    weights = weights * (topics.sum(axis=1) > 0)  # a topic that nothing is left of is missing

    unigram = smooth_words(moments.words, moments.n_tokens)
    share = background_share(n_topics, len(unigram), moments.n_tokens)
    return Estimate(
        complete(weights, topics, unigram, n_topics, share),
        int(np.count_nonzero(weights)),
        whitening.eigenvalues,
        T,
        eigenvalues,
        eigenvectors,
        raw,
        clipped,
    )
