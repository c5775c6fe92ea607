"""Metrics: functions of a learner before a step, and of the step's block."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.evaluation.agreement import matched_accuracy
from spectralleader.learners.protocol import Learner
from spectralleader.models import TopicModel
from spectralleader.moments.sums import tuple_weights
from spectralleader.sources.block import Block

Metric = Callable[[Learner, Block], float]


def log_loss(learner: Learner, block: Block) -> float:
    """Return L1: the mean negative log-probability of the block's documents, in nats."""
    return -float(learner.predictive.log_prob(block.documents).mean())


def recovery_error(truth: TopicModel) -> Metric:
    """Return the metric L2: ||M3* - M3||_F^2, the squared distance to the true third moment."""

    def metric(learner: Learner, block: Block) -> float:
        return truth.distance(learner.model)

    return metric


def tensor_loss(learner: Learner, block: Block) -> float:
    """Return the paper's loss l_t(M) = ||x1 (x) x2 (x) x3 - M||_F^2, block mean (eq. 13)."""
    return float(tensor_losses(learner.model, block).mean())


def tensor_losses(model: TopicModel, block: Block) -> Floats:
    """Return 1 - 2 M(x1, x2, x3) + ||M||_F^2 of each document, shape (n_docs,).

    For documents of any length the middle term is averaged over ordered triples of distinct
    positions. Documents of fewer than 3 words have no triple, and their loss is 1 + ||M||_F^2.
    """
    documents = block.documents
    counts = documents.as_floats()
    # Newton's identities: the sum of u(x1) u(x2) u(x3) over distinct positions is
    # p1^3 - 3 p1 p2 + 2 p3 in power sums, so that no triple is enumerated.
    p1, p2, p3 = (counts @ (model.topics**order).T for order in (1, 2, 3))
    overlap = (p1**3 - 3 * p1 * p2 + 2 * p3) @ model.weights
    return np.asarray(1.0 - 2.0 * tuple_weights(documents, 3) * overlap + model.norm())


def label_accuracy(model: TopicModel, block: Block) -> float:
    """Return the accuracy of the likeliest topics, with topics matched to labels on this block."""
    if block.labels is None:
        raise ValueError("accuracy requires labels, but this stream has none")
    predicted = model.posterior(block.documents).argmax(axis=1)
    return matched_accuracy(predicted, block.labels)


# Metrics by their name in scenarios and rows; each is a function of the true model.
METRICS: dict[str, Callable[[TopicModel], Metric]] = {
    "L1": lambda truth: log_loss,
    "L2": recovery_error,
    "loss": lambda truth: tensor_loss,
}
