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
    weights, topics = np.empty(n_topics), np.empty((n_topics, len(sums.words)))
    clipped = recover(sums, W, eigenvalues, eigenvectors, weights, topics)  # line 5
    model = TopicModel.trusted(weights, topics)
    return Estimate(model, Whitening(W, A), T, eigenvalues, eigenvectors, clipped)


def warm_estimate(sums: Sums, directions: Floats) -> Estimate | None:
    """Return `estimate` by the power method, started from the directions of an earlier estimate.

    The same steps in one kernel, which saves 6 of 32 us at K = 5, d = 500. None if fewer directions
    are left than there were.
    """
    k, (d, r) = len(directions), sums.basis.shape
    shapes = ((k,), (k, d), (r, k), (k,), (k, k, k), (k,), (k, k), (k,))
    found = Arrays(*map(np.empty, shapes))
    if not _estimate_near(sums, directions, N_ITERATIONS, found):
        return None
    weights, topics, W, A, T, eigenvalues, eigenvectors, clipped = found
    model = TopicModel.trusted(weights, topics)
    return Estimate(model, Whitening(W, A), T, eigenvalues, eigenvectors, clipped)


class Arrays(NamedTuple):
    """What an estimate is made of. A kernel writes to them in less time than it returns some."""

    weights: Floats
    topics: Floats
    forward: Floats
    eigenvalues: Floats
    triples: Floats
    tensor_eigenvalues: Floats
    tensor_eigenvectors: Floats
    clipped: Floats


@kernel
def _estimate_near(sums: Sums, directions: Floats, n_iterations: int, found: Arrays) -> bool:
    """Set the arrays of an estimate; return False if there are fewer topics than directions."""
    k = len(directions)
    W, A, T = whiten(sums, k)
    if len(A) < k:
        return False
    found.forward[:], found.eigenvalues[:], found.triples[:] = W, A, T
    starts = (np.dot(directions, W) * A).reshape(k, 1, k)  # v of W v: A W^T W v = v
    pairs = (found.tensor_eigenvalues, found.tensor_eigenvectors)
    decompose_tensor(T, starts, n_iterations, *pairs)
    found.clipped[:] = recover(sums, W, *pairs, found.weights, found.topics)
    return True
