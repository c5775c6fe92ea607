"""Judging: the prequential loop over a stream, its metrics, and the paper's averages of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.documents import Documents
from spectralleader.evaluation import meet
from spectralleader.learners import Learner
from spectralleader.models import TopicModel
from spectralleader.moments.sums import tuple_weights


class Block(NamedTuple):
    """A mini-batch of documents, with their true topics if the stream knows them."""

    documents: Documents
    labels: Ints | None = None  # (n_docs,)


Metric = Callable[[Learner, Documents], float]


def log_loss(learner: Learner, documents: Documents) -> float:
    """Return L1: the mean negative log-probability of documents, in nats."""
    return -float(learner.predictive.log_prob(documents).mean())


def recovery_error(truth: TopicModel) -> Metric:
    """Return the metric L2: ||M3* - M3||_F^2, the squared distance to the true third moment."""

    def metric(learner: Learner, documents: Documents) -> float:
        return truth.distance(learner.model)

    return metric


def relative_error(truth: TopicModel) -> Metric:
    """Return L2 in units of the true third moment, ||M3* - M3||^2 / ||M3*||^2: 1 for M3 = 0."""
    error, norm = recovery_error(truth), truth.norm()
    return lambda learner, documents: error(learner, documents) / norm


def tensor_loss(learner: Learner, documents: Documents) -> float:
    """Return the paper's loss l_t(M) = ||x1 (x) x2 (x) x3 - M||_F^2, block mean (eq. 13)."""
    return float(tensor_losses(learner.model, documents).mean())


def tensor_losses(model: TopicModel, documents: Documents) -> Floats:
    """Return 1 - 2 M(x1, x2, x3) + ||M||_F^2 of each document, shape (n_docs,).

    For documents of any length the middle term is averaged over ordered triples of distinct
    positions. Documents of fewer than 3 words have no triple, and their loss is 1 + ||M||_F^2.
    """
    counts = documents.as_floats()
    # Newton's identities: the sum of u(x1) u(x2) u(x3) over distinct positions is
    # p1^3 - 3 p1 p2 + 2 p3 in power sums, so that no triple is enumerated.
    p1, p2, p3 = (counts @ (model.topics**order).T for order in (1, 2, 3))
    overlap = (p1**3 - 3 * p1 * p2 + 2 * p3) @ model.weights
    return np.asarray(1.0 - 2.0 * tuple_weights(documents, 3) * overlap + model.norm())


# Metrics by their name in scenarios and rows; each is a function of the true model.
METRICS: dict[str, Callable[[TopicModel], Metric]] = {
    "L1": lambda truth: log_loss,
    "L2": relative_error,
    "loss": lambda truth: tensor_loss,
}


def judge(
    learner: Learner, stream: Iterable[Block], metrics: Mapping[str, Metric]
) -> Iterator[dict[str, float]]:
    """Yield every metric at every step t = 1, 2, ..., before block t is learned.

    A growing learner is first widened to the vocabulary of the block, see `meet`.

    Examples
    --------
    >>> from spectralleader import Algorithm1, Documents
    >>> stream = [Block(Documents.from_tokens([[0, 1, 0]], n_words=3))]
    >>> steps = list(judge(Algorithm1(3, n_words=3), stream, {"L1": log_loss}))
    >>> round(steps[0]["L1"], 3)  # three words, each 1/3 likely: log 27
    3.296
    """
    for block in stream:
        known = meet(learner, block.documents)
        yield {name: metric(learner, known) for name, metric in metrics.items()}
        learner.learn(block.documents)


def running_averages(steps: Iterable[Mapping[str, float]]) -> Iterator[dict[str, float]]:
    """Yield (1/n) sum_{t=2..n} of every metric, for n = 1, 2, ...: the paper's averages.

    As the paper defines it, step 1 counts in n but not in the sum, because there is nothing to
    predict the first document from.
    """
    totals: dict[str, float] = {}
    for n, values in enumerate(steps, start=1):
        totals = {name: totals[name] + value if n > 1 else 0.0 for name, value in values.items()}
        yield {name: total / n for name, total in totals.items()}
