"""What a measurement is: one row a contender in a section, one value a round."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

MICROSECONDS = "µs per document"


@dataclass(frozen=True)
class Row:
    """One contender's values in one section, one for each round."""

    section: str
    name: str
    values: tuple[float, ...]
    n_docs: int  # documents that each value was measured on
    unit: str = MICROSECONDS
    size: int | None = None  # of what grows, in the growth sections


@dataclass
class Results:
    """All rows of a run, and what a reader must know to judge them."""

    stream: str  # what the documents are
    machine: dict[str, str]
    rows: list[Row] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)  # contender -> why it did not run
    seconds: float = 0.0

    def of(self, section: str, name: str) -> Row | None:
        """Return a contender's row in a section, if it was measured there."""
        return next((r for r in self.rows if (r.section, r.name) == (section, name)), None)


class Spread(NamedTuple):
    """The median over rounds, with the least and the greatest."""

    middle: float
    low: float
    high: float


def spread(values: Iterable[float]) -> Spread:
    """Return the spread of a row's values."""
    values = tuple(values)
    return Spread(median(values), min(values), max(values))


def ratio(peers: Sequence[Row], ours: Row) -> Spread:
    """Return how many times ours the fastest peer's value is, round by round.

    The fastest is the one with the least median. Within a round they ran next to each other, so
    that a slow minute of the machine cancels.
    """
    fastest = min(peers, key=lambda peer: median(peer.values))
    return spread(peer / own for peer, own in zip(fastest.values, ours.values, strict=True))
