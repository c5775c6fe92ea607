"""Arranging: topic 3 stays topic 3, by a reference, an earlier model of the learner."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.checks.states import check_same
from spectralleader.models import TopicModel
from spectralleader.models.alignment import best_order, reorder
from spectralleader.runtime.compiled import kernel


def arrange(model: TopicModel, reference: TopicModel | None, level: float = 0.0) -> TopicModel:
    """Return a model with its topics in the order that best matches the reference, and shrunk.

    A reference that knows only the first of the words rules out the others. Topics shrink towards
    their mean and the uniform distribution: ``u_k <- (1 - s) ((1 - s) u_k + s u) + s / d`` at the
    level s, u being the topics' mean.

    Examples
    --------
    >>> model = TopicModel([0.25, 0.75], [[1.0, 0.0], [0.0, 1.0]])
    >>> arrange(model, TopicModel([1.0, 0.0], [[0.2, 0.8], [0.8, 0.2]])).weights.tolist()
    [0.75, 0.25]
    >>> arrange(model, None, level=0.5).topics.tolist()
    [[0.5625, 0.4375], [0.3125, 0.6875]]
    """
    weights, topics = model.weights.copy(), model.topics.copy()
    wanted = NO_TOPICS if reference is None else reference.topics
    arrange_topics(weights, topics, wanted, level)
    return TopicModel.trusted(weights, topics)


NO_TOPICS = TopicModel.uniform(1, 1).topics[:0]  # read-only, as all models' are


@kernel
def arrange_topics(weights: Floats, topics: Floats, reference: Floats, level: float) -> None:
    """Put weights and topics in the reference's order, if there is one, and shrink them, in place.

    ``topics[:] = (1 - s)**2 * topics[order] + (1 - s) * s * (weights @ topics) + s / d``
    """
    k, d = topics.shape
    order = np.empty(k, np.int64)
    if len(reference) == k and not best_order(topics, reference, order):
        reorder(weights.copy(), topics.copy(), order, weights, topics)
    if level == 0.0:
        return
    shared = np.full(d, level / d)
    for i in range(k):
        share = (1.0 - level) * level * weights[i]
        for w in range(d):
            shared[w] += share * topics[i, w]
    own = (1.0 - level) ** 2
    for i in range(k):
        for w in range(d):
            topics[i, w] = own * topics[i, w] + shared[w]


def check_reference(model: TopicModel, n_topics: int, n_words: int) -> TopicModel:
    """Return a reference for a learner of that size; it may know fewer words."""
    check_same("n_topics of the reference", model.n_topics, n_topics)
    if model.n_words > n_words:
        raise ValueError(f"the reference is over {model.n_words} words, the learner over {n_words}")
    return model
