"""Study: the rows of one scenario, with the information that reports need; their statistics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats, Ints
from study.rows import Contender, Row

NEGLIGIBLE = 1e-6  # standard errors below this share of the mean are not printed
LABELS = {
    "L1": "L1, nats per document",
    "L2": "L2 / ‖M3*‖²",
    "loss": "tensor loss above the reference's",
    "us": "µs per document",
    "MB": "memory, MB",
}


class Study(NamedTuple):
    """A scenario with its rows, the roles of learners, a grid and a figure."""

    name: str
    title: str
    question: str
    metrics: tuple[str, ...]
    rows: Sequence[Row] = ()
    paper: str = ""  # section or figure of the paper
    figure: str = ""  # studies of one figure are its rows of panels
    kind: str = "prequential"  # of experiment; decides how it is drawn
    axis: str | None = None  # the parameter of the grid
    log: tuple[str, ...] = ()  # metrics on a log axis
    group: str = ""  # of its stream: development, test or own; see `sources.corpora`
    missing: str = ""  # why there are no rows

    @property
    def heading(self) -> str:
        """The title, with the group of the stream if it is known."""
        return f"{self.title} ({self.group} stream)" if self.group else self.title

    @property
    def learners(self) -> dict[str, Contender]:
        """The learners that have rows, by label."""
        return {row.learner.label: row.learner for row in self.rows}

    @property
    def seeds(self) -> list[int]:
        """The seeds that have rows."""
        return list(dict.fromkeys(row.seed for row in self.rows))

    @property
    def last_step(self) -> int:
        """The last step that has rows."""
        return max(row.step for row in self.rows)

    @property
    def grid(self) -> Mapping[str, float]:
        """The learners of the first class with the parameter `axis`, and its values."""
        axis = self.axis or ""
        tried = [self.learners[label] for label in self.tried]
        return {c.label: c.parameters[axis] for c in tried if c.name == tried[0].name}

    @property
    def tried(self) -> list[str]:
        """The learners of any class with the parameter `axis`, and the stream's topics."""
        return self._with_axis(finer=False)

    @property
    def finer(self) -> list[str]:
        """The same with a number of topics of their own."""
        return self._with_axis(finer=True)

    def _with_axis(self, *, finer: bool) -> list[str]:
        learners = [c for c in self.learners.values() if self.axis in c.parameters]
        return [c.label for c in learners if (c.family[1] is not None) == finer]

    def of_role(self, *roles: str) -> list[str]:
        """Return the labels of the learners with one of the roles, in order of roles."""
        learners = self.learners.values()
        return [c.label for role in roles for c in learners if c.role == role]

    def finals(self, metric: str, step: int | None = None) -> dict[str, Floats]:
        """Return a metric at a step (default: the last) for each learner, in order of seeds."""
        step = self.last_step if step is None else step
        ended = sorted((row for row in self.rows if row.step == step), key=lambda row: row.seed)
        values: dict[str, list[float]] = {label: [] for label in self.learners}
        for row in ended:
            values[row.learner.label].append(row.values[metric])
        return {label: np.array(own) for label, own in values.items()}

    def ranked(self, metric: str) -> list[str]:
        """Return the learners of the grid, ordered by their mean at the last step."""
        return self.order(self.grid, metric)

    def order(self, labels: Iterable[str], metric: str) -> list[str]:
        """Return learners, ordered by their mean at the last step."""
        finals = self.finals(metric)
        return sorted(labels, key=lambda label: float(finals[label].mean()))

    def above_reference(self, metric: str) -> Study:
        """Return the study with a metric as excess over the reference's, row by row."""
        known = self.of_role("reference")[:1]
        base = {(r.seed, r.step): r.values[metric] for r in self.rows if r.learner.label in known}
        if not base:
            return self
        rows = [
            r._replace(values={**r.values, metric: r.values[metric] - base[r.seed, r.step]})
            for r in self.rows
        ]
        return self._replace(rows=rows)


def metric_label(metric: str) -> str:
    """Return the axis label of a metric."""
    return LABELS.get(metric, metric)


def by_figure(studies: Iterable[Study]) -> dict[str, list[Study]]:
    """Return the studies grouped by figure, in order."""
    figures: dict[str, list[Study]] = {}
    for study in studies:
        figures.setdefault(study.figure or study.name, []).append(study)
    return figures


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
