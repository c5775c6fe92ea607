"""Moments as docs/method.md defines them, in NumPy: what the kernels are compared with."""

import numpy as np

from spectralleader.moments import Sums
from spectralleader.moments.sums import add_up, tuple_weights, upper_rows


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


def pack(pairs, triples):
    """Return pairs (r, r) and symmetric triples (r, r, r) in the layout of `Sums.upper`."""
    i, j = np.triu_indices(len(pairs))
    # A third of the triples, because unpacking adds three permutations. Squares of 0: no noise.
    return np.column_stack([triples[i, j] / 3.0, pairs[i, j], np.zeros(len(i))])


def unpack_pairs(upper):
    """Return the pairs in `Sums.upper`, (r, r)."""
    r = upper.shape[1] - 2
    return upper[upper_rows(r), r]


def unpack_squares(upper):
    """Return the squared pairs in `Sums.upper`, (r, r)."""
    r = upper.shape[1] - 2
    return upper[upper_rows(r), r + 1]


def unpack_triples(upper):
    """Return the triples in `Sums.upper`, symmetrised, (r, r, r)."""
    r = upper.shape[1] - 2
    full = upper[upper_rows(r), :r]
    return full + full.transpose(0, 2, 1) + full.transpose(2, 1, 0)


def population_triples(model):
    """Return the third-moment tensor M3 of a model, (d, d, d) (eq. 2)."""
    scaled = model.weights[:, None] * model.topics
    return np.einsum("ka,kb,kc->abc", scaled, model.topics, model.topics)


def population_sums(model, basis=None):
    """Return the moments of a model as the sums of one document with infinitely many words."""
    Q = np.eye(model.n_words) if basis is None else np.ascontiguousarray(basis)
    weights, P = model.weights, model.topics @ Q
    image = model.topics.T @ (weights[:, None] * P)
    triples = np.einsum("k,ka,kb,kc->abc", weights, P, P, P)
    # With infinitely many tokens, the share of the unigram distribution (eq. 11) is 0.
    n = np.array([np.inf, 1.0, 1.0, 1.0])
    return Sums(Q, n, weights @ model.topics, image, pack(Q.T @ image, triples))


def residual(estimate):
    """Return ||T - sum lambda v^(x)3|| / ||T|| of an estimate; 0 if T is 0."""
    T, values, V = estimate.triples, estimate.tensor_eigenvalues, estimate.tensor_eigenvectors
    rest = np.linalg.norm(T - np.einsum("i,ia,ib,ic->abc", values, V, V, V))
    return rest / max(np.linalg.norm(T), np.finfo(float).tiny)
