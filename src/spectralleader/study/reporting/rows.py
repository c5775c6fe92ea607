"""Rows: what a judged run leaves behind, one a learner, seed and step; and their means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Row = dict[str, Any]  # learner, seed, step and a number for each metric
NOTHING = 1e-6  # a standard error of so small a share of the mean is not worth its digits


class Summary(NamedTuple):
    """One learner's metric over steps: mean and standard error over seeds."""

    steps: NDArray[np.int64]  # (n_steps,)
    mean: NDArray[np.float64]  # (n_steps,)
    error: NDArray[np.float64]  # (n_steps,) 0 for a single seed


def summarise(rows: Sequence[Row], metric: str) -> dict[str, Summary]:
    """Return a summary of the metric for each learner, in the order they first appear."""
    of_learner: dict[str, list[Row]] = {}
    for row in rows:
        of_learner.setdefault(row["learner"], []).append(row)
    return {name: _summary(own, metric) for name, own in of_learner.items()}


def _summary(rows: Sequence[Row], metric: str) -> Summary:
    values = np.array([row[metric] for row in rows], np.float64)
    steps, at, n = np.unique([row["step"] for row in rows], return_inverse=True, return_counts=True)
    mean = np.bincount(at, values) / n
    variance = np.bincount(at, (values - mean[at]) ** 2) / np.maximum(n - 1, 1)
    return Summary(steps, mean, np.sqrt(variance / n))


def final_values(rows: Sequence[Row], metric: str) -> dict[str, NDArray[np.float64]]:
    """Return the metric at the last step for each learner, shape (n_seeds,), in order of seeds."""
    last = max(row["step"] for row in rows)
    ended = sorted((row for row in rows if row["step"] == last), key=lambda row: int(row["seed"]))
    return {
        name: np.array([row[metric] for row in ended if row["learner"] == name])
        for name in dict.fromkeys(row["learner"] for row in rows)
    }


def settings(rows: Sequence[Row], parameter: str) -> dict[str, float]:
    """Return the value of a parameter for each learner that was given one: a grid's learners."""
    return {row["learner"]: row[parameter] for row in rows if parameter in row}


def lowest(rows: Sequence[Row], metric: str, parameter: str) -> str | None:
    """Return the learner of a grid with the lowest mean at the end: the best in hindsight."""
    finals = final_values(rows, metric)
    return min(settings(rows, parameter), key=lambda name: float(finals[name].mean()), default=None)


def standard_error(values: Sequence[float] | NDArray[np.float64]) -> float:
    """Return the standard error of the mean; 0 for a single value, whose error nobody knows."""
    if len(values) < 2:
        return 0.0
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))


def plus_minus(mean: float, error: float) -> str:
    """Return mean ± standard error, to two digits of the error.

    Examples
    --------
    >>> plus_minus(2.14159, 0.0123), plus_minus(1.3e-7, 2e-9), plus_minus(3.0, 0.0)
    ('2.142 ± 0.012', '(1.300 ± 0.020)e-7', '3.000')
    """
    if error <= NOTHING * abs(mean):
        return f"{mean:.4g}" if mean and abs(mean) < 0.1 else f"{mean:.3f}"
    power = math.floor(math.log10(max(abs(mean), error)))
    scale = 10.0**power if power < -3 else 1.0
    digits = max(0, 1 - math.floor(math.log10(error / scale)))
    text = f"{mean / scale:.{digits}f} ± {error / scale:.{digits}f}"
    return f"({text})e{power}" if scale != 1.0 else text
