"""Moments as docs/method.md defines them, in NumPy: what the kernels are compared with."""

import numpy as np

from spectralleader.moments.sums import add_up, tuple_weights


def multiply_pairs(documents, Z):
    """Return (sum of the pairs) @ Z, shape (d, z), without forming the pairs (eq. 6)."""
    g = tuple_weights(documents, 2)
    X = documents.as_floats()
    return X.T @ (g[:, None] * (X @ Z)) - add_up(documents, g)[:, None] * Z


def project_triples(documents, basis):
    """Return the sum of the triples in a basis, shape (r, r, r), without (d, d, d) (eq. 7)."""
    g = tuple_weights(documents, 3)
    X = documents.as_floats()
    P = X @ basis  # (n, r)
    R = X.T @ (g[:, None] * P)  # (d, r)
    # Inclusion-exclusion over repeated positions: once is sum_i q_i (x) q_i (x) R_i.
    once = np.einsum("na,nb,nc->abc", basis, basis, R)
    thrice = np.einsum("na,nb,nc->abc", basis, basis, add_up(documents, g)[:, None] * basis)
    repeated = once + once.transpose(0, 2, 1) + once.transpose(2, 1, 0)
    return np.einsum("na,nb,nc->abc", P, P, g[:, None] * P) - repeated + 2.0 * thrice


def square_pairs(documents):
    """Return the sum of the squared pairs, shape (d, d), by forming the pairs (eq. 7b)."""
    total = np.zeros((documents.n_words, documents.n_words))
    for c, g in zip(documents.as_floats().toarray(), tuple_weights(documents, 2), strict=True):
        pairs = g * (np.outer(c, c) - np.diag(c))
        total += pairs @ pairs
    return total
