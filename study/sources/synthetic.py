"""Synthetic problems: streams of documents drawn from a known model.

A prior gives the probabilities of topics at each document. It may change arbitrarily over time;
word distributions do not change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import ArrayLike

from spectralleader.arrays import Floats, Ints
from spectralleader.models import TopicModel
from study.judging import Block

Prior = Callable[[int, int], Floats]  # documents (first, n) -> (n, K) topic distributions

PAPER_WEIGHTS = (0.15, 0.35, 0.5)  # section 7.1
PAPER_RUNS = (15, 35, 50)  # section 7.2: consecutive documents of each topic, per hundred
CHUNK = 256  # documents drawn at once: amortises the overhead of NumPy calls for small blocks


@dataclass(frozen=True)
class Problem:
    """A stream of documents from known topics, with a prior that may change over time.

    Examples
    --------
    >>> problem = hard()
    >>> block = next(problem.blocks(block_size=5, n_steps=1, seed=0))
    >>> block.documents
    Documents(n_docs=5, n_words=3)
    """

    truth: TopicModel  # theta*: words are drawn from its topics; its weights are the mean prior
    prior: Prior  # P(topic) at each document
    lengths: Mapping[int, float] | int = 3  # words per document, or the probability of each length

    def blocks(self, *, block_size: int, n_steps: int, seed: int = 0) -> Iterator[Block]:
        """Yield n_steps blocks lazily; the documents do not depend on the block size."""
        if block_size < 1 or n_steps < 0:
            raise ValueError(
                f"a stream needs block_size >= 1 and n_steps >= 0, got {block_size} and {n_steps}"
            )
        topics, lengths, words = np.random.default_rng(seed).spawn(3)
        at_once = max(1, CHUNK // block_size)  # blocks drawn at once
        for step in range(0, n_steps, at_once):
            n = block_size * min(at_once, n_steps - step)
            labels = _draw(self.prior(step * block_size, n), topics.random(n))
            sizes = self._draw_lengths(lengths.random(n))
            documents = self.truth.sample_words(labels, sizes, words)
            for start in range(0, n, block_size):
                rows = slice(start, start + block_size)
                yield Block(documents[rows], labels[rows])

    def _draw_lengths(self, uniform: Floats) -> Ints:
        if isinstance(self.lengths, int):
            return np.full(len(uniform), self.lengths, np.int64)
        sizes = np.array(list(self.lengths), np.int64)
        chances = np.array([list(self.lengths.values())]) / sum(self.lengths.values())
        return sizes[_draw(np.repeat(chances, len(uniform), axis=0), uniform)]


@dataclass(frozen=True)
class Replaced:
    """An abrupt change: one problem in the first half of the stream, another in the second.

    Both must have the same numbers of topics and words.

    Examples
    --------
    >>> stream = Replaced(easy(), hard()).blocks(block_size=2, n_steps=4, seed=0)
    >>> sum(block.documents.n_docs for block in stream)
    8
    """

    before: Problem
    after: Problem

    @property
    def truth(self) -> TopicModel:
        """The true model of the second half."""
        return self.after.truth

    def blocks(self, *, block_size: int, n_steps: int, seed: int = 0) -> Iterator[Block]:
        """Yield n_steps blocks, from the second problem after the middle."""
        before, after = (
            problem.blocks(block_size=block_size, n_steps=n_steps, seed=seed)
            for problem in (self.before, self.after)
        )
        yield from islice(before, n_steps // 2)
        yield from islice(after, n_steps // 2, n_steps)


def _draw(distributions: Floats, uniform: Floats) -> Ints:
    """Draw one index from each row's distribution, by inversion."""
    cumulative = np.cumsum(distributions, axis=1)
    below = uniform[:, None] * cumulative[:, -1:] >= cumulative
    return np.asarray(below.sum(axis=1), np.int64)


def paper_model(p: float, weights: Sequence[float] = PAPER_WEIGHTS) -> TopicModel:
    """Return the paper's model of 3 topics over 3 words: topic i has word i with probability p."""
    topics = np.full((3, 3), (1.0 - p) / 2)
    np.fill_diagonal(topics, p)
    return TopicModel(weights, topics)


def constant_prior(weights: ArrayLike) -> Prior:
    """Return a constant prior: the stochastic setting."""
    row = np.asarray(weights, np.float64)
    return lambda first, n: np.tile(row, (n, 1))


def in_turn_prior(runs: Sequence[int]) -> Prior:
    """Return the prior of topics in turn: runs[0] documents of topic 0, runs[1] of topic 1, ...

    The sequence repeats. The paper's non-stochastic problem is ``in_turn_prior([15, 35, 50])``.
    """
    period = np.repeat(np.eye(len(runs)), runs, axis=0)
    return lambda first, n: period[np.arange(first, first + n) % len(period)]


