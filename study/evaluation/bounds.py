"""Bounds on regret: printed, repaired, and free of the vocabulary size (method.md, eq. 15-19)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from spectralleader.arrays import Floats


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
