"""Trials: the independent runs of a scenario, one per learner and seed, and which are needed.

With `screen`, a large grid is run on a few seeds, and only the best settings on all seeds. The best
have the lowest mean of a metric at the last step; each metric is ranked separately.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from spectralleader import __version__
from study.experiments.kinds import KINDS
from study.experiments.scenario import Scenario
from study.experiments.streams import portable
from study.rows import Contender, Row

Done = Mapping[str, Sequence[Row]]  # the rows of every finished run


class Trial(NamedTuple):
    """One run: a learner and a seed."""

    scenario: Scenario
    learner: Contender
    seed: int

    @property
    def run(self) -> str:
        """A fingerprint of everything that the rows depend on."""
        (s, c, seed), stream = self, portable(self.scenario.stream)
        sizes = (stream, s.block_size, s.n_steps, s.metrics, s.max_rows)
        # Without the learner's role, which only affects reports.
        facts = [__version__, s.kind, sizes, (c.label, c.name, c.parameters), seed]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:12]

    @property
    def is_of_grid(self) -> bool:
        """Whether the learner is part of the grid."""
        return self.scenario.axis in self.learner.parameters


def trials_of(scenario: Scenario) -> list[Trial]:
    """Return the trials of a scenario, in the order of its rows."""
    return [Trial(scenario, c, seed) for c in scenario.learners for seed in scenario.seeds]


def rows_of(trial: Trial, data: Path | None = None) -> list[Row]:
    """Run a trial and return its rows."""
    scenario, learner, seed = trial
    steps = KINDS[scenario.kind].run(learner, scenario, seed, data)
    return [Row(learner, seed, step, values) for step, values in steps]


def due(scenario: Scenario, done: Done) -> list[Trial]:
    """Return the trials of a scenario that are known to be needed, given the finished ones."""
    trials = trials_of(scenario)
    if scenario.screen is None:
        return trials
    seeds = scenario.seeds[: scenario.screen.seeds]
    early = [t for t in trials if not t.is_of_grid or t.seed in seeds]
    if any(trial.run not in done for trial in early):
        return early
    known = [t for t in early if t.is_of_grid]
    best = {
        label
        for metric in scenario.metrics
        for label in ranking(known, done, metric)[: scenario.screen.keep]
    }
    return [t for t in trials if not t.is_of_grid or t.seed in seeds or t.learner.label in best]


def ranking(trials: Sequence[Trial], done: Done, metric: str) -> list[str]:
    """Return the labels of learners, ordered by their mean of a metric at the last step."""
    finals: dict[str, list[float]] = {}
    for trial in trials:
        finals.setdefault(trial.learner.label, []).append(done[trial.run][-1].values[metric])
    return sorted(finals, key=lambda label: fmean(finals[label]))


def compared(scenario: Scenario, rows: Sequence[Row]) -> list[Row]:
    """Return the rows of the learners that were run on every seed."""
    seeds: dict[str, set[int]] = {}
    for row in rows:
        seeds.setdefault(row.learner.label, set()).add(row.seed)
    return [row for row in rows if len(seeds[row.learner.label]) == len(scenario.seeds)]
