"""Matching: which topics of two models are the same."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.runtime.blas import ONE_BLAS_THREAD
from spectralleader.runtime.compiled import inlined, kernel

FEW = 20  # topics, up to which `assign` takes a few milliseconds at most
TIE = 1e-9  # more similarity for staying: what is as good up to rounding stays where it is


def best_order(topics: Floats, reference: Floats) -> Ints:
    """Return the order of topics, (K, d), that best matches a reference's, by the sum of cosines.

    The reference may be over fewer words, of which it rules out the others.

    Examples
    --------
    >>> best_order(np.array([[1.0, 0.0], [0.2, 0.8]]), np.array([[0.0, 1.0], [1.0, 0.0]])).tolist()
    [1, 0]
    """
    # as `compare` does, which takes longer to compile than all that it would save
    sizes = np.sqrt((topics**2).sum(axis=1)), np.sqrt((reference**2).sum(axis=1))
    with ONE_BLAS_THREAD:
        similarity = topics[:, : reference.shape[1]] @ reference.T / np.outer(*sizes)
    similarity += TIE * np.eye(len(topics))
    order: Ints = similarity.argmax(axis=0)
    if len(set(order.tolist())) == len(order):  # each has the best: no other matching is better
        return order
    if len(order) <= FEW:
        return assign(-similarity.T)
    from scipy.optimize import linear_sum_assignment

    return np.asarray(linear_sum_assignment(similarity.T, maximize=True)[1])


def assign(cost: Floats) -> Ints:
    """Return a column for each row of a square matrix, all different, with the least sum, (n,).

    Shortest augmenting paths, a row at a time (Jonker & Volgenant 1987): what
    `scipy.optimize.linear_sum_assignment` does. To import that takes 0.14 s, as long as a hundred
    matchings of 20 topics; one of 100 topics takes 50 ms here.

    Examples
    --------
    >>> assign(np.array([[1.0, 2.0], [1.0, 3.0]])).tolist()
    [1, 0]
    """
    n = len(cost)
    of_rows, of_columns = np.zeros(n), np.zeros(n + 1)  # dual prices
    row_of = np.full(n + 1, -1)  # each column's row; in the last column a path begins
    for row in range(n):
        row_of[n], column = row, n
        least, before = np.full(n, np.inf), np.full(n, n)  # price of a path to a column, and how
        reached = np.zeros(n + 1, np.bool_)
        while row_of[column] >= 0:
            reached[column] = True
            at = row_of[column]
            now = cost[at] - of_rows[at] - of_columns[:n]
            better = ~reached[:n] & (now < least)
            least[better], before[better] = now[better], column
            open_ones = np.where(reached[:n], np.inf, least)
            column = int(open_ones.argmin())
            step = open_ones[column]
            of_rows[row_of[reached]] += step
            of_columns[reached] -= step
            least[~reached[:n]] -= step
        while column != n:
            row_of[column] = row_of[before[column]]
            column = int(before[column])
    return np.argsort(row_of[:n])


@inlined
def compare(topics: Floats, reference: Floats, best: Ints) -> Floats:
    """Return the cosines of topics and reference, those of one place with `TIE` more.

    Sets `best` to the topic that is most like each of the reference.
    """
    k, d = reference.shape
    out, sizes = np.empty((k, k)), np.empty((2, k))
    for i in range(k):
        square = 0.0
        for w in range(topics.shape[1]):
            square += topics[i, w] * topics[i, w]
        sizes[0, i], square = np.sqrt(square), 0.0
        for w in range(d):
            square += reference[i, w] * reference[i, w]
        sizes[1, i] = np.sqrt(square)
    for i in range(k):
        for j in range(k):
            total = 0.0
            for w in range(d):
                total += topics[i, w] * reference[j, w]
            out[i, j] = total / (sizes[0, i] * sizes[1, j]) + (TIE if i == j else 0.0)
    for j in range(k):
        best[j] = out[:, j].argmax()
    return out


@kernel
def put_in_order(
    weights: Floats,
    topics: Floats,
    reference: Floats,
    ordered_weights: Floats,
    ordered_topics: Floats,
) -> bool:
    """Set a model in the order of `best_order`; return False where that takes a real matching.

    That is, where two topics of the reference are most like the same one.
    """
    k = len(weights)
    order, taken = np.empty(k, np.int64), np.zeros(k, np.bool_)
    compare(topics, reference, order)
    for i in range(k):
        if taken[order[i]]:
            return False
        taken[order[i]] = True
        ordered_weights[i] = weights[order[i]]
        ordered_topics[i] = topics[order[i]]
    return True
