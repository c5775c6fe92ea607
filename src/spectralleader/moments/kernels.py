"""Kernels: one pass over documents, one document at a time. `sums` says in NumPy what they mean."""

from __future__ import annotations

import numpy as np

from spectralleader.compiled import kernel
from spectralleader.documents import Floats, Ints, WordIds


@kernel
def add_documents(
    sign: float,
    indptr: Ints,
    words: WordIds,
    counts: Floats,
    basis: Floats,
    n: Floats,
    sum_words: Floats,
    sum_pairs: Floats,
    sum_triples: Floats,
) -> None:
    """Add (sign = 1) or subtract (-1) documents, one by one, in place.

    ``n += sign * [n_tokens, documents of >= 1, >= 2, >= 3 words]``, ``sum_words += sign *
    sums.sum_words(documents)``, ``sum_pairs += sign * sums.project_pairs(documents, basis)``,
    ``sum_triples += sign * sums.project_triples(documents, basis)`` where its first index is not
    above its second: the rest follows by symmetry and is left alone.
    """
    # a signed index is checked for wrap-around in the innermost loop: rows are copied out first
    r = basis.shape[1]
    p, D = np.empty(r), np.empty((r, r))
    longest = 0
    for i in range(len(indptr) - 1):
        longest = max(longest, indptr[i + 1] - indptr[i])
    Q = np.empty((longest, r))
    for i in range(len(indptr) - 1):
        first, size = indptr[i], indptr[i + 1] - indptr[i]
        c = counts[first : first + size]
        length = c.sum()
        n[0] += sign * length
        if length < 1:
            continue
        n[1] += sign
        for j in range(size):
            sum_words[words[first + j]] += sign * c[j] / length
        if length < 2:
            continue
        n[2] += sign
        p[:] = 0.0
        D[:] = 0.0
        for j in range(size):
            Q[j] = basis[words[first + j]]
            for a in range(r):
                weighted = c[j] * Q[j, a]
                p[a] += weighted
                for b in range(r):
                    D[a, b] += weighted * Q[j, b]
        g = sign / (length * (length - 1))
        for a in range(r):
            for b in range(r):
                sum_pairs[a, b] += g * (p[a] * p[b] - D[a, b])
        if length < 3:
            continue
        n[3] += sign
        g /= length - 2
        for a in range(r):
            for b in range(a, r):
                row = sum_triples[a, b]
                both = p[a] * p[b] - D[a, b]
                for k in range(r):
                    row[k] += g * (both * p[k] - D[a, k] * p[b] - D[b, k] * p[a])
                for j in range(size):
                    weighted = 2.0 * g * c[j] * Q[j, a] * Q[j, b]
                    for k in range(r):
                        row[k] += weighted * Q[j, k]


@kernel
def mirror(upper: Floats) -> Floats:
    """``np.where(i <= j, upper, upper.transpose(1, 0, 2))``: fill in what follows by symmetry."""
    full = np.empty_like(upper)
    r = len(upper)
    for a in range(r):
        for b in range(r):
            full[a, b] = upper[min(a, b), max(a, b)]
    return full


@kernel
def multiply_pairs(
    indptr: Ints, words: WordIds, counts: Floats, lengths: Floats, Z: Floats
) -> Floats:
    """``sums.multiply_pairs(documents, Z)`` in one pass over the documents."""
    # flat and unsigned: a signed index is checked for wrap-around in the innermost loop
    d, z = Z.shape
    flat, out, p = Z.ravel(), np.zeros(d * z), np.empty(z)
    for i in range(len(indptr) - 1):
        if lengths[i] < 2:
            continue
        g = 1.0 / (lengths[i] * (lengths[i] - 1))
        p[:] = 0.0
        for j in range(indptr[i], indptr[i + 1]):
            at = np.uint64(words[j]) * np.uint64(z)
            for a in range(z):
                p[a] += counts[j] * flat[at + np.uint64(a)]
        for j in range(indptr[i], indptr[i + 1]):
            at = np.uint64(words[j]) * np.uint64(z)
            weight = g * counts[j]
            for a in range(z):
                out[at + np.uint64(a)] += weight * (p[a] - flat[at + np.uint64(a)])
    return out.reshape(d, z)
