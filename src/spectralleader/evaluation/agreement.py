"""Agreement of topics with labels, invariant to the numbering of topics."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from spectralleader.arrays import Floats, Ints
from spectralleader.models.matching import assign


def contingency(predicted: ArrayLike, labels: ArrayLike) -> Ints:
    """Return the contingency table of predicted topics and labels, (n_predicted, n_labels)."""
    topics, rows = np.unique(np.asarray(predicted), return_inverse=True)
    names, columns = np.unique(np.asarray(labels), return_inverse=True)
    table = np.zeros((len(topics), len(names)), np.int64)
    np.add.at(table, (rows, columns), 1)
    return table


def matched_accuracy(predicted: ArrayLike, labels: ArrayLike) -> float:
    """Return the accuracy under the best one-to-one matching of topics to labels.

    Examples
    --------
    >>> matched_accuracy([0, 0, 1, 1], ["b", "b", "a", "b"])
    0.75
    """
    return table_accuracy(contingency(predicted, labels))


def table_accuracy(table: Ints) -> float:
    """Return the matched accuracy of a table of topics x labels."""
    n = max(table.shape)
    gain = np.zeros((n, n))
    gain[: table.shape[0], : table.shape[1]] = table
    return float(gain[np.arange(n), assign(gain)].sum() / table.sum())


def majority_accuracy(predicted: ArrayLike, labels: ArrayLike) -> float:
    """Return the accuracy (purity) if every topic stands for its most frequent label.

    Several topics may stand for one label. Splitting a topic never lowers it, so only compare
    models with equal numbers of topics.

    Examples
    --------
    >>> majority_accuracy([0, 0, 1, 2], ["b", "b", "a", "a"])
    1.0
    """
    table = contingency(predicted, labels)
    return float(table.max(axis=1).sum() / table.sum())


def nmi(predicted: ArrayLike, labels: ArrayLike) -> float:
    """Return the normalised mutual information of topics and labels, see `mutual_information`.

    It needs no matching, and models with different numbers of topics can be compared.

    Examples
    --------
    >>> nmi([0, 0, 1, 1], ["b", "b", "a", "a"])
    1.0
    """
    return mutual_information(contingency(predicted, labels))


def mutual_information(table: Ints) -> float:
    """Return the normalised mutual information of a table of topics x labels, from 0 to 1.

    ``I(topic; label) / mean(H(topic), H(label))``; 1 if there is one topic and one label.

    Examples
    --------
    >>> mutual_information(contingency([0, 0, 1, 1], ["b", "b", "a", "a"]))
    1.0
    """
    joint = table / table.sum()
    entropies = [_entropy(joint.sum(axis=axis)) for axis in (0, 1)]
    if (mean := sum(entropies) / 2) <= 0.0:
        return 1.0
    return max(0.0, (sum(entropies) - _entropy(joint.ravel())) / mean)


def _entropy(shares: Floats) -> float:
    positive = shares[shares > 0]
    return -float(positive @ np.log(positive))
