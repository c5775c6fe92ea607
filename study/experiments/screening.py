"""Screening: a large grid is run on a few seeds, and only the best settings on all seeds.

The best have the lowest mean of a metric at the last step; each metric is ranked separately.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from study.experiments.scenario import Scenario
from study.experiments.trials import Trial, trials_of
from study.rows import Row

Done = Mapping[str, Sequence[Row]]  # the rows of every finished run


def due(scenario: Scenario, done: Done) -> list[Trial]:
    """Return the trials of a scenario that are known to be needed, given the finished ones."""
    trials = trials_of(scenario)
    if scenario.screen is None:
        return trials
    seeds = scenario.seeds[: scenario.screen.seeds]
    early = [t for t in trials if not is_of_grid(t) or t.seed in seeds]
    if any(trial.run not in done for trial in early):
        return early
    known = [t for t in early if is_of_grid(t)]
    last = {label for metric in scenario.metrics for label in best(known, done, metric)}
    return [t for t in trials if not is_of_grid(t) or t.seed in seeds or t.learner.label in last]


def is_of_grid(trial: Trial) -> bool:
    """Return whether the learner of a trial is part of the grid."""
    return trial.scenario.axis in trial.learner.parameters


def best(trials: Sequence[Trial], done: Done, metric: str) -> list[str]:
    """Return the labels of the `keep` best learners by a metric."""
    finals: dict[str, list[float]] = {}
    for trial in trials:
        finals.setdefault(trial.learner.label, []).append(done[trial.run][-1].values[metric])
    screen = trials[0].scenario.screen
    assert screen is not None
    return sorted(finals, key=lambda label: fmean(finals[label]))[: screen.keep]


def compared(scenario: Scenario, rows: Sequence[Row]) -> list[Row]:
    """Return the rows of the learners that were run on every seed."""
    if scenario.screen is None:
        return list(rows)
    seeds: dict[str, set[int]] = {}
    for row in rows:
        seeds.setdefault(row.learner.label, set()).add(row.seed)
    return [row for row in rows if len(seeds[row.learner.label]) == len(scenario.seeds)]
