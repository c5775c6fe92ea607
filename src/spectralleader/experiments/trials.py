"""Trials: the runs of a scenario, one a learner and seed, independent of each other."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

from spectralleader import __version__
from spectralleader.experiments.kinds import KINDS
from spectralleader.experiments.scenario import Contender, Scenario
from spectralleader.experiments.sources import open_source

Row = dict[str, Any]  # scenario, run, learner, its parameters, seed, step, and every metric


class Trial(NamedTuple):
    """One learner, one seed."""

    scenario: Scenario
    learner: Contender
    seed: int

    @property
    def run(self) -> str:
        """A fingerprint of everything that the rows depend on, to know them again."""
        scenario = self.scenario
        settings = [scenario.kind, scenario.stream, *scenario.setting, scenario.max_rows]
        key = json.dumps([__version__, settings, self.learner, self.seed], sort_keys=True)
        return hashlib.sha256(key.encode()).hexdigest()[:12]


def trials_of(scenario: Scenario) -> list[Trial]:
    """Return the trials of a scenario, in the order of its rows."""
    return [Trial(scenario, c, seed) for c in scenario.learners for seed in scenario.seeds]


def kept_steps(n_steps: int, max_rows: int) -> list[int]:
    """Return at most max_rows of the steps 1 to n_steps, evenly spread, with the first and last.

    Examples
    --------
    >>> kept_steps(1000, 5)
    [1, 250, 500, 750, 1000]
    >>> kept_steps(3, 5)
    [1, 2, 3]
    """
    if n_steps <= max_rows:
        return list(range(1, n_steps + 1))
    return [1 + i * (n_steps - 1) // (max_rows - 1) for i in range(max_rows)]


def rows_of(trial: Trial, data: Path | None = None) -> list[Row]:
    """Run a trial and return its rows."""
    scenario, learner, seed = trial
    source = open_source(scenario.stream, data)
    steps = KINDS[scenario.kind].steps(
        learner.name, learner.parameters, source, scenario.setting, seed
    )
    kept = set(kept_steps(scenario.n_steps, scenario.max_rows))
    named = {"scenario": scenario.name, "run": trial.run, "learner": learner.label}
    named |= learner.parameters | {"seed": seed}
    return [
        {**named, "step": step, **values}
        for step, values in enumerate(steps, start=1)
        if step in kept
    ]


def is_complete(trial: Trial, rows: list[Row]) -> bool:
    """Say whether these are all the rows of a trial."""
    kept = kept_steps(trial.scenario.n_steps, trial.scenario.max_rows)
    return [row.get("step") for row in rows] == kept
