"""Rows: what a judged run leaves behind, one a learner, seed and step; and their means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Row = dict[str, Any]  # learner, seed, step and a number for each metric


class Summary(NamedTuple):
    """One learner's metric over steps: mean and standard error over seeds."""

    steps: NDArray[np.int64]  # (n_steps,)
    mean: NDArray[np.float64]  # (n_steps,)
    error: NDArray[np.float64]  # (n_steps,) 0 for a single seed


def summarise(rows: Sequence[Row], metric: str) -> dict[str, Summary]:
    """Return a summary of the metric for each learner, in the order they first appear."""
    return {
        name: _summary([row for row in rows if row["learner"] == name], metric)
        for name in dict.fromkeys(row["learner"] for row in rows)
    }


def _summary(rows: Sequence[Row], metric: str) -> Summary:
    steps = np.unique([row["step"] for row in rows])
    values: dict[int, list[float]] = {int(step): [] for step in steps}
    for row in rows:
        values[row["step"]].append(row[metric])
    mean = np.array([np.mean(values[int(step)]) for step in steps])
    error = np.array([_standard_error(values[int(step)]) for step in steps])
    return Summary(steps, mean, error)


def _standard_error(values: Sequence[float]) -> float:
    if len(values) < 2:
        return 0.0
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))
