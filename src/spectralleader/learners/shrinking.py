"""Shrinking topics towards what is certain."""

from __future__ import annotations

import numpy as np

from spectralleader.compiled import kernel
from spectralleader.documents import Floats
from spectralleader.model import TopicModel


def shrink(model: TopicModel, level: float) -> TopicModel:
    """Return the model with its topics shrunk towards their mean and the uniform distribution.

    ``u_k <- (1 - s) ((1 - s) u_k + s u) + s / d`` at the level s, u being the topics' mean.

    Examples
    --------
    >>> model = TopicModel([0.5, 0.5], [[1.0, 0.0], [0.0, 1.0]])
    >>> shrink(model, 0.5).topics.tolist()
    [[0.625, 0.375], [0.375, 0.625]]
    """
    if level == 0.0:
        return model
    topics = np.empty(model.topics.shape)
    shrink_topics(model.weights, model.topics, level, topics)
    return TopicModel.trusted(model.weights, topics)


@kernel
def shrink_topics(weights: Floats, topics: Floats, level: float, out: Floats) -> None:
    """``out[:] = (1 - s)**2 * topics + (1 - s) * s * (weights @ topics) + s / d``."""
    k, d = topics.shape
    shared = np.full(d, level / d)
    for i in range(k):
        share = (1.0 - level) * level * weights[i]
        for w in range(d):
            shared[w] += share * topics[i, w]
    own = (1.0 - level) ** 2
    for i in range(k):
        for w in range(d):
            out[i, w] = own * topics[i, w] + shared[w]
