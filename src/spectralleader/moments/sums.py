"""Sums of words, pairs and triples over documents, in NumPy and BLAS.

With counts c and length L, the words, pairs and triples of a document are averages over its ordered
1-, 2- and 3-tuples of distinct positions (method.md, eqs. 3 to 5); documents that are too short for
a tuple contribute nothing. All results are sums over documents, not means, so that they can be
added and subtracted.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.documents import Documents


def tuple_weights(documents: Documents, order: int) -> Floats:
    """Return 1 / (L (L-1) ... (L-order+1)) for each document, 0 where it has too few words."""
    lengths = documents.lengths
    enough = lengths >= order
    n_tuples = np.ones_like(lengths)
    for k in range(order):
        # 1 instead of factors that may be 0, so that nothing is divided by 0 below.
        n_tuples *= np.where(enough, lengths - k, 1.0)
    return np.where(enough, 1.0 / n_tuples, 0.0)


def sum_words(documents: Documents) -> Floats:
    """Return the sum of c / L, shape (d,)."""
    return add_up(documents, tuple_weights(documents, 1))


def sum_pairs(documents: Documents) -> Floats:
    """Return the sum of the pairs, shape (d, d), for small vocabularies."""
    g = tuple_weights(documents, 2)
    X = documents.as_floats()
    pairs = (X.T @ X.multiply(g[:, None]).tocsr()).toarray()
    # Eq. 4: a position does not form a pair with itself.
    pairs[np.diag_indices_from(pairs)] -= add_up(documents, g)
    return np.asarray((pairs + pairs.T) / 2)  # remove asymmetric rounding errors


def multiply(documents: Documents, Z: Floats) -> Floats:
    """Return X @ Z, shape (n_docs, z), for counts X, without SciPy, which is slow to import."""
    out, some = np.zeros((documents.n_docs, Z.shape[1])), np.diff(documents.indptr) > 0
    if some.any():  # `reduceat` cannot represent empty sums
        entries = documents.counts[:, None] * Z[documents.words]
        out[some] = np.add.reduceat(entries, documents.indptr[:-1][some])
    return out


def add_up(documents: Documents, g: Floats) -> Floats:
    """Return the weighted sum of the counts, X.T @ g, shape (d,)."""
    per_entry = documents.counts * np.repeat(g, np.diff(documents.indptr))
    return np.asarray(
        np.bincount(documents.words, weights=per_entry, minlength=documents.n_words), np.float64
    )


@cache
def upper_rows(r: int) -> Ints:
    """Return the row of `Sums.upper` that has the entries (i, j), the same as (j, i), (r, r)."""
    at = np.empty((r, r), np.int64)
    i, j = np.triu_indices(r)
    at[i, j] = at[j, i] = np.arange(len(i))
    # Cached, so that all callers share this array.
    at.setflags(write=False)
    return at
