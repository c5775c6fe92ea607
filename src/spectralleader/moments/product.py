"""The pairs of documents as a product, without the pairs where these would be large."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.runtime.compiled import kernel

N_PRODUCTS = 10  # about so many are asked for


def pairs_product(
    indptr: Ints, words: WordIds, counts: Floats, lengths: Floats, d: int
) -> Callable[[Floats], Floats]:
    """Return the function that multiplies the sum of the pairs with a (d, z) block.

    Where there are many documents over few words the pairs are summed first, (d, d); else every
    product is a pass over the documents.
    """
    # what an entry costs in a pass is about what 10 numbers cost in a product of matrices; what
    # an entry of an entry costs in summing is about what one number costs
    n_summed = int((np.diff(indptr) ** 2).sum())
    if N_PRODUCTS * d * d + n_summed < N_PRODUCTS * 10 * len(words):
        return sum_pairs(indptr, words, counts, lengths, d).__matmul__
    return lambda Z: multiply_pairs(indptr, words, counts, lengths, Z)


@kernel
def multiply_pairs(
    indptr: Ints, words: WordIds, counts: Floats, lengths: Floats, Z: Floats
) -> Floats:
    """``sums.multiply_pairs(documents, Z)`` in one pass over the documents."""
    # flat and unsigned: a signed index is checked for wrap-around in the innermost loop
    d, z = Z.shape
    flat, out, p = Z.ravel(), np.zeros(d * z), np.empty(z)
    if z == 4:
        _multiply_four(indptr, words, counts, lengths, flat, out)
        return out.reshape(d, z)
    for i in range(len(indptr) - 1):
        if lengths[i] < 2:
            continue
        g = 1.0 / (lengths[i] * (lengths[i] - 1))
        ids, entries = words[indptr[i] : indptr[i + 1]], counts[indptr[i] : indptr[i + 1]]
        p[:] = 0.0
        for j in range(len(ids)):
            at, c = np.uint64(ids[j]) * np.uint64(z), entries[j]
            for a in range(z):
                p[a] += c * flat[at + np.uint64(a)]
        for j in range(len(ids)):
            at, c = np.uint64(ids[j]) * np.uint64(z), g * entries[j]
            for a in range(z):
                out[at + np.uint64(a)] += c * (p[a] - flat[at + np.uint64(a)])
    return out.reshape(d, z)


@kernel
def _multiply_four(
    indptr: Ints, words: WordIds, counts: Floats, lengths: Floats, Z: Floats, out: Floats
) -> None:
    """Add the pairs times four columns: so few that a document's sums stay in registers."""
    one, two, three, four = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    for i in range(len(indptr) - 1):
        if lengths[i] < 2:
            continue
        g = 1.0 / (lengths[i] * (lengths[i] - 1))
        ids, entries = words[indptr[i] : indptr[i + 1]], counts[indptr[i] : indptr[i + 1]]
        p, q, r, s = 0.0, 0.0, 0.0, 0.0
        for j in range(len(ids)):
            at, c = np.uint64(ids[j]) * four, entries[j]
            p += c * Z[at]
            q += c * Z[at + one]
            r += c * Z[at + two]
            s += c * Z[at + three]
        for j in range(len(ids)):
            at, c = np.uint64(ids[j]) * four, g * entries[j]
            out[at] += c * (p - Z[at])
            out[at + one] += c * (q - Z[at + one])
            out[at + two] += c * (r - Z[at + two])
            out[at + three] += c * (s - Z[at + three])


@kernel
def sum_pairs(indptr: Ints, words: WordIds, counts: Floats, lengths: Floats, d: int) -> Floats:
    """``sums.sum_pairs(documents)``, shape (d, d)."""
    half = np.zeros((d, d))  # to be added to its transpose
    for i in range(len(indptr) - 1):
        if lengths[i] < 2:
            continue
        g = 1.0 / (lengths[i] * (lengths[i] - 1))
        for j in range(indptr[i], indptr[i + 1]):
            row, weight = half[np.uint32(words[j])], g * counts[j]
            for k in range(indptr[i], j):
                row[np.uint32(words[k])] += weight * counts[k]
            row[np.uint32(words[j])] += 0.5 * weight * (counts[j] - 1)
    for a in range(d):
        for b in range(a + 1):
            half[a, b] = half[b, a] = half[a, b] + half[b, a]
    return half
