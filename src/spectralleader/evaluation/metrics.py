"""Metrics: the losses of a learner, and agreement of topics with labels and of their words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from spectralleader.arrays import Floats, Ints
from spectralleader.documents import Documents, Labelled
from spectralleader.learners.protocol import Learner
from spectralleader.models import TopicModel
from spectralleader.models.matching import assign
from spectralleader.moments.sums import tuple_weights

Metric = Callable[[Learner[Any, Any], Labelled[Any]], float]


def log_loss(learner: Learner[Any, Any], block: Labelled[Any]) -> float:
    """Return L1: the mean negative log-probability of the block's documents, in nats."""
    return -float(learner.predictive.log_prob(block.documents).mean())


def recovery_error(truth: TopicModel) -> Metric:
    """Return the metric L2: ||M3* - M3||_F^2, the squared distance to the true third moment."""

    def metric(learner: Learner, block: Labelled) -> float:
        return truth.distance(learner.model)

    return metric


def tensor_loss(learner: Learner, block: Labelled) -> float:
    """Return the paper's loss l_t(M) = ||x1 (x) x2 (x) x3 - M||_F^2, block mean (eq. 13)."""
    return float(tensor_losses(learner.model, block).mean())


def tensor_losses(model: TopicModel, block: Labelled) -> Floats:
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


def label_accuracy(model: TopicModel, block: Labelled) -> float:
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


# Documents added to how often two words occur together, and to how often they would by chance: of
# a pair that is too rare to tell, nothing is claimed. Without them such a pair counts as never
# together, -1, and by 500 held-out tweets the most frequent words (0.01) beat 5 topics (-0.21); by
# 20,000 they have 0.06 and 0.12. With them these are 0.04 and 0.09, and 0.06 and 0.16.
PRIOR = 1.0


def coherence(documents: Documents, topics: Sequence[Sequence[int]]) -> float:
    """Return the mean NPMI of pairs of words that a topic shows, by documents that have both.

    From -1, never together, over 0, by chance or not to be told, to 1, always together (Bouma
    2009). Counts are smoothed towards chance, see `PRIOR`: few documents give values near 0.

    Examples
    --------
    >>> block = Documents.from_tokens([[0, 1], [0, 1], [2], [3]] * 1000, n_words=4)
    >>> round(coherence(block, [[0, 1]]), 2), coherence(block, [[2, 3]]) < -0.6
    (1.0, True)
    """
    n, values = max(1, documents.n_docs), list[float]()
    has = documents.as_floats().tocsc()
    has.data = np.ones_like(has.data)
    for words in topics:
        some = has[:, list(words)]
        together = (some.T @ some).toarray()
        alone = np.diag(together)
        found, chance = together + PRIOR, np.outer(alone, alone) / n + PRIOR
        # a pair that every document has is by chance as good as always together: 0
        share = np.minimum(found / (n + PRIOR), 1.0 - 1e-12)
        npmi = np.log(found / chance) / -np.log(share)
        values += npmi[np.triu_indices(len(words), 1)].tolist()
    return float(np.mean(values)) if values else 0.0


def diversity(topics: Sequence[Sequence[int]]) -> float:
    """Return the share of distinct words among the top words of all topics.

    Examples
    --------
    >>> diversity([[0, 1], [1, 2]])
    0.75
    """
    shown = [word for words in topics for word in words]
    return len(set(shown)) / len(shown) if shown else 0.0
