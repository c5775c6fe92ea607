"""Trials: the independent runs of a scenario, one per learner and seed."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

from spectralleader import __version__
from study.experiments.kinds import KINDS
from study.experiments.scenario import Scenario
from study.experiments.sources import portable
from study.rows import Contender, Row


class Trial(NamedTuple):
    """One run: a learner and a seed."""

    scenario: Scenario
    learner: Contender
    seed: int

    @property
    def run(self) -> str:
        """A fingerprint of everything that the rows depend on."""
        scenario, learner, seed = self
        setting = scenario.setting._replace(stream=portable(scenario.stream))
        # Without the learner's role, which only affects reports.
        facts = [__version__, scenario.kind, setting, learner[:3], seed]
        key = json.dumps(facts, sort_keys=True)
        return hashlib.sha256(key.encode()).hexdigest()[:12]


def trials_of(scenario: Scenario) -> list[Trial]:
    """Return the trials of a scenario, in the order of its rows."""
    return [Trial(scenario, c, seed) for c in scenario.learners for seed in scenario.seeds]


def rows_of(trial: Trial, data: Path | None = None) -> list[Row]:
    """Run a trial and return its rows."""
    scenario, learner, seed = trial
    steps = KINDS[scenario.kind].run(learner, scenario.setting, seed, data)
    return [Row(learner, seed, step, values) for step, values in steps]


def as_lines(trial: Trial, rows: list[Row]) -> bytes:
    """Return the rows of a trial as JSON lines."""
    named = {"scenario": trial.scenario.name, "run": trial.run}
    return "".join(json.dumps(named | row.to_json()) + "\n" for row in rows).encode()


def read_rows(trial: Trial, lines: list[dict[str, Any]]) -> list[Row] | None:
    """Return the rows that `as_lines` wrote, or None if any is missing or damaged."""
    scenario = trial.scenario
    try:
        rows = [Row.from_json(line, trial.learner, scenario.metrics) for line in lines]
    except ValueError:
        return None
    kept = KINDS[scenario.kind].kept(scenario.setting)
    return rows if [row.step for row in rows] == kept else None
