"""Priors: the probabilities of topics at each document of a synthetic stream.

A prior is a function from a range of documents (first, n) to an (n, K) array of topic
distributions. It may change arbitrarily over time; word distributions do not change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from spectralleader.arrays import Floats

Prior = Callable[[int, int], Floats]


def constant(weights: ArrayLike) -> Prior:
    """Return a constant prior: the stochastic setting."""
    row = np.asarray(weights, np.float64)
    return lambda first, n: np.tile(row, (n, 1))


def in_turn(runs: Sequence[int]) -> Prior:
    """Return the prior of topics in turn: runs[0] documents of topic 0, runs[1] of topic 1, ...

    The sequence repeats. The paper's non-stochastic problem is ``in_turn([15, 35, 50])``.
    """
    period = np.repeat(np.eye(len(runs)), runs, axis=0)
    return lambda first, n: period[np.arange(first, first + n) % len(period)]


def cyclic(weights: ArrayLike, *, period: int, strength: float = 1.0) -> Prior:
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


def switching(n_topics: int) -> Prior:
    """Return the prior of one topic at a time, each for twice as long as the one before it.

    Topic 0 for 1 document, topic 1 for 2, topic 2 for 4, and so on, cyclically. It is adversarial
    to follow-the-leader: the mean of the past never converges.
    """
    certain = np.eye(n_topics)

    def prior(first: int, n: int) -> Floats:
        _, exponent = np.frexp(np.arange(first + 1, first + n + 1))  # floor(log2), without rounding
        return np.asarray(certain[(exponent - 1) % n_topics])

    return prior


def random_walk(weights: ArrayLike, *, step: float = 0.05, seed: int = 0) -> Prior:
    """Return a prior whose log-weights take a normal step of the given size at every document.

    For a given seed, the walk does not depend on the block size.
    """
    start = np.log(np.asarray(weights, np.float64))
    walked = np.zeros((0, len(start)))

    def prior(first: int, n: int) -> Floats:
        nonlocal walked
        # Redraw from the start at twice the length: amortised, and independent of the blocks.
        if first + n > len(walked):
            length = max(first + n, 2 * len(walked))
            rng = np.random.default_rng(seed)
            walked = np.cumsum(rng.normal(0.0, step, (length, len(start))), axis=0)
        logits = start + walked[first : first + n]
        tilted = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(tilted / tilted.sum(axis=1, keepdims=True))

    return prior


def given(rows: ArrayLike) -> Prior:
    """Return a prior from a table, shape (n_docs, K); the last row is repeated after its end."""
    table = np.asarray(rows, np.float64)
    if table.ndim != 2 or not np.allclose(table.sum(axis=1), 1.0) or (table < 0).any():
        raise ValueError("a prior must be an (n_docs, K) array whose rows are distributions")
    return lambda first, n: table[np.minimum(np.arange(first, first + n), len(table) - 1)]
