"""The spectral method on one page: from moments to a model (Algorithm 1, lines 1 to 5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.documents.views import DocumentView
from spectralleader.models import TopicModel
from spectralleader.moments import Sums
from spectralleader.moments.projected import update_sums
from spectralleader.runtime.compiled import kernel
from spectralleader.spectral import plain
from spectralleader.spectral.power import N_ITERATIONS, decompose_tensor
from spectralleader.spectral.recovery import NOTHING, recover
from spectralleader.spectral.whitening import Whitening, whiten

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
    whitening: Whitening
    triples: Floats  # T, whitened, (k, k, k)
    tensor_eigenvalues: Floats  # lambda, in the order found
    tensor_eigenvectors: Floats  # v, one per row, (k, k)
    clipped: Floats  # negative mass removed from each topic found
    anchoring: Anchoring | None = None  # None if the coordinates are words

    @property
    def eigenvalues(self) -> Floats:
        """Eigenvalues of the pairs, the usable ones, largest first."""
        return self.whitening.eigenvalues

    @property
    def n_usable(self) -> int:
        """Number of topics that could be estimated; fewer than K if there is too little data."""
        return int(np.count_nonzero(np.abs(self.tensor_eigenvalues) > NOTHING))

    @property
    def directions(self) -> Floats:
        """W v, in the coordinates of the moments, (k, r): the warm start of the next estimate."""
        return self.tensor_eigenvectors @ self.whitening.forward.T

    @property
    def residual(self) -> float:
        """||T - sum lambda v^(x)3|| / ||T||: the relative residual due to noise and mixed topics.

        It grows with K and falls with the number of documents; 0 if T is 0.
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
        The moments of documents, or of a known model.
    n_topics : int
        Number of topics, K. If fewer can be estimated, the others get weight 0.
    decompose : callable
        The tensor decomposition, such as `power_method`.
    starts : (K, n_restarts, K) array
        Starting directions of the decomposition, see `power.random_starts`.
    """
    W, A, T = plain.whiten(sums, n_topics)  # lines 1 to 3
    eigenvalues, eigenvectors = decompose(T, starts)  # line 4
    weights, topics = np.empty(n_topics), np.empty((n_topics, len(sums.words)))
    clipped = plain.recover(sums, W, eigenvalues, eigenvectors, weights, topics)  # line 5
    model = TopicModel.trusted(weights, topics)
    return Estimate(model, Whitening(W, A), T, eigenvalues, eigenvectors, clipped)


class Details(NamedTuple):
    """Output buffers of the kernel for the intermediate results of an estimate."""

    forward: Floats  # W, (r, K)
    eigenvalues: Floats  # A, (K,)
    triples: Floats  # T, (K, K, K)
    tensor_eigenvalues: Floats
    tensor_eigenvectors: Floats
    clipped: Floats

    @classmethod
    def empty(cls, k: int, r: int) -> Details:
        """Return uninitialised buffers for k topics in r coordinates."""
        return cls(*map(np.empty, ((r, k), (k,), (k, k, k), (k,), (k, k), (k,))))

    def with_model(self, model: TopicModel) -> Estimate:
        """Return the estimate, as a copy of the buffers."""
        W, A, T, eigenvalues, eigenvectors, clipped = (array.copy() for array in self)
        return Estimate(model, Whitening(W, A), T, eigenvalues, eigenvectors, clipped)


def warm_model(
    sums: Sums, moved: DocumentView, n_added: int, directions: Floats, details: Details
) -> TopicModel | None:
    """Update sums like `update_sums`, and return the model of `estimate` from a warm start.

    It runs the power method from these directions, with all steps in one kernel, which saves a
    third of the time at K = 5, d = 500. None if fewer topics can be estimated than directions.
    """
    weights, topics = np.empty(len(directions)), np.empty((len(directions), len(sums.words)))
    # plain tuples: Numba looks up the type of a NamedTuple in Python, 2 us for each and call
    given = (tuple(sums), tuple(moved), n_added, directions, N_ITERATIONS)
    if not _update_and_estimate(*given, weights, topics, tuple(details)):
        return None
    return TopicModel.trusted(weights, topics)


@kernel
def _update_and_estimate(
    given_sums: tuple[Any, ...],
    given_moved: tuple[Any, ...],
    n_added: int,
    directions: Floats,
    n_iterations: int,
    weights: Floats,
    topics: Floats,
    buffers: tuple[Any, ...],
) -> bool:
    """Fill the arrays of an estimate; return False if there are fewer topics than directions."""
    sums, moved, details = Sums(*given_sums), DocumentView(*given_moved), Details(*buffers)
    if len(moved.bounds) > 0:
        update_sums(sums, moved, n_added)
    k = len(directions)
    W, A, T = whiten(sums, k)
    if len(A) < k:
        return False
    details.forward[:], details.eigenvalues[:], details.triples[:] = W, A, T
    starts = (np.dot(directions, W) * A).reshape(k, 1, k)  # v from W v, since A W^T W v = v
    pairs = (details.tensor_eigenvalues, details.tensor_eigenvectors)
    # Deflates T in place; `details.triples` is a copy.
    decompose_tensor(T, starts, n_iterations, *pairs)
    details.clipped[:] = recover(sums, W, *pairs, weights, topics)
    return True
