"""What is measured of the topics that documents were given."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from spectralleader.arrays import Floats, Ints
from spectralleader.evaluation.metrics import contingency

USED = 0.1  # share of an even share of the documents that a topic in use has, more than
FILLS = 50  # documents that one topic needs
KEPT = 0.8  # share of the topics that the documents can fill, at least, that are to be in use


def count_in_use(topics: Ints, n_topics: int) -> int:
    """Return how many topics more than a tenth of an even share of the documents prefer."""
    sizes = np.bincount(topics, minlength=n_topics)
    return int((sizes > USED * len(topics) / n_topics).sum())


def least_in_use(n_topics: int, n_docs: int) -> float:
    """Return how many topics are to be in use, at least, by the law of the table."""
    return KEPT * min(n_topics, n_docs / FILLS)


def nmi_sqrt(topics: ArrayLike, labels: ArrayLike) -> float:
    """Return the mutual information divided by the root of the product of the entropies.

    The field of short text streams normalises so. It is never below that of the library, which
    divides by the mean of the entropies.
    """
    joint = contingency(topics, labels) / np.size(labels)
    by_topic, by_label = (_entropy(joint.sum(axis=axis)) for axis in (1, 0))
    if by_topic <= 0.0 or by_label <= 0.0:
        return float(by_topic == by_label)  # 1 if there is one topic and one label
    shared = by_topic + by_label - _entropy(joint.ravel())
    return max(0.0, shared / sqrt(by_topic * by_label))


def _entropy(shares: Floats) -> float:
    positive = shares[shares > 0]
    return -float(positive @ np.log(positive))
