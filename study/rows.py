"""Rows: the results of a run, one per learner, seed and step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import msgspec

# Set in the scenario file and used by reports; see docs/experiments.md.
Role = Literal[
    "leader", "literal", "variant", "predictor", "baseline", "reference", "noise-free", "other"
]  # fmt: skip


class Contender(msgspec.Struct, frozen=True):
    """A learner with specific parameters."""

    label: str  # its name in rows, tables and figures
    name: str = ""  # of its class, for the kind of experiment
    parameters: Mapping[str, Any] = {}
    role: Role = "other"
    seeds: int | None = None  # run on the first of the scenario's seeds only

    @property
    def family(self) -> tuple[str, Any]:
        """Its class, and its number of topics if that is not the stream's."""
        return self.name, self.parameters.get("n_topics")


class Row(NamedTuple):
    """The metrics of a learner at a step."""

    learner: Contender
    seed: int
    step: int
    values: Mapping[str, float]  # metrics, and the bounds they are compared with

    def to_json(self) -> dict[str, Any]:
        """Return the row as a flat object: parameters and metrics are columns."""
        named = {"learner": self.learner.label, **self.learner.parameters}
        return {**named, "seed": self.seed, "step": self.step, **self.values}
