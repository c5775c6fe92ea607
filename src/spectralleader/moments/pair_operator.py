"""The sum of the pairs as a linear operator, and all sums in a basis by means of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.documents import Documents
from spectralleader.moments.projected import CHUNK, Sums
from spectralleader.moments.sums import add_up, multiply, sum_words, tuple_weights
from spectralleader.runtime.compiled import kernel

N_PRODUCTS = 10  # typical number of products in a search for an eigenspace


def pair_operator(
    documents: Documents, words: WordIds | None = None, n_words: int | None = None
) -> Callable[[Floats], Floats]:
    """Return the function that multiplies the sum of the pairs with a (d, z) block.

    For many documents over few words the (d, d) matrix is summed first; otherwise every product is
    a pass over the documents.

    Parameters
    ----------
    documents : Documents
        The documents.
    words, n_words : optional
        Replacement ids of the words of all entries, and their number.
    """
    words, d = documents.words if words is None else words, n_words or documents.n_words
    arrays = (documents.indptr, words, documents.counts)
    # Cost model: an entry in a pass costs about as much as 10 numbers in a matrix product, and a
    # pair of entries in summing as much as one number.
    n_summed = int((np.diff(documents.indptr) ** 2).sum())
    if N_PRODUCTS * d * d + n_summed < N_PRODUCTS * 10 * len(words):
        return sum_pairs(*arrays, documents.lengths, d).__matmul__
    weights = tuple_weights(documents, 2)
    return lambda Z: multiply_pairs(*arrays, weights, Z)


def sum_in_basis(documents: Documents, basis: Floats) -> Sums:
    """Return the sums of `ProjectedSums` after an update with the documents.

    This avoids the kernel of `update_sums`, which takes four seconds to compile.
    """
    arrays, lengths = (documents.indptr, documents.words, documents.counts), documents.lengths
    g2, g3 = (tuple_weights(documents, order) for order in (2, 3))
    basis = np.ascontiguousarray(basis)
    image, third = (multiply_pairs(*arrays, g, basis) for g in (g2, g3))
    of_pairs, of_triples = (add_up(documents, g)[:, None] for g in (g2, g3))
    P = multiply(documents, basis)
    square = Documents.trusted(*arrays[:2], documents.counts**2, documents.n_words)
    # The pairs, as p p g2 over documents less tau_2 q q over words, and their squares by eq. 7b.
    powers = g2**2 * (square.lengths - 2.0)
    factors = np.column_stack([g3[:, None] * P / 3.0, g2, powers])
    # Eq. 20 summed over entries: `third` is R - tau_3 Q, so that a word has 2/3 tau_3 Q - R.
    word_factors = np.column_stack(
        [-third - of_triples * basis / 3.0, -of_pairs, add_up(square, g2**2)]
    )
    upper = _add_squares(P, factors) + _add_squares(basis, word_factors)
    i, j = np.triu_indices(basis.shape[1])
    repeated = (multiply(square, basis) - P).T @ (g2[:, None] ** 2 * P)
    upper[:, -1] -= repeated[i, j] + repeated[j, i]
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


def multiply_pairs(
    indptr: Ints, words: WordIds, counts: Floats, weights: Floats, Z: Floats
) -> Floats:
    """``X.T @ (weights * (X @ Z)) - (X.T @ weights) * Z`` in one pass over the documents.

    With `tuple_weights` of order 2 that is the sum of the pairs times Z (eq. 6).
    """
    out, projected = np.zeros(Z.shape), np.empty(Z.shape[1])
    # C-contiguous, because Numba compiles a kernel for each array layout.
    _add_products(indptr, words, counts, weights, np.ascontiguousarray(Z), projected, out)
    return out


@kernel
def _add_products(
    indptr: Ints, words: WordIds, counts: Floats, weights: Floats, Z: Floats, p: Floats, out: Floats
) -> None:
    """Add the result of `multiply_pairs` to `out`; p is a buffer for one row."""
    z = len(p)
    for i in range(len(indptr) - 1):
        g = weights[i]
        # Too short a document for the tuple.
        if g == 0.0:
            continue
        for a in range(z):
            p[a] = 0.0
        for j in range(indptr[i], indptr[i + 1]):
            # unsigned: a signed index is checked for wrap-around
            row, c = Z[np.uint32(words[j])], counts[j]
            for a in range(z):
                p[a] += c * row[a]
        for j in range(indptr[i], indptr[i + 1]):
            w, c = np.uint32(words[j]), g * counts[j]
            row, total = Z[w], out[w]
            for a in range(z):
                # Eq. 6 entry by entry: subtracting the word's own row subtracts tau_2 Z.
                total[a] += c * (p[a] - row[a])


def sum_pairs(indptr: Ints, words: WordIds, counts: Floats, lengths: Floats, d: int) -> Floats:
    """``sums.sum_pairs(documents)``, shape (d, d)."""
    half = np.zeros((d, d))
    _add_pairs(indptr, words, counts, lengths, half)
    return half + half.T


@kernel
def _add_pairs(indptr: Ints, words: WordIds, counts: Floats, lengths: Floats, half: Floats) -> None:
    """Add each pair of words once: half of the symmetric result."""
    for i in range(len(indptr) - 1):
        if lengths[i] < 2:
            continue
        g = 1.0 / (lengths[i] * (lengths[i] - 1))
        for j in range(indptr[i], indptr[i + 1]):
            row, weight = half[np.uint32(words[j])], g * counts[j]
            for k in range(indptr[i], j):
                row[np.uint32(words[k])] += weight * counts[k]
            # The diagonal c (c - 1) of eq. 4, halved because the transpose is added.
            row[np.uint32(words[j])] += 0.5 * weight * (counts[j] - 1)
