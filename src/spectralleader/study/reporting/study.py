"""Study: the rows of one scenario, and what a reader must be told about them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from spectralleader.study.reporting.rows import Row

LABELS = {
    "L1": "L1, nats per document",
    "L2": "L2, squared distance",
    "loss": "tensor loss",
    "regret": "regret",
}


class Study(NamedTuple):
    """A scenario with its rows."""

    name: str
    title: str
    question: str
    paper: str  # where it stands in the paper
    metrics: tuple[str, ...]
    rows: Sequence[Row]
    figure: str  # studies of one figure are its rows of panels
    axis: str | None = None  # a parameter to draw the final values against
    log: tuple[str, ...] = ()  # metrics on a log axis
    role: str = ""  # of its stream: development or test, see `streams.corpora`

    @property
    def role_note(self) -> str:
        """The role of the stream, to stand behind a title; nothing if it is not known."""
        return f" ({self.role} stream)" if self.role else ""


def label(metric: str) -> str:
    """Return a metric's name in words."""
    return LABELS.get(metric, metric)


def by_figure(studies: Iterable[Study]) -> dict[str, list[Study]]:
    """Return the studies of every figure, in order."""
    figures: dict[str, list[Study]] = {}
    for study in studies:
        figures.setdefault(study.figure, []).append(study)
    return figures
