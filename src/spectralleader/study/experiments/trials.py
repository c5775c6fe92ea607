"""Trials: the runs of a scenario, one a learner and seed, independent of each other."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

from spectralleader import __version__
from spectralleader.study.experiments.kinds import KINDS
from spectralleader.study.experiments.scenario import Scenario
from spectralleader.study.experiments.setting import Contender
from spectralleader.study.experiments.sources import portable

Row = dict[str, Any]  # scenario, run, learner, its parameters, seed, step, and every metric


class Trial(NamedTuple):
    """One learner, one seed."""

    scenario: Scenario
    learner: Contender
    seed: int

    @property
    def run(self) -> str:
        """A fingerprint of everything that the rows depend on, to know them again."""
        scenario, learner, seed = self
        setting = scenario.setting._replace(stream=portable(scenario.stream))
        facts = [__version__, scenario.kind, setting, learner, seed]
        key = json.dumps(facts, sort_keys=True)
        return hashlib.sha256(key.encode()).hexdigest()[:12]


def trials_of(scenario: Scenario) -> list[Trial]:
    """Return the trials of a scenario, in the order of its rows."""
    return [Trial(scenario, c, seed) for c in scenario.learners for seed in scenario.seeds]


def rows_of(trial: Trial, data: Path | None = None) -> list[Row]:
    """Run a trial and return its rows."""
    scenario, learner, seed = trial
    named = {"scenario": scenario.name, "run": trial.run, "learner": learner.label}
    named |= learner.parameters | {"seed": seed}
    steps = KINDS[scenario.kind].run(learner, scenario.setting, seed, data)
    return [{**named, "step": step, **values} for step, values in steps]


def is_complete(trial: Trial, rows: list[Row]) -> bool:
    """Say whether these are all the rows of a trial."""
    kept = KINDS[trial.scenario.kind].kept(trial.scenario.setting)
    return [row.get("step") for row in rows] == kept
