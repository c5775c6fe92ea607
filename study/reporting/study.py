"""Study: the rows of one scenario, with the information that reports need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats
from study.rows import Contender, Row

LABELS = {
    "L1": "L1, nats per document",
    "L2": "L2, squared distance",
    "loss": "tensor loss",
    "regret": "regret",
    "coherence": "coherence, NPMI",
    "diversity": "diversity of words",
    "microseconds": "µs per document",
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
        """The learners with the parameter `axis`, and its values."""
        axis = self.axis or ""
        found = self.learners.values()
        return {c.label: c.parameters[axis] for c in found if axis in c.parameters}

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
        finals = self.finals(metric)
        return sorted(self.grid, key=lambda label: float(finals[label].mean()))


def metric_label(metric: str) -> str:
    """Return the axis label of a metric."""
    return LABELS.get(metric, metric)


def by_figure(studies: Iterable[Study]) -> dict[str, list[Study]]:
    """Return the studies grouped by figure, in order."""
    figures: dict[str, list[Study]] = {}
    for study in studies:
        figures.setdefault(study.figure or study.name, []).append(study)
    return figures
