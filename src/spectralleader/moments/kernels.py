"""Kernels: packed sums made whole or smaller, and one pass over documents for their pairs."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.runtime.compiled import kernel


@kernel
def symmetrise(sum_triples: Floats) -> Floats:
    """Return ``S[(a, b), c] + S[(a, c), b] + S[(b, c), a]``, shape (r, r, r)."""
    r = sum_triples.shape[1]
    at = np.empty((r, r), np.int64)
    k = 0
    for a in range(r):
        for b in range(a, r):
            at[a, b] = at[b, a] = k
            k += 1
    full = np.empty((r, r, r))
    for a in range(r):
        for b in range(r):
            for c in range(r):
                full[a, b, c] = (
                    sum_triples[at[a, b], c] + sum_triples[at[a, c], b] + sum_triples[at[b, c], a]
                )
    return full


@kernel
def unpack(upper: Floats, r: int) -> Floats:
    """Return the symmetric (r, r) matrix whose upper triangle is given row by row."""
    full = np.empty((r, r))
    k = 0
    for a in range(r):
        for b in range(a, r):
            full[a, b] = full[b, a] = upper[k]
            k += 1
    return full


@kernel
def contract(sum_triples: Floats, basis: Floats, n: float) -> Floats:
    """``einsum("abc,ai,bj,ck->ijk", symmetrise(sum_triples), basis, basis, basis) / n``.

    What is symmetrised is the product: it is smaller.
    """
    r, k = basis.shape
    once = np.dot(sum_triples, basis / n)  # (a, b) with a <= b, then k
    full = np.empty((r, r, k))
    row = 0
    for a in range(r):
        for b in range(a, r):
            full[a, b] = full[b, a] = once[row]
            row += 1
    flipped = np.ascontiguousarray(basis.T)
    twice = np.dot(flipped, full.reshape(r, r * k)).reshape(k, r, k)
    by_middle = np.empty((r, k, k))
    for i in range(k):
        for b in range(r):
            by_middle[b, i] = twice[i, b]
    thrice = np.dot(flipped, by_middle.reshape(r, k * k)).reshape(k, k, k)
    out = np.empty((k, k, k))
    for i in range(k):
        for j in range(k):
            for m in range(k):
                out[i, j, m] = thrice[i, j, m] + thrice[i, m, j] + thrice[j, m, i]
    return out
