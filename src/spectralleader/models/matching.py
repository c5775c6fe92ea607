"""Matching the topics of two models."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.runtime.blas import ONE_BLAS_THREAD
from spectralleader.runtime.compiled import inlined, kernel

TIE = 1e-9  # bonus for keeping a topic's place, above rounding errors: ties change nothing


def best_order(topics: Floats, reference: Floats) -> Ints:
    """Return the order of the topics, (K, d), that maximises the sum of cosines to a reference.

    The reference may have fewer words; it gives the others probability 0.

    Examples
    --------
    >>> best_order(np.array([[1.0, 0.0], [0.2, 0.8]]), np.array([[0.0, 1.0], [1.0, 0.0]])).tolist()
    [1, 0]
    """
    # The same as the kernel `compare`, whose compilation would take longer than it saves here.
    similarity = cosines(topics, reference) + TIE * np.eye(len(topics))
    order: Ints = similarity.argmax(axis=0)
    # If every reference topic has a different best match, that assignment is already optimal.
    if len(set(order.tolist())) < len(order):
        assign(np.ascontiguousarray(similarity.T), order)
    return order


def cosines(topics: Floats, reference: Floats) -> Floats:
    """Return the cosine of each topic, (K, d), and each of a reference, (J, at most d): (K, J)."""
    sizes = np.sqrt((topics**2).sum(axis=1)), np.sqrt((reference**2).sum(axis=1))
    with ONE_BLAS_THREAD:
        return np.asarray(topics[:, : reference.shape[1]] @ reference.T / np.outer(*sizes))


@kernel
def assign(gain: Floats, chosen: Ints) -> None:
    """Set `chosen` to the assignment of columns to rows with the largest sum, for a square matrix.

    Uses shortest augmenting paths, one row at a time (Jonker & Volgenant 1987), like
    `scipy.optimize.linear_sum_assignment`, whose import takes 0.14 s.

    Examples
    --------
    >>> chosen = np.empty(2, np.int64)
    >>> assign(np.array([[3.0, 2.0], [3.0, 1.0]]), chosen)
    >>> chosen.tolist()
    [1, 0]
    """
    n = len(gain)
    # Dual variables of rows and columns, and the distance of each column; O(n^3) in total.
    of_rows, of_columns, least = np.empty(n), np.empty(n + 1), np.empty(n)
    row_of, before = np.empty(n + 1, np.int64), np.empty(n, np.int64)
    reached = np.empty(n + 1, np.bool_)
    for j in range(n + 1):  # column n is a sentinel in which every augmenting path starts
        of_columns[j], row_of[j] = 0.0, -1
    for row in range(n):
        row_of[n], of_rows[row], reached[n], column = row, 0.0, False, n
        for j in range(n):
            least[j], before[j], reached[j] = np.inf, n, False
        # Dijkstra over reduced costs, until a column is reached that has no row yet.
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
                # Updating the duals keeps reduced costs non-negative, and 0 along assigned pairs.
                if reached[j]:
                    of_rows[row_of[j]] += step
                    of_columns[j] -= step
                elif j < n:
                    least[j] -= step
            column = following
        # Augment: shift the rows along the path that was found.
        while column != n:
            row_of[column] = row_of[before[column]]
            column = before[column]
    for j in range(n):
        chosen[row_of[j]] = j


@inlined
def compare(topics: Floats, reference: Floats, best: Ints) -> Floats:
    """Return the cosines of reference (rows) and topics (columns), with `TIE` on the diagonal.

    Sets `best` to the most similar topic of each reference topic.
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
    """Write the model to the outputs in the order of `best_order`."""
    k = len(weights)
    order, taken, is_matching = np.empty(k, np.int64), np.zeros(k, np.bool_), True
    gain = compare(topics, reference, order)
    for i in range(k):
        is_matching &= not taken[order[i]]
        taken[order[i]] = True
    # As in `best_order`: if all best matches are distinct, they are optimal.
    if not is_matching:
        assign(gain, order)
    for i in range(k):
        ordered_weights[i] = weights[order[i]]
        ordered_topics[i] = topics[order[i]]
