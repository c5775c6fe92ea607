"""Matching: which topics of two models are the same."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.runtime.blas import ONE_BLAS_THREAD
from spectralleader.runtime.compiled import inlined, kernel

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
    if len(set(order.tolist())) < len(order):  # else each has the best: none is better
        assign(np.ascontiguousarray(similarity.T), order)
    return order


@kernel
def assign(gain: Floats, chosen: Ints) -> None:
    """Set a column for each row of a square matrix, all different, with the largest sum.

    Shortest augmenting paths, a row at a time (Jonker & Volgenant 1987): what
    `scipy.optimize.linear_sum_assignment` does, whose import takes 0.14 s.

    Examples
    --------
    >>> chosen = np.empty(2, np.int64)
    >>> assign(np.array([[3.0, 2.0], [3.0, 1.0]]), chosen)
    >>> chosen.tolist()
    [1, 0]
    """
    n = len(gain)
    of_rows, of_columns, least = np.empty(n), np.empty(n + 1), np.empty(n)
    row_of, before = np.empty(n + 1, np.int64), np.empty(n, np.int64)
    reached = np.empty(n + 1, np.bool_)
    for j in range(n + 1):  # a path begins in the column beyond the last
        of_columns[j], row_of[j] = 0.0, -1
    for row in range(n):
        row_of[n], of_rows[row], reached[n], column = row, 0.0, False, n
        for j in range(n):
            least[j], before[j], reached[j] = np.inf, n, False
        while row_of[column] >= 0:
            reached[column] = True
            at, following, step = row_of[column], n, np.inf
            for j in range(n):
                if not reached[j]:
                    now = -gain[at, j] - of_rows[at] - of_columns[j]
                    if now < least[j]:
                        least[j], before[j] = now, column
                    if least[j] < step:
                        step, following = least[j], j
            for j in range(n + 1):
                if reached[j]:
                    of_rows[row_of[j]] += step
                    of_columns[j] -= step
                elif j < n:
                    least[j] -= step
            column = following
        while column != n:
            row_of[column] = row_of[before[column]]
            column = before[column]
    for j in range(n):
        chosen[row_of[j]] = j


@inlined
def compare(topics: Floats, reference: Floats, best: Ints) -> Floats:
    """Return the cosines of reference (rows) and topics, those of one place with `TIE` more.

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
            out[j, i] = total / (sizes[0, i] * sizes[1, j]) + (TIE if i == j else 0.0)
    for j in range(k):
        best[j] = out[j].argmax()
    return out


@kernel
def put_in_order(
    weights: Floats,
    topics: Floats,
    reference: Floats,
    ordered_weights: Floats,
    ordered_topics: Floats,
) -> None:
    """Set a model in the order of `best_order`."""
    k = len(weights)
    order, taken, is_matching = np.empty(k, np.int64), np.zeros(k, np.bool_), True
    gain = compare(topics, reference, order)
    for i in range(k):
        is_matching &= not taken[order[i]]
        taken[order[i]] = True
    if not is_matching:
        assign(gain, order)
    for i in range(k):
        ordered_weights[i] = weights[order[i]]
        ordered_topics[i] = topics[order[i]]
