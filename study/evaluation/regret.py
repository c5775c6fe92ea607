"""Exact regret of a learner against the best solution in hindsight (method.md, eq. 14).

All distributions P_t of a stream share their topics. A linear combination of them with weights q is
the tensor ``sum_k q_k u_k^(x)3``, and ``||.||_F^2 = q^T G q`` with ``G_jk = (u_j . u_k)^3``. No
tensor is formed, and the regret at all n together costs O(n K^2).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.documents import Documents
from spectralleader.learners.protocol import Learner
from spectralleader.models import TopicModel
from study.sources.synthetic import Problem


def expected_loss(model: TopicModel, truth: TopicModel) -> float:
    """Return E l_t(M) = 1 - 2 <P_t, M> + ||M||_F^2 for documents of 3 words from P_t = truth.

    It is the sum of the unavoidable ``1 - ||P_t||^2`` and the avoidable ``||P_t - M||^2``, and
    costs O(K^2 d).
    """
    return 1.0 - truth.norm() + truth.distance(model)


@dataclass(frozen=True)
class Hindsight:
    """The distributions P_1 .. P_n that a stream draws from, and the best model for each n.

    Steps count from 1, as in the paper; row t - 1 of an array belongs to step t.

    Examples
    --------
    >>> from study.sources.synthetic import switching
    >>> hindsight = Hindsight.of(switching(), n_steps=3)
    >>> hindsight.best(3).weights.round(2).tolist()  # topic 0 once, topic 1 twice
    [0.33, 0.67, 0.0]
    >>> hindsight.regret(leader_excess(hindsight)).round(3).tolist()
    [0.116, 0.257, 0.28]
    """

    topics: Floats  # (K, d) of every P_t
    priors: Floats  # (n, K) the weights of P_t

    @classmethod
    def of(cls, problem: Problem, n_steps: int) -> Hindsight:
        """Return the distributions of the first n_steps documents of a synthetic problem."""
        return cls(problem.truth.topics, problem.prior(0, n_steps))

    def __len__(self) -> int:
        return len(self.priors)

    def distribution(self, t: int) -> TopicModel:
        """Return P_t."""
        return TopicModel(self.priors[t - 1], self.topics)

    def best(self, n: int) -> TopicModel:
        """Return Mbar_n, the mean of P_1 .. P_n: it minimises the expected loss (Lemma 1)."""
        return TopicModel(self.means[n - 1], self.topics)

    @cached_property
    def means(self) -> Floats:
        """The weights of Mbar_n for every n, shape (n, K)."""
        return running_means(self.priors)

    @cached_property
    def gram(self) -> Floats:
        """G, the inner products of the topics' cubes, shape (K, K)."""
        return np.asarray((self.topics @ self.topics.T) ** 3)

    def squared_norms(self, weights: Floats) -> Floats:
        """Return q^T G q of each row q of the weights."""
        return np.asarray(((weights @ self.gram) * weights).sum(axis=1))

    @cached_property
    def spread(self) -> Floats:
        """sum_{t <= n} ||P_t - Mbar_n||^2 for every n: the excess loss of the best fixed model.

        Computed by Welford's recursion, which adds ``(1 - 1/t) ||P_t - Mbar_{t-1}||^2`` at each
        step and does not suffer from cancellation.
        """
        shrink = np.arange(1, len(self)) / np.arange(2, len(self) + 1)
        steps = shrink * self.squared_norms(self.priors[1:] - self.means[:-1])
        return np.concatenate([[0.0], np.cumsum(steps)])

    def regret(self, excess: Floats) -> Floats:
        """Return R(1) .. R(n) of a learner from its avoidable losses ||P_t - M_{t-1}||^2.

        The unavoidable losses of the learner and of the best model cancel.
        """
        return np.asarray(np.cumsum(excess) - self.spread)


def leader_excess(hindsight: Hindsight) -> Floats:
    """Return ||P_t - M_{t-1}||^2 of the noise-free leader that remembers every P_t (Theorem 1)."""
    return _excess(hindsight, hindsight.means)


