"""The spectral method on one page: moments in, model out (Algorithm 1, lines 1 to 5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from scipy.sparse.linalg import LinearOperator

from spectralleader.arrays import Floats
from spectralleader.models import TopicModel
from spectralleader.spectral.recovery import NOTHING, finish
from spectralleader.spectral.whitening import Whitening, whiten


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

    def multiply_pairs(self, basis: Floats) -> Floats:
        """M2 Q over words, for a basis Q of shape (r, k): shape (d, k)."""


# Decomposes a symmetric (k, k, k) tensor from starting directions (K, n, K) or (k, n, k): returns
# eigenvalues (k,) and eigenvectors, one a row, (k, k).
Decomposition = Callable[[Floats, Floats], tuple[Floats, Floats]]


class Anchoring(NamedTuple):
    """How the coordinates of an estimate came about, where they are those of a basis."""

    n_anchors: int  # how often the basis was made anew
    reason: str  # why it was the last time
    n_changed: int  # documents that entered the sample since


class Estimate(NamedTuple):
    """A model, and what a person wants to know of how it came about."""

    model: TopicModel
    whitening: Whitening
    triples: Floats  # T, whitened, (k, k, k)
    tensor_eigenvalues: Floats  # lambda, in the order found
    tensor_eigenvectors: Floats  # v, one a row, (k, k)
    clipped: Floats  # negative mass removed from each topic found
    anchoring: Anchoring | None = None  # None: the coordinates are words

    @property
    def eigenvalues(self) -> Floats:
        """Eigenvalues of the pairs, the usable ones, largest first."""
        return self.whitening.eigenvalues

    @property
    def n_usable(self) -> int:
        """Topics that could be estimated; fewer than asked for means too little data."""
        return int(np.count_nonzero(np.abs(self.tensor_eigenvalues) > NOTHING))

    @property
    def directions(self) -> Floats:
        """W v, in the coordinates of the moments, (k, r): where to start the next time."""
        return self.tensor_eigenvectors @ self.whitening.forward.T

    @property
    def residual(self) -> float:
        """||T - sum lambda v^(x)3|| / ||T||: what noise and mixed topics leave of the tensor.

        It grows with K and falls with the documents; 0 where there is nothing to decompose.
        """
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
        Directions of an earlier estimate in the same coordinates, to start from instead.
    """
    whitening = whiten(moments.pairs, n_topics)  # lines 1 and 2
    T = moments.triples(whitening.forward)  # line 3
    if near is not None and len(near) == len(T):
        starts = whitening.coordinates(near)[:, None, :]
    eigenvalues, eigenvectors = decompose(T, starts)  # line 4
    backward = moments.multiply_pairs(whitening.forward)  # (W^T)^+ = M2 W
    weights, topics = np.empty(n_topics), np.empty((n_topics, len(backward)))
    words = (moments.words, moments.n_tokens)
    clipped = finish(backward, eigenvalues, eigenvectors, *words, weights, topics)  # line 5
    return Estimate(
        TopicModel.trusted(weights, topics),
        whitening,
        T,
        eigenvalues,
        eigenvectors,
        clipped,
    )
