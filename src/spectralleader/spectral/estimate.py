"""The spectral method on one page: moments in, model out (Algorithm 1, lines 1 to 5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.models import TopicModel
from spectralleader.moments import Sums
from spectralleader.runtime.compiled import kernel
from spectralleader.spectral.power import N_ITERATIONS, decompose_tensor
from spectralleader.spectral.recovery import NOTHING, recover
from spectralleader.spectral.whitening import Whitening, whiten

# Decomposes a symmetric (k, k, k) tensor from starting directions (K, n, K), K >= k: returns
# eigenvalues (k,) and eigenvectors, one per row, (k, k).
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
    tensor_eigenvectors: Floats  # v, one per row, (k, k)
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


def estimate(sums: Sums, n_topics: int, decompose: Decomposition, starts: Floats) -> Estimate:
    """Estimate a single-topic model from sums of words, pairs and triples.

    Parameters
    ----------
    sums : Sums
        Of documents, or of a known model.
    n_topics : int
        K. If fewer can be estimated, the rest get weight 0.
    decompose : callable
        The tensor decomposition, such as `power_method`.
    starts : (K, n_restarts, K) array
        Directions that the decomposition starts from, see `power.random_starts`.
    """
    W, A, T = whiten(sums, n_topics)  # lines 1 to 3
    eigenvalues, eigenvectors = decompose(T, starts)  # line 4
    weights, topics, clipped = recover(sums, W, eigenvalues, eigenvectors, n_topics)  # line 5
    model = TopicModel.trusted(weights, topics)
    return Estimate(model, Whitening(W, A), T, eigenvalues, eigenvectors, clipped)


def warm_estimate(sums: Sums, directions: Floats) -> Estimate | None:
    """Return `estimate` by the power method, started from the directions of an earlier estimate.

    The same steps in one kernel, which takes half the time where there are few topics: a model
    after every document is mostly calls. None if fewer directions are left than there were.
    """
    weights, topics, clipped, *rest = _estimate_near(sums, directions, N_ITERATIONS)
    if len(weights) == 0:
        return None
    W, A, T, eigenvalues, eigenvectors = rest
    model = TopicModel.trusted(weights, topics)
    return Estimate(model, Whitening(W, A), T, eigenvalues, eigenvectors, clipped)


@kernel
def _estimate_near(
    sums: Sums, directions: Floats, n_iterations: int
) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats, Floats, Floats]:
    """Return the arrays of an `Estimate`; no topics if there are fewer than directions."""
    k = len(directions)
    W, A, T = whiten(sums, k)
    values, vectors = np.zeros(k), np.zeros((k, k))
    if len(A) < k:
        return A[:0], T[0], A, W, A, T, values, vectors
    starts = (np.dot(directions, W) * A).reshape(k, 1, k)  # v of W v: A W^T W v = v
    decompose_tensor(T.copy(), starts, n_iterations, values, vectors, 0, k)
    weights, topics, clipped = recover(sums, W, values, vectors, k)
    return weights, topics, clipped, W, A, T, values, vectors
