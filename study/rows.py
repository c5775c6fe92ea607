"""Rows: the results of a run, one per learner, seed and step; validated when read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

# Roles of learners, set in the scenario file and used by reports; see docs/experiments.md.
ROLES = ("leader", "literal", "variant", "predictor", "reference", "noise-free", "other")
KEYS = ("scenario", "run", "learner", "seed", "step")  # keys of a line that are not metrics


class Contender(NamedTuple):
    """A learner with specific parameters."""

    label: str  # its name in rows, tables and figures
    name: str = ""  # in the registry of the kind of experiment
    parameters: Mapping[str, Any] = {}
    role: str = "other"  # one of ROLES


class Row(NamedTuple):
    """The metrics of a learner at a step."""

    learner: Contender
    seed: int
    step: int
    values: Mapping[str, float]  # metrics, and the bounds they are compared with

    def to_json(self) -> dict[str, Any]:
        """Return the row as a flat object: parameters and metrics are columns."""
        label, _, parameters, _ = self.learner
        named = {"learner": label, **parameters, "seed": self.seed, "step": self.step}
        return {**named, **self.values}

    @classmethod
    def from_json(cls, found: Mapping[str, Any], learner: Contender, metrics: Iterable[str]) -> Row:
        """Return the row that `to_json` wrote for this learner; raise `ValueError` otherwise.

        Role and parameters are taken from `learner`, so that an edited role applies to old rows.
        """
        values = {k: v for k, v in found.items() if k not in (*KEYS, *learner.parameters)}
        numbers = [found.get("seed"), found.get("step"), *values.values()]
        if found.get("learner") != learner.label or not set(metrics) <= set(values):
            raise ValueError(f"not a row of {learner.label}: {found}")
        if not all(type(number) in (int, float) for number in numbers):
            raise ValueError(f"a value of a row is not a number: {found}")
        return cls(learner, found["seed"], found["step"], values)
