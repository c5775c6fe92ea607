"""Whitening: the coordinates in which the topics become orthogonal (Algorithm 1, line 2)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, eigh
from scipy.sparse.linalg import LinearOperator, eigsh

from spectralleader.arrays import Floats
from spectralleader.runtime.compiled import kernel
from spectralleader.spectral.symmetric import eigenpairs

USABLE = 1e-10  # an eigenvalue this small beside the largest is rounding, not signal
SMALL = 64  # up to this size all eigenpairs are found faster than a few


class Whitening(NamedTuple):
    """W = U A^{-1/2} of the top eigenpairs (eq. 8)."""

    forward: Floats  # (d, k), the paper's W
    eigenvalues: Floats  # (k,) positive, largest first

    def coordinates(self, directions: Floats) -> Floats:
        """Return the v of directions W v, one a row: A W^T W v = v."""
        return (directions @ self.forward) * self.eigenvalues


def whiten(pairs: Floats | LinearOperator, n_topics: int) -> Whitening:
    """Whiten by the n_topics largest eigenpairs of the pairs, or the positive ones there are."""
    if isinstance(pairs, np.ndarray) and len(pairs) <= SMALL:
        return Whitening(*whiten_small(pairs, n_topics))
    return Whitening(*_whiten(*top_eigenpairs(pairs, n_topics)))


def top_eigenpairs(matrix: Floats | LinearOperator, k: int) -> tuple[Floats, Floats]:
    """Return the k algebraically largest eigenvalues, in increasing order, and vectors (d, k)."""
    d = matrix.shape[0]
    k = min(k, d)
    if isinstance(matrix, LinearOperator):
        start = np.full(d, d**-0.5)
        if not (matrix @ start).any():  # no pairs at all: frequencies are never below 0
            return np.zeros(k), np.eye(d, k)
        values, vectors = eigsh(matrix, k=k, which="LA", v0=start)
        return values, np.ascontiguousarray(vectors)
    try:
        values, vectors = eigh(matrix, subset_by_index=[d - k, d - 1])
    except LinAlgError:  # LAPACK's search for some of them fails where many are alike
        values, vectors = (part[..., d - k :] for part in eigh(matrix, driver="evd"))
    return values, np.ascontiguousarray(vectors)


@kernel
def whiten_small(pairs: Floats, n_topics: int) -> tuple[Floats, Floats]:
    """``_whiten(*top_eigenpairs(pairs, n_topics))`` for a small matrix."""
    d, k = len(pairs), min(n_topics, len(pairs))
    values, rows = eigenpairs(pairs)
    top, vectors = np.empty(k), np.empty((d, k))
    for i in range(k - 1, -1, -1):
        largest = 0
        for j in range(d):
            if values[j] > values[largest]:
                largest = j
        top[i], values[largest] = values[largest], -np.inf
        for w in range(d):
            vectors[w, i] = rows[largest, w]
    return _whiten(top, vectors)


@kernel
def _whiten(values: Floats, vectors: Floats) -> tuple[Floats, Floats]:
    """Scale the usable vectors, largest value first, signed so that the largest entry is positive.

    The sign makes the result the same whatever solver found the vectors: of entries that are
    equally large to rounding, the first one counts.
    """
    d, n = vectors.shape
    k = 0
    for i in range(n):
        k += values[i] > USABLE * max(values[n - 1], 0.0)
    forward, usable = np.empty((d, k)), np.empty(k)
    for i in range(k):
        usable[i] = values[n - 1 - i]
        vector = vectors[:, n - 1 - i]
        nearly_largest = (1.0 - 1e-9) * np.abs(vector).max()
        first = 0
        while abs(vector[first]) < nearly_largest:
            first += 1
        sign = -1.0 if vector[first] < 0 else 1.0
        for w in range(d):
            forward[w, i] = sign * vector[w] / np.sqrt(usable[i])
    return forward, usable