def reservoir_excess(hindsight: Hindsight, reservoir_size: int, seed: int = 0) -> Floats:
    """Return ||P_t - M_{t-1}||^2 of the noise-free leader with a reservoir (Theorem 2), one run."""
    return _excess(hindsight, reservoir_means(hindsight.priors, reservoir_size, seed))


def expected_reservoir_excess(hindsight: Hindsight, reservoir_size: int) -> Floats:
    """Return the expectation of `reservoir_excess` over the reservoir's random draws.

    A uniform sample of m of N = t - 1 distributions has mean Mbar_N and variance
    ``(1/m) (1 - m/N) spread_N / (N - 1)``; the variance is the additional loss.
    """
    excess = leader_excess(hindsight)
    past = np.arange(reservoir_size + 1, len(hindsight))  # N > m: the reservoir is full
    variances = hindsight.spread[past - 1] / (past - 1)
    excess[past] += (1.0 / reservoir_size - 1.0 / past) * variances
    return excess


def learner_excess(
    hindsight: Hindsight, learner: Learner, documents: Iterable[Documents]
) -> Floats:
    """Return ||P_t - M_{t-1}||^2 of a learner that learns from documents, one block per step.

    This is the noisy setting (section 6.3). The expectation over the document of step t is exact.
    The documents before it are one random draw, so average the result over seeds.
    """
    overlaps, norms = np.empty_like(hindsight.priors), np.empty(len(hindsight))
    # A learner returns the same model object until a document enters its sample.
    judged: TopicModel | None = None
    for t, block in zip(range(len(hindsight)), documents, strict=True):
        if learner.model is not judged:
            judged = learner.model
            overlap = (hindsight.topics @ judged.topics.T) ** 3 @ judged.weights  # <u_k^(x)3, M>
            norm = judged.norm()
        overlaps[t], norms[t] = overlap, norm
        learner.learn(block)
    inner = (hindsight.priors * overlaps).sum(axis=1)
    return np.asarray(hindsight.squared_norms(hindsight.priors) - 2.0 * inner + norms)


def _excess(hindsight: Hindsight, means: Floats) -> Floats:
    """Return the avoidable losses if each step is predicted by the mean of the step before.

    At step 1 the prediction M_0 is the uniform model, as for every learner.
    """
    nothing = TopicModel.uniform(*hindsight.topics.shape)
    first = hindsight.distribution(1).distance(nothing)
    later = hindsight.squared_norms(hindsight.priors[1:] - means[:-1])
    return np.concatenate([[first], later])


def running_means(priors: Floats) -> Floats:
    """Return the mean of the first t rows, for every t."""
    return np.asarray(np.cumsum(priors, axis=0) / np.arange(1, len(priors) + 1)[:, None])


def reservoir_means(priors: Floats, reservoir_size: int, seed: int = 0) -> Floats:
    """Return the mean of the rows in a uniform reservoir after t rows, for every t.

    The random draws equal those of `Reservoir`: the first `reservoir_size` rows enter; a later row
    t enters with probability ``reservoir_size / t`` and replaces a random one.
    """
    t = np.arange(1, len(priors) + 1)
    draws = np.random.default_rng(seed).random((len(priors), 2))
    filling = t <= reservoir_size
    places = np.where(filling, t - 1, (draws[:, 1] * reservoir_size).astype(np.int64))
    entered = np.flatnonzero(filling | (draws[:, 0] * t <= reservoir_size))
    changes = np.zeros_like(priors)
    changes[entered] = priors[entered]
    # Rows that enter the same place one after the other: the later one replaces the earlier.
    by_place = entered[np.argsort(places[entered], kind="stable")]
    before, after = by_place[:-1], by_place[1:]
    replaces = places[before] == places[after]
    changes[after[replaces]] -= priors[before[replaces]]
    sums = np.maximum(np.cumsum(changes, axis=0), 0.0)  # rounding can leave -1e-16
    return np.asarray(sums / np.minimum(t, reservoir_size)[:, None])
