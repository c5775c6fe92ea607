"""Whitening: the coordinates in which the topics become orthogonal (Algorithm 1, line 2)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, eigsh

from spectralleader.documents import Floats

USABLE = 1e-10  # an eigenvalue this small beside the largest is rounding, not signal


class Whitening(NamedTuple):
    """W = U A^{-1/2} and its pseudo-inverse transposed, U A^{1/2}, of the top eigenpairs."""

    forward: Floats  # (d, k), the paper's W
    backward: Floats  # (d, k), the paper's (W^T)^+
    eigenvalues: Floats  # (k,) positive, largest first


def whiten(pairs: Floats | LinearOperator, n_topics: int) -> Whitening:
    """Whiten by the n_topics largest eigenpairs of the pairs, or the positive ones there are."""
    values, vectors = top_eigenpairs(pairs, n_topics)
    usable = values > USABLE * max(values[0], 0.0) if len(values) else values > 0
    values, vectors = values[usable], vectors[:, usable]
    roots = np.sqrt(values)
    return Whitening(vectors / roots, vectors * roots, values)


def top_eigenpairs(matrix: Floats | LinearOperator, k: int) -> tuple[Floats, Floats]:
    """Return the k algebraically largest eigenvalues, largest first, and their vectors (d, k).

    The sign of a vector is such that its largest entry is positive: the same whatever solver.
    """
    d = matrix.shape[0]
    k = min(k, d)
    if isinstance(matrix, LinearOperator) and k < d:
        start = np.full(d, d**-0.5)
        values, vectors = eigsh(matrix, k=k, which="LA", v0=start)
    else:
        dense = matrix @ np.eye(d) if isinstance(matrix, LinearOperator) else matrix
        values, vectors = eigh(dense, subset_by_index=[d - k, d - 1])
    values, vectors = values[::-1], vectors[:, ::-1]
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(k)]
    return values, vectors * np.where(largest < 0, -1.0, 1.0)
