"""Whitening: the coordinates in which the topics become orthogonal (Algorithm 1, lines 2 and 3)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.moments import Sums
from spectralleader.runtime.compiled import kernel

USABLE = 1e-10  # an eigenvalue this small beside the largest is rounding, not signal


class Whitening(NamedTuple):
    """W = U A^{-1/2} of the top eigenpairs of the pairs (eq. 8), in coordinates of a basis."""

    forward: Floats  # W, (r, k)
    eigenvalues: Floats  # A, (k,) positive, largest first


@kernel
def whiten(sums: Sums, n_topics: int) -> tuple[Floats, Floats, Floats]:
    """Return W and A of the n_topics largest eigenvalues that are positive, and T = M3(W, W, W).

    Columns of W are signed so that their largest entry is positive, which makes them independent of
    the solver; of entries that are equally large up to rounding, the first one counts.
    """
    r, n_pairs = sums.basis.shape[1], max(1.0, sums.n[2])
    pairs, row = np.empty((r, r)), 0
    for a in range(r):
        for b in range(a, r):
            pairs[a, b] = pairs[b, a] = sums.upper[row, r] / n_pairs
            row += 1
    values, vectors = np.linalg.eigh(pairs)  # in increasing order
    k = 0
    for i in range(min(n_topics, r)):
        k += values[r - 1 - i] > USABLE * max(values[r - 1], 0.0)
    W, A = np.empty((r, k)), values[r - k :][::-1].copy()
    for i in range(k):
        vector = vectors[:, r - 1 - i]
        first = np.argmax(np.abs(vector) > (1.0 - 1e-9) * np.abs(vector).max())
        W[:, i] = np.sign(vector[first]) / np.sqrt(A[i]) * vector
    return W, A, whiten_triples(sums, W)


@kernel
def whiten_triples(sums: Sums, W: Floats) -> Floats:
    """``einsum("abc,ai,bj,ck->ijk", sums.unpack_triples(upper), W, W, W) / n``, (k, k, k).

    The product is symmetrised rather than the sums: it is smaller.
    """
    r, k = W.shape
    last = np.zeros((r + 1, k))  # 0 for the pairs
    last[:r] = W / max(1.0, sums.n[3])
    # One axis at a time, O(r^3 k); the first while the other two are packed.
    once = np.dot(sums.upper, last)  # rows (a, b) with a <= b
    full, row = np.empty((r, r, k)), 0
    for a in range(r):
        for b in range(a, r):
            full[a, b] = full[b, a] = once[row]
            row += 1
    flipped = np.ascontiguousarray(W.T)
    twice = np.dot(flipped, full.reshape(r, r * k)).reshape(k, r, k)
    # BLAS needs the next axis in front, and contiguous.
    middle = np.empty((r, k, k))
    for i in range(k):
        for b in range(r):
            middle[b, i] = twice[i, b]
    thrice = np.dot(flipped, middle.reshape(r, k * k)).reshape(k, k, k)
    # Three permutations, as in `sums.unpack_triples`.
    T = np.empty((k, k, k))
    for i in range(k):
        for j in range(k):
            for m in range(k):
                T[i, j, m] = thrice[i, j, m] + thrice[i, m, j] + thrice[j, m, i]
    return T
