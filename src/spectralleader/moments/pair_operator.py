"""The pairs of documents as an operator; `sums` has its meaning in NumPy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.documents import Documents
from spectralleader.moments.sums import add_up, multiply, sum_words, tuple_weights
from spectralleader.moments.update_kernels import CHUNK, Sums
from spectralleader.runtime.compiled import kernel

N_PRODUCTS = 10  # products that a search for an eigenspace takes, about


def pair_operator(
    documents: Documents, words: WordIds | None = None, n_words: int | None = None
) -> Callable[[Floats], Floats]:
    """Return the function that multiplies the sum of the pairs with a (d, z) block.

    If there are many documents over few words the pairs are summed first, (d, d); otherwise every
    product is a pass over the documents.

    Parameters
    ----------
    documents : Documents
        The documents.
    words, n_words : optional
        Other ids of the words of all entries, and how many there are.
    """
    words, d = documents.words if words is None else words, n_words or documents.n_words
    arrays = (documents.indptr, words, documents.counts)
    # an entry costs about as much in a pass as 10 numbers in a product of matrices; an entry of an
    # entry costs about as much in summing as one number
    n_summed = int((np.diff(documents.indptr) ** 2).sum())
    if N_PRODUCTS * d * d + n_summed < N_PRODUCTS * 10 * len(words):
        return sum_pairs(*arrays, documents.lengths, d).__matmul__
    weights = tuple_weights(documents, 2)
    # one layout: the kernel would be compiled for each
    return lambda Z: multiply_pairs(*arrays, weights, np.ascontiguousarray(Z))


def sum_in_basis(documents: Documents, basis: Floats) -> Sums:
    """Return what `ProjectedSums` has after an update with the documents.

    The products are those of `update_sums`, whose kernel takes four seconds to compile.
    """
    arrays, lengths = (documents.indptr, documents.words, documents.counts), documents.lengths
    g2, g3 = (tuple_weights(documents, order) for order in (2, 3))
    basis = np.ascontiguousarray(basis)
    image, third = (multiply_pairs(*arrays, g, basis) for g in (g2, g3))
    of_pairs, of_triples = (add_up(documents, g)[:, None] for g in (g2, g3))
    P = multiply(documents, basis)
    factors = np.column_stack([g3[:, None] * P / 3.0, g2])
    word_factors = np.column_stack([-third - of_triples * basis / 3.0, -of_pairs])
    upper = _add_squares(P, factors) + _add_squares(basis, word_factors)
    n = [float(lengths.sum()), *(float((lengths >= order).sum()) for order in (1, 2, 3))]
    return Sums(basis, np.array(n), sum_words(documents), image, upper)


def _add_squares(rows: Floats, factors: Floats) -> Floats:
    """Return the sum over rows v of v_i v_j factor, i <= j."""
    i, j = np.triu_indices(rows.shape[1])
    total = np.zeros((len(i), factors.shape[1]))
    for start in range(0, len(rows), CHUNK):
        some = rows[start : start + CHUNK].T
        total += (some[i] * some[j]) @ factors[start : start + CHUNK]
    return total


@kernel
def multiply_pairs(
    indptr: Ints, words: WordIds, counts: Floats, weights: Floats, Z: Floats
) -> Floats:
    """``X.T @ (weights * (X @ Z)) - (X.T @ weights) * Z`` in one pass over the documents.

    With `tuple_weights` of order 2 that is ``sums.multiply_pairs(documents, Z)``.
    """
    d, z = Z.shape
    out, p = np.zeros((d, z)), np.empty(z)
    for i in range(len(indptr) - 1):
        g = weights[i]
        if g == 0.0:
            continue
        ids, entries = words[indptr[i] : indptr[i + 1]], counts[indptr[i] : indptr[i + 1]]
        p[:] = 0.0
        for j in range(len(ids)):
            # unsigned: a signed index is checked for wrap-around
            row, c = Z[np.uint32(ids[j])], entries[j]
            for a in range(z):
                p[a] += c * row[a]
        for j in range(len(ids)):
            row, total, c = Z[np.uint32(ids[j])], out[np.uint32(ids[j])], g * entries[j]
            for a in range(z):
                total[a] += c * (p[a] - row[a])
    return out


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
