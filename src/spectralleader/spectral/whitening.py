"""Whitening: the coordinates in which the topics become orthogonal (Algorithm 1, line 2)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, eigsh

from spectralleader.compiled import kernel
from spectralleader.documents import Floats

USABLE = 1e-10  # an eigenvalue this small beside the largest is rounding, not signal
SMALL = 64  # up to this size all eigenpairs are found faster than a few


class Whitening(NamedTuple):
    """W = U A^{-1/2} of the top eigenpairs, and its pseudo-inverse transposed (eq. 8)."""

    forward: Floats  # (d, k), the paper's W
    backward: Floats  # (d, k), the paper's (W^T)^+
    eigenvalues: Floats  # (k,) positive, largest first


def whiten(pairs: Floats | LinearOperator, n_topics: int) -> Whitening:
    """Whiten by the n_topics largest eigenpairs of the pairs, or the positive ones there are."""
    return Whitening(*_whiten(*top_eigenpairs(pairs, n_topics)))


def top_eigenpairs(matrix: Floats | LinearOperator, k: int) -> tuple[Floats, Floats]:
    """Return the k algebraically largest eigenvalues, in increasing order, and vectors (d, k)."""
    d = matrix.shape[0]
    k = min(k, d)
    if isinstance(matrix, LinearOperator):
        values, vectors = eigsh(matrix, k=k, which="LA", v0=np.full(d, d**-0.5))
        return values, np.ascontiguousarray(vectors)
    if d <= SMALL:
        values, vectors = np.linalg.eigh(matrix)
        return values[d - k :], np.ascontiguousarray(vectors[:, d - k :])
    values, vectors = eigh(matrix, subset_by_index=[d - k, d - 1])
    return values, np.ascontiguousarray(vectors)


@kernel
def _whiten(values: Floats, vectors: Floats) -> tuple[Floats, Floats, Floats]:
    """Scale the usable vectors, largest value first, signed so that the largest entry is positive.

    The sign makes the result the same whatever solver found the vectors.
    """
    d, n = vectors.shape
    k = 0
    for i in range(n):
        k += values[i] > USABLE * max(values[n - 1], 0.0)
    forward, backward, usable = np.empty((d, k)), np.empty((d, k)), np.empty(k)
    for i in range(k):
        usable[i] = values[n - 1 - i]
        vector = vectors[:, n - 1 - i]
        sign = -1.0 if vector[np.abs(vector).argmax()] < 0 else 1.0
        for w in range(d):
            forward[w, i] = sign * vector[w] / np.sqrt(usable[i])
            backward[w, i] = sign * vector[w] * np.sqrt(usable[i])
    return forward, backward, usable
