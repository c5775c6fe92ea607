"""Statistics of rows: means and standard errors over seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats, Ints
from study.rows import Row

NEGLIGIBLE = 1e-6  # standard errors below this share of the mean are not printed


class Summary(NamedTuple):
    """One learner's metric over steps: mean and standard error over seeds."""

    steps: Ints  # (n_steps,)
    mean: Floats  # (n_steps,)
    error: Floats  # (n_steps,) 0 for a single seed


def summarise(rows: Sequence[Row], metric: str) -> dict[str, Summary]:
    """Return a summary of the metric for each learner, in order of first appearance."""
    of_learner: dict[str, list[tuple[int, float]]] = {}
    for row in rows:
        of_learner.setdefault(row.learner.label, []).append((row.step, row.values[metric]))
    return {name: summary(*zip(*own, strict=True)) for name, own in of_learner.items()}


def summary(x: Sequence[float], y: Sequence[float]) -> Summary:
    """Return mean and standard error of y at each x."""
    values = np.array(y, np.float64)
    steps, at, n = np.unique(x, return_inverse=True, return_counts=True)
    mean = np.bincount(at, values) / n
    variance = np.bincount(at, (values - mean[at]) ** 2) / np.maximum(n - 1, 1)
    return Summary(steps, mean, np.sqrt(variance / n))


def standard_error(values: Floats) -> float:
    """Return the standard error of the mean; 0 for a single value."""
    if len(values) < 2:
        return 0.0
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))


def mean_and_error(values: Floats) -> str:
    """Return the mean of some values and its standard error, as text."""
    return plus_minus(float(values.mean()), standard_error(values))


def plus_minus(mean: float, error: float) -> str:
    """Return mean ± standard error, to two digits of the error.

    Examples
    --------
    >>> plus_minus(2.14159, 0.0123), plus_minus(1.3e-7, 2e-9), plus_minus(3.0, 0.0)
    ('2.142 ± 0.012', '(1.300 ± 0.020)e-7', '3.000')
    """
    if error <= NEGLIGIBLE * abs(mean):
        return f"{mean:.4g}" if mean and abs(mean) < 0.1 else f"{mean:.3f}"
    power = math.floor(math.log10(max(abs(mean), error)))
    scale = 10.0**power if power < -3 else 1.0
    digits = max(0, 1 - math.floor(math.log10(error / scale)))
    text = f"{mean / scale:.{digits}f} ± {error / scale:.{digits}f}"
    return f"({text})e{power}" if scale != 1.0 else text
