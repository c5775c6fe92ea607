"""Whitening and recovery in NumPy: what `whitening` and `recovery` do, without compiling them.

Their kernels call BLAS and LAPACK, which takes Numba ten seconds to compile, and pay where a model
is estimated at every step. A cold estimate is rare: here a millisecond more is nothing.
"""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.moments import Sums
from spectralleader.moments.sums import unpack_pairs
from spectralleader.spectral.recovery import NOTHING
from spectralleader.spectral.whitening import USABLE


def whiten(sums: Sums, n_topics: int) -> tuple[Floats, Floats, Floats]:
    """Return W, A and T = M3(W, W, W), as the kernel `whitening.whiten` does."""
    values, vectors = np.linalg.eigh(unpack_pairs(sums.upper) / max(1.0, sums.n[2]))
    A, U = values[::-1][:n_topics], vectors[:, ::-1][:, :n_topics]
    usable = USABLE * values.max(initial=0.0) < A
    A, U = A[usable].copy(), U[:, usable]
    is_largest = np.abs(U) > (1.0 - 1e-9) * np.abs(U).max(axis=0, initial=0.0)
    first = is_largest.argmax(axis=0) if U.size else np.zeros(0, np.int64)
    W = np.ascontiguousarray(U * (np.sign(U[first, np.arange(len(A))]) / np.sqrt(A)))
    return W, A, whiten_triples(sums, W)


def whiten_triples(sums: Sums, W: Floats) -> Floats:
    """Return the whitened triples, (k, k, k), as the kernel of that name does."""
    (r, k), at = W.shape, np.zeros((len(W), len(W)), np.int64)
    at[np.triu_indices(r)] = np.arange(len(sums.upper))
    once = sums.upper[:, :r] @ (W / max(1.0, sums.n[3]))
    full = once[np.maximum(at, at.T)]  # (i, j) and (j, i) share a row
    twice = (W.T @ full.reshape(r, r * k)).reshape(k, r, k).transpose(1, 0, 2)
    thrice = (W.T @ twice.reshape(r, k * k)).reshape(k, k, k)
    return np.asarray(thrice + thrice.transpose(0, 2, 1) + thrice.transpose(2, 0, 1))


def recover(
    sums: Sums, W: Floats, lambdas: Floats, vectors: Floats, weights: Floats, topics: Floats
) -> Floats:
    """Set weights and topics of a valid model, as the kernel `recovery.recover` does."""
    n_topics, d = topics.shape
    u = (lambdas[:, None] * vectors / max(1.0, sums.n[2])) @ W.T @ sums.image.T
    share = 1.0 / (1.0 + sums.n[0])
    total = sums.words.sum()
    unigram = (1.0 - share) / total * sums.words + share / d if total else np.full(d, 1.0 / d)
    n_free = max(n_topics * (d - 1), 1)
    background = n_free / (n_free + sums.n[0])
    size, total = np.abs(u).sum(axis=1), u.sum(axis=1)
    mass, clipped = (size + np.abs(total)) / 2, (size - np.abs(total)) / 2
    found = np.flatnonzero((np.abs(lambdas) > NOTHING) & (mass > NOTHING))
    weights[:] = 0.0 if len(found) else 1.0
    weights[: len(found)] = np.minimum(1.0 / lambdas[found] ** 2, 1.0)
    weights /= weights.sum()
    scales = (1.0 - background) * np.where(total < 0, -1.0, 1.0)[found] / mass[found]
    topics[:] = unigram
    topics[: len(found)] = np.maximum(scales[:, None] * u[found], 0.0) + background * unigram
    return np.asarray(clipped)
