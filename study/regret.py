"""The paper's analysis, measured: exact regret, and the bounds on it (method.md, eq. 14-19).

All distributions P_t of a stream share their topics. A linear combination of them with weights q is
the tensor ``sum_k q_k u_k^(x)3``, and ``||.||_F^2 = q^T G q`` with ``G_jk = (u_j . u_k)^3``. No
tensor is formed, and the regret at all n together costs O(n K^2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import ArrayLike

from spectralleader.arrays import Floats, Ints
from spectralleader.documents import Documents
from spectralleader.learners import SpectralLeader
from spectralleader.learners.protocol import Learner
from spectralleader.models import TopicModel
from spectralleader.samples import Everything, Reservoir
from study.sources.synthetic import REGRET_PROBLEMS, Problem


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
    return prediction_excess(hindsight, hindsight.means)


def expected_reservoir_excess(hindsight: Hindsight, reservoir_size: int) -> Floats:
    """Return the expectation of ||P_t - M_{t-1}||^2 over a reservoir's random draws (Theorem 2).

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


def prediction_excess(hindsight: Hindsight, means: Floats) -> Floats:
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


def theorem1(n_words: int, steps: ArrayLike) -> Floats:
    """Return 4 sqrt(d^3) log n, Theorem 1 as printed (eq. 15)."""
    return np.asarray(4.0 * n_words**1.5 * np.log(steps))


def repaired(n_words: int, steps: ArrayLike) -> Floats:
    """Return 4 sqrt(d^3) (1 + log n): Theorem 1 with sum 1/t <= 1 + log n (eq. 16)."""
    return np.asarray(4.0 * n_words**1.5 + theorem1(n_words, steps))


def theorem2(n_words: int, steps: ArrayLike, epsilon: float) -> Floats:
    """Return 4 sqrt(d^3) (epsilon n + log n) + 8, for a reservoir of `reservoir_size` (eq. 17)."""
    linear = 4.0 * n_words**1.5 * epsilon * np.asarray(steps)
    return np.asarray(linear + theorem1(n_words, steps) + 8.0)


def sharp(steps: ArrayLike, reservoir_size: int | None = None) -> Floats:
    """Return 1 + 2 log n, plus n/m - 1 for a reservoir of m < n (eq. 19).

    With a reservoir it bounds the expectation over the reservoir's random draws.
    """
    n = np.asarray(steps)
    remembered = n if reservoir_size is None else np.minimum(n, reservoir_size)
    return np.asarray(1.0 + 2.0 * np.log(n) + (n / remembered - 1.0))


def reservoir_size(n_words: int, n_steps: int, epsilon: float) -> int:
    """Return m = epsilon^-2 log(d^3 n), rounded up: the reservoir size of Theorem 2, at least 1."""
    if not 0.0 < epsilon <= 1.0:
        raise ValueError(f"Theorem 2 requires 0 < epsilon <= 1, got {epsilon}")
    log_cells = 3.0 * np.log(n_words) + np.log(n_steps)
    return max(1, int(np.ceil(log_cells / epsilon**2)))


# Avoidable losses of a learner, given the problem, its hindsight, the reservoir size and a seed.
Excess = Callable[[Problem, Hindsight, int | None, int], Floats]


def _noise_free(problem: Problem, hindsight: Hindsight, size: int | None, seed: int) -> Floats:
    if size is None:
        return leader_excess(hindsight)
    return expected_reservoir_excess(hindsight, size)


def _noisy(
    problem: Problem, hindsight: Hindsight, size: int | None, seed: int, *, noise_rank: bool = True
) -> Floats:
    K, d = hindsight.topics.shape
    sample = (
        Everything(n_words=d)
        if size is None
        else Reservoir(size, n_words=d, seed=seed, acceptance="uniform")
    )
    learner = SpectralLeader(K, n_words=d, seed=seed, sample=sample, noise_rank=noise_rank)
    stream = problem.blocks(block_size=1, n_steps=len(hindsight), seed=seed)
    return learner_excess(hindsight, learner, (block.documents for block in stream))


REGRET_LEARNERS: dict[str, Excess] = {
    "noise-free": _noise_free,  # Theorem 1; with a reservoir, the expectation of Theorem 2
    "SpectralLeader as printed": partial(_noisy, noise_rank=False),  # section 6.3
    "SpectralLeader": _noisy,
}


def regret_rows(
    problem: str,
    learner: str,
    *,
    n_steps: int,
    epsilon: float | None = None,
    seed: int = 0,
    n_rows: int = 60,
) -> list[tuple[int, dict[str, float]]]:
    """Return steps spaced evenly in log n, each with a learner's regret and the bounds on it.

    Parameters
    ----------
    problem, learner : str
        Names in REGRET_PROBLEMS and in REGRET_LEARNERS.
    n_steps : int
        Length of the stream, n.
    epsilon : float, optional
        Precision from which Theorem 2 derives the reservoir size. If omitted, everything is
        remembered.
    seed : int
        Random seed of the reservoir and of the documents, where these are drawn.
    n_rows : int
        Maximum number of rows; 1 returns the last step only.

    Examples
    --------
    >>> [(step, last)] = regret_rows("switching", "noise-free", n_steps=1000, n_rows=1)
    >>> step, round(last["regret"], 3), round(last["bound_repaired"], 1)
    (1000, 0.817, 164.4)
    """
    drawn = REGRET_PROBLEMS[problem]()
    hindsight = Hindsight.of(drawn, n_steps)
    d = drawn.truth.n_words
    size = None if epsilon is None else reservoir_size(d, n_steps, epsilon)
    regret = hindsight.regret(REGRET_LEARNERS[learner](drawn, hindsight, size, seed))

    def row(n: int) -> dict[str, float]:
        values = {
            "regret": float(regret[n - 1]),
            "regret_per_step": float(regret[n - 1]) / n,
            "bound_printed": float(theorem1(d, n)),
            "bound_repaired": float(repaired(d, n)),
            "bound_sharp": float(sharp(n, size)),
        }
        if size is None or epsilon is None:
            return values
        bound = float(theorem2(d, n, epsilon))
        return {**values, "reservoir_size": size, "bound_theorem2": bound}

    return [(n, row(n)) for n in log_steps(n_steps, n_rows).tolist()]


def log_steps(n_steps: int, n_rows: int) -> Ints:
    """Return at most n_rows steps from 1 to n_steps, evenly spaced in log n, including the last."""
    if n_rows < 2:
        return np.array([n_steps])
    return np.unique(np.rint(np.geomspace(1, n_steps, n_rows)).astype(np.int64))
