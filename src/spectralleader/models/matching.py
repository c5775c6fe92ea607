"""Matching the topics of two models."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.runtime.blas import ONE_BLAS_THREAD
from spectralleader.runtime.compiled import kernel

TIE = 1e-9  # bonus for keeping a topic's place, above rounding errors: ties change nothing


def best_order(topics: Floats, reference: Floats) -> Ints:
    """Return the order of the topics, (K, d), that maximises the sum of cosines to a reference.

    The reference may have fewer words; it gives the others probability 0.

    Examples
    --------
    >>> best_order(np.array([[1.0, 0.0], [0.2, 0.8]]), np.array([[0.0, 1.0], [1.0, 0.0]])).tolist()
    [1, 0]
    """
    similarity = cosines(topics, reference) + TIE * np.eye(len(topics))
    order: Ints = similarity.argmax(axis=0)
    # If every reference topic has a different best match, that assignment is already optimal.
    return order if len(set(order.tolist())) == len(order) else assign(similarity.T)


def cosines(topics: Floats, reference: Floats) -> Floats:
    """Return the cosine of each topic, (K, d), and each of a reference, (J, at most d): (K, J)."""
    sizes = np.sqrt((topics**2).sum(axis=1)), np.sqrt((reference**2).sum(axis=1))
    with ONE_BLAS_THREAD:
        return np.asarray(topics[:, : reference.shape[1]] @ reference.T / np.outer(*sizes))


def assign(gain: Floats) -> Ints:
    """Return the assignment of columns to the rows of a square matrix with the largest sum.

    Examples
    --------
    >>> assign(np.array([[3.0, 2.0], [3.0, 1.0]])).tolist()
    [1, 0]
    """
    # Takes 0.15 s to import, and most small runs need no assignment.
    from scipy.optimize import linear_sum_assignment

    return np.asarray(linear_sum_assignment(gain, maximize=True)[1])


@kernel
def put_in_order(
    weights: Floats,
    topics: Floats,
    reference: Floats,
    ordered_weights: Floats,
    ordered_topics: Floats,
) -> bool:
    """Write the model to the outputs in the order of its best matches; return if they are distinct.

    If they are, that is the order of `best_order`, in a fifth of the time: SpectralLeader needs it
    at each step.
    """
    k, d = reference.shape
    sizes, taken, is_matching = np.empty(k), np.zeros(k, np.bool_), True
    for i in range(k):
        square = 0.0
        for w in range(topics.shape[1]):
            square += topics[i, w] * topics[i, w]
        sizes[i] = np.sqrt(square)
    for j in range(k):
        square, best, most = 0.0, 0, -np.inf
        for w in range(d):
            square += reference[j, w] * reference[j, w]
        for i in range(k):
            total = 0.0
            for w in range(d):
                total += topics[i, w] * reference[j, w]
            cosine = total / (sizes[i] * np.sqrt(square)) + (TIE if i == j else 0.0)
            if cosine > most:
                best, most = i, cosine
        is_matching &= not taken[best]
        taken[best], ordered_weights[j], ordered_topics[j] = True, weights[best], topics[best]
    return is_matching