def cyclic_prior(weights: ArrayLike, *, period: int, strength: float = 1.0) -> Prior:
    """Return a prior that varies smoothly and periodically around the given weights.

    Topic k is weighted by ``exp(strength * cos(2 pi (t / period - k / K)))``.
    """
    if not period >= 1 or not np.isfinite(strength):
        raise ValueError(
            f"a cyclic prior needs a period of at least 1 and a finite strength, "
            f"got {period!r} and {strength!r}"
        )
    row = np.asarray(weights, np.float64)
    phase = np.arange(len(row)) / len(row)

    def prior(first: int, n: int) -> Floats:
        t = np.arange(first, first + n)[:, None]
        tilted = row * np.exp(strength * np.cos(2 * np.pi * (t / period - phase)))
        return np.asarray(tilted / tilted.sum(axis=1, keepdims=True))

    return prior


def switching_prior(n_topics: int) -> Prior:
    """Return the prior of one topic at a time, each for twice as long as the one before it.

    Topic 0 for 1 document, topic 1 for 2, topic 2 for 4, and so on, cyclically. It is adversarial
    to follow-the-leader: the mean of the past never converges.
    """
    certain = np.eye(n_topics)

    def prior(first: int, n: int) -> Floats:
        _, exponent = np.frexp(np.arange(first + 1, first + n + 1))  # floor(log2), without rounding
        return np.asarray(certain[(exponent - 1) % n_topics])

    return prior


def easy() -> Problem:
    """Return the paper's easy problem, p = 0.9."""
    return Problem(paper_model(0.9), constant_prior(PAPER_WEIGHTS))


def hard() -> Problem:
    """Return the paper's hard problem, p = 0.7."""
    return Problem(paper_model(0.7), constant_prior(PAPER_WEIGHTS))


def non_stochastic() -> Problem:
    """Return the hard problem with its topics in turn: runs of 15, 35 and 50 documents."""
    return Problem(paper_model(0.7), in_turn_prior(PAPER_RUNS))


def absent() -> Problem:
    """Return the hard problem with a topic that no document has: two topics, learned as three."""
    weights = (0.0, 0.4, 0.6)
    return Problem(paper_model(0.7, weights), constant_prior(weights))


def close() -> Problem:
    """Return the paper's problem with topics that hardly differ, p = 0.35: still identifiable."""
    return Problem(paper_model(0.35), constant_prior(PAPER_WEIGHTS))


def cyclic() -> Problem:
    """Return the hard problem with topic weights that vary smoothly, with period 100."""
    prior = cyclic_prior(PAPER_WEIGHTS, period=sum(PAPER_RUNS), strength=2.0)
    return Problem(paper_model(0.7), prior)


def switching() -> Problem:
    """Return the hard problem with one topic at a time, each twice as long as the last."""
    return Problem(paper_model(0.7), switching_prior(3))


def random_problem(
    n_topics: int,
    n_words: int,
    *,
    weights: ArrayLike | None = None,
    concentration: float = 0.1,
    lengths: Mapping[int, float] | int = 3,
    prior: Prior | None = None,
    seed: int = 0,
) -> Problem:
    """Return a problem of any size, with topics drawn from a Dirichlet distribution.

    Parameters
    ----------
    n_topics, n_words : int
        K and d.
    weights : (K,) array, optional
        Topic weights. Defaults to equal weights.
    concentration : float
        Parameter of the Dirichlet distribution: the smaller, the fewer words a topic uses.
    lengths : int or mapping
        Words per document, or the probability of each length.
    prior : Prior, optional
        See `Prior`. Defaults to a constant prior equal to the weights.
    seed : int
        Random seed of the topics; `Problem.blocks` takes another one for the stream.
    """
    rng = np.random.default_rng(seed)
    shares = np.full(n_topics, 1.0 / n_topics) if weights is None else np.asarray(weights)
    topics = rng.dirichlet(np.full(n_words, concentration), size=n_topics)
    return Problem(TopicModel(shares, topics), prior or constant_prior(shares), lengths)


ILL_CONDITIONED = {"absent": absent, "close": close}
PROBLEMS = {"easy": easy, "hard": hard, "non-stochastic": non_stochastic} | ILL_CONDITIONED
# Problems for measuring regret: the same topics with three kinds of prior.
REGRET_PROBLEMS = {"stationary": hard, "cyclic": cyclic, "switching": switching} | ILL_CONDITIONED
