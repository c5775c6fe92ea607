"""Alignment: which topics of two models are the same, in arrays."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.models.assignment import match
from spectralleader.runtime.compiled import kernel


@kernel
def best_order(topics: Floats, reference: Floats, order: Ints) -> bool:
    """Set the topics' order that best matches the reference's, by cosine; say if it is theirs."""
    similarity, best, differ, stay = compare(topics, reference)
    order[:] = best if differ else match(similarity)
    return stay


@kernel
def compare(topics: Floats, reference: Floats) -> tuple[Floats, Ints, bool, bool]:
    """Return the cosines of topics and reference, each column's best row, and if these differ.

    The reference may be over fewer words, of which it rules out the others.
    Rows that differ are a matching, and no other is better. What is as good to rounding stays where
    it is: the diagonal gets a little more. The last value says whether all rows stay.
    """
    k = len(topics)
    similarity, sizes = np.empty((k, k)), np.empty(k)
    for j in range(k):
        sizes[j] = np.sqrt(inner(reference[j], reference[j]))
    for i in range(k):
        size = np.sqrt(inner(topics[i], topics[i]))
        for j in range(k):
            similarity[i, j] = inner(topics[i], reference[j]) / (size * sizes[j])
    best, taken = np.empty(k, np.int64), np.zeros(k, np.bool_)
    differ, stay = True, True
    for i in range(k):
        similarity[i, i] += 1e-9
    for column in range(k):
        best[column] = similarity[:, column].argmax()
        stay &= best[column] == column
        differ &= not taken[best[column]]
        taken[best[column]] = True
    return similarity, best, differ, stay


@kernel
def reorder(
    weights: Floats, topics: Floats, order: Ints, to_weights: Floats, to_topics: Floats
) -> None:
    """``to_weights[:], to_topics[:] = weights[order], topics[order]``."""
    for k in range(len(order)):
        to_weights[k] = weights[order[k]]
        for w in range(topics.shape[1]):
            to_topics[k, w] = topics[order[k], w]


@kernel
def inner(x: Floats, y: Floats) -> float:
    """``x[: len(y)] @ y``."""
    total = 0.0
    for i in range(len(y)):
        total += x[i] * y[i]
    return total
