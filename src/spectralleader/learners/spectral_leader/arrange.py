"""Arranging: topic 3 stays topic 3, by a reference, an earlier model of the learner."""

from __future__ import annotations

import numpy as np

from spectralleader.checks.states import check_same
from spectralleader.models import TopicModel
from spectralleader.models.matching import best_order, put_in_order


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
    if reference is not None:
        ordered = np.empty_like(model.weights), np.empty_like(model.topics)
        if put_in_order(model.weights, model.topics, reference.topics, *ordered):
            model = TopicModel.trusted(*ordered)
        else:
            order = best_order(model.topics, reference.topics)
            model = TopicModel.trusted(model.weights[order], model.topics[order])
    if level == 0.0:
        return model
    mean = model.weights @ model.topics
    # Eq. 25, expanded. The mean of the topics shrinks towards the uniform distribution only.
    topics = (1 - level) ** 2 * model.topics + (1 - level) * level * mean + level / model.n_words
    return TopicModel.trusted(model.weights, topics)


def check_reference(model: TopicModel, n_topics: int, n_words: int) -> TopicModel:
    """Return a reference for a learner of that size; it may know fewer words."""
    check_same("n_topics of the reference", model.n_topics, n_topics)
    if model.n_words > n_words:
        raise ValueError(f"the reference is over {model.n_words} words, the learner over {n_words}")
    return model
