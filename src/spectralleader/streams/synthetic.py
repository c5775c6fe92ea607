"""Synthetic problems: streams of documents from a model that is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from spectralleader.documents import Documents, Floats, Ints
from spectralleader.model import TopicModel
from spectralleader.streams import priors
from spectralleader.streams.block import Block

PAPER_WEIGHTS = (0.15, 0.35, 0.5)  # section 7.1
PAPER_RUNS = (15, 35, 50)  # section 7.2: of each hundred documents
DRAWN_AT_ONCE = 1000  # documents: one by one, drawing would cost more than learning


@dataclass(frozen=True)
class Problem:
    """A stream of documents from known topics, under a prior that may change over time.

    Examples
    --------
    >>> problem = hard()
    >>> block = next(problem.blocks(block_size=5, n_steps=1, seed=0))
    >>> block.documents
    Documents(n_docs=5, n_words=3)
    """

    truth: TopicModel  # theta*: its topics draw the words, its weights are the mean prior
    prior: priors.Prior  # P(topic) at each document
    lengths: Mapping[int, float] | int = 3  # words a document, or the probability of each length

    def blocks(self, *, block_size: int, n_steps: int, seed: int = 0) -> Iterator[Block]:
        """Yield n_steps blocks, lazily; the documents do not depend on the size of the blocks."""
        if block_size < 1 or n_steps < 0:
            raise ValueError(
                f"a stream needs block_size >= 1 and n_steps >= 0, got {block_size} and {n_steps}"
            )
        generators = np.random.default_rng(seed).spawn(3)
        a_draw = max(1, DRAWN_AT_ONCE // block_size)  # in steps
        for first in range(0, n_steps, a_draw):
            n = min(a_draw, n_steps - first) * block_size
            documents, labels = self._draw(first * block_size, n, generators)
            for start in range(0, n, block_size):
                stretch = slice(start, start + block_size)
                yield Block(documents[stretch], labels[stretch])

    def _draw(
        self, first: int, n: int, generators: Sequence[np.random.Generator]
    ) -> tuple[Documents, Ints]:
        """Draw the n documents from number `first` on."""
        topics, lengths, words = generators
        labels = _draw(self.prior(first, n), topics.random(n))
        return self.truth.sample_words(labels, self._draw_lengths(lengths.random(n)), words), labels

    def _draw_lengths(self, uniform: Floats) -> Ints:
        if isinstance(self.lengths, int):
            return np.full(len(uniform), self.lengths, np.int64)
        sizes = np.array(list(self.lengths), np.int64)
        chances = np.array([list(self.lengths.values())]) / sum(self.lengths.values())
        return sizes[_draw(np.repeat(chances, len(uniform), axis=0), uniform)]


def _draw(distributions: Floats, uniform: Floats) -> Ints:
    """Draw one index from each row's distribution, by inversion."""
    cumulative = np.cumsum(distributions, axis=1)
    below = uniform[:, None] * cumulative[:, -1:] >= cumulative
    return np.asarray(below.sum(axis=1), np.int64)


def paper_model(p: float) -> TopicModel:
    """Return the paper's model of 3 topics over 3 words: topic i says word i with probability p."""
    topics = np.full((3, 3), (1.0 - p) / 2)
    np.fill_diagonal(topics, p)
    return TopicModel(PAPER_WEIGHTS, topics)


def easy() -> Problem:
    """Return the paper's easy problem, p = 0.9."""
    return Problem(paper_model(0.9), priors.constant(PAPER_WEIGHTS))


def hard() -> Problem:
    """Return the paper's hard problem, p = 0.7."""
    return Problem(paper_model(0.7), priors.constant(PAPER_WEIGHTS))


def non_stochastic() -> Problem:
    """Return the paper's hard problem with its topics in turn: 15, 35 and 50 of each hundred."""
    return Problem(paper_model(0.7), priors.in_turn(PAPER_RUNS))


def random_problem(
    n_topics: int,
    n_words: int,
    *,
    weights: ArrayLike | None = None,
    concentration: float = 0.1,
    lengths: Mapping[int, float] | int = 3,
    prior: priors.Prior | None = None,
    seed: int = 0,
) -> Problem:
    """Return a problem of any size, with topics drawn from a Dirichlet distribution.

    Parameters
    ----------
    n_topics, n_words : int
        K and d.
    weights : (K,) array, optional
        Topic weights; equal ones if not given.
    concentration : float
        Of the Dirichlet distribution: the smaller, the fewer words a topic uses.
    lengths : int or mapping
        Words a document, or the probability of each length.
    prior : Prior, optional
        See `priors`; constant at the weights if not given.
    seed : int
        Of the topics. The stream has a seed of its own.
    """
    rng = np.random.default_rng(seed)
    shares = np.full(n_topics, 1.0 / n_topics) if weights is None else np.asarray(weights)
    topics = rng.dirichlet(np.full(n_words, concentration), size=n_topics)
    return Problem(TopicModel(shares, topics), prior or priors.constant(shares), lengths)


PROBLEMS = {"easy": easy, "hard": hard, "non-stochastic": non_stochastic}
