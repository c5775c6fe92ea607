"""Matching: topics have no names, so predictions are compared after the best matching."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment

from spectralleader.documents import Ints


def contingency(predicted: ArrayLike, labels: ArrayLike) -> Ints:
    """Return how often each predicted topic meets each label, (n_predicted, n_labels)."""
    topics, rows = np.unique(np.asarray(predicted), return_inverse=True)
    names, columns = np.unique(np.asarray(labels), return_inverse=True)
    table = np.zeros((len(topics), len(names)), np.int64)
    np.add.at(table, (rows, columns), 1)
    return table


def matched_accuracy(predicted: ArrayLike, labels: ArrayLike) -> float:
    """Return the share of agreement under the one-to-one matching of topics to labels that is best.

    Examples
    --------
    >>> matched_accuracy([0, 0, 1, 1], ["b", "b", "a", "b"])
    0.75
    """
    table = contingency(predicted, labels)
    matched = linear_sum_assignment(table, maximize=True)
    return float(table[matched].sum() / table.sum())
