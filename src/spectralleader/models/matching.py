"""Matching: which topics of two models are the same."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.runtime.compiled import kernel

TIE = 1e-9  # more similarity for staying: what is as good up to rounding stays where it is


def best_order(topics: Floats, reference: Floats) -> Ints:
    """Return the order of topics, (K, d), that best matches a reference's, by the sum of cosines.

    The reference may be over fewer words, of which it rules out the others.

    Examples
    --------
    >>> best_order(np.array([[1.0, 0.0], [0.2, 0.8]]), np.array([[0.0, 1.0], [1.0, 0.0]])).tolist()
    [1, 0]
    """
    similarity = cosines(topics, reference)
    similarity[np.diag_indices(len(similarity))] += TIE
    order: Ints = similarity.argmax(axis=0)
    if len(set(order.tolist())) == len(order):  # each has the best: no other matching is better
        return order
    from scipy.optimize import linear_sum_assignment  # seldom needed, and slow to import

    rows = linear_sum_assignment(similarity.T, maximize=True)[1]
    return np.asarray(rows, np.int64)


@kernel
def cosines(topics: Floats, reference: Floats) -> Floats:
    """``topics @ reference.T``, divided by the rows' norms; words beyond the reference's are 0."""
    out, sizes = np.empty((len(topics), len(reference))), np.empty(len(reference))
    for j in range(len(reference)):
        sizes[j] = 0.0
        for w in range(reference.shape[1]):
            sizes[j] += reference[j, w] * reference[j, w]
    for i in range(len(topics)):
        size = 0.0
        for w in range(topics.shape[1]):
            size += topics[i, w] * topics[i, w]
        for j in range(len(reference)):
            total = 0.0
            for w in range(reference.shape[1]):
                total += topics[i, w] * reference[j, w]
            out[i, j] = total / np.sqrt(size * sizes[j])
    return out
