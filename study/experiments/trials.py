"""Trials: the independent runs of a scenario, which of them are needed, and the file of their rows.

With `screen`, a large grid is run on a few seeds, and only the best settings on all seeds. The best
have the lowest mean of a metric at the last step; each metric is ranked separately.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import msgspec

from spectralleader import __version__
from study.experiments.kinds import KINDS
from study.experiments.scenario import Scenario
from study.experiments.streams import portable
from study.rows import Contender, Row

Done = Mapping[str, Sequence[Row]]  # the rows of every finished run
Line = dict[str, Any]  # of the file of rows


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
    return [
        Trial(scenario, c, seed) for c in scenario.learners for seed in scenario.seeds[: c.seeds]
    ]


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
    # The first round: what is not screened, and the whole grid on its few seeds.
    early = [t for t in trials if not t.is_of_grid or t.seed in seeds]
    if any(trial.run not in done for trial in early):
        return early
    best = set()
    # Each class has a grid of its own, and each number of topics.
    for family in {t.learner.family for t in early if t.is_of_grid}:
        known = [t for t in early if t.is_of_grid and t.learner.family == family]
        for metric in scenario.metrics:
            best.update(ranking(known, done, metric)[: scenario.screen.keep])
    return [t for t in trials if not t.is_of_grid or t.seed in seeds or t.learner.label in best]


def ranking(trials: Sequence[Trial], done: Done, metric: str) -> list[str]:
    """Return the labels of learners, ordered by their mean of a metric at the last step."""
    finals: dict[str, list[float]] = {}
    for trial in trials:
        finals.setdefault(trial.learner.label, []).append(done[trial.run][-1].values[metric])
    return sorted(finals, key=lambda label: fmean(finals[label]))


def compared(scenario: Scenario, rows: Sequence[Row]) -> list[Row]:
    """Return the rows of the learners that were run on all of their seeds."""
    seeds: dict[str, set[int]] = {}
    for row in rows:
        seeds.setdefault(row.learner.label, set()).add(row.seed)
    wanted = {c.label: len(scenario.seeds[: c.seeds]) for c in scenario.learners}
    return [row for row in rows if len(seeds[row.learner.label]) == wanted[row.learner.label]]


class RowFile:
    """The rows of some trials, one JSON object per line; the rows of a trial are added together.

    Opening the file drops incomplete rows of an interrupted run. Rows of other settings, after the
    scenario was edited, are moved to a separate file.
    """

    def __init__(self, path: Path, trials: Iterable[Trial]) -> None:
        self.path = path
        self.trials = {trial.run: trial for trial in trials}
        path.parent.mkdir(parents=True, exist_ok=True)
        runs = read_runs(path)
        read = {run: read_rows(self.trials[run], runs[run]) for run in self.trials if run in runs}
        self.rows = {run: rows for run, rows in read.items() if rows}
        if foreign := [line for run in runs if run not in self.trials for line in runs[run]]:
            append(path.with_suffix(".old.jsonl"), foreign)
        self._write()

    def missing(self, due: Iterable[Trial]) -> list[Trial]:
        """Return the trials that have no rows yet."""
        return [trial for trial in due if trial.run not in self.rows]

    def add(self, trial: Trial, rows: list[Row]) -> None:
        """Append the rows of a finished trial."""
        self.rows[trial.run] = rows
        append(self.path, as_lines(trial, rows))

    def finish(self) -> list[Row]:
        """Sort the file by trial, and return its rows."""
        self._write()
        return [row for run in self.trials for row in self.rows.get(run, ())]

    def _write(self) -> None:
        """Replace the file atomically."""
        # In order of trials, so that the finished file is the same whatever interrupted the run.
        written = self.path.with_suffix(".new")
        written.unlink(missing_ok=True)
        runs = ((trial, self.rows.get(run, [])) for run, trial in self.trials.items())
        append(written, (line for trial, rows in runs for line in as_lines(trial, rows)))
        os.replace(written, self.path)


def append(path: Path, lines: Iterable[Line]) -> None:
    """Append lines to a file."""
    with path.open("ab") as file:
        file.write("".join(json.dumps(line) + "\n" for line in lines).encode())


def as_lines(trial: Trial, rows: Iterable[Row]) -> list[Line]:
    """Return the rows of a trial as the objects that are written."""
    return [{"scenario": trial.scenario.name, "run": trial.run} | row.to_json() for row in rows]


def read_runs(path: Path) -> dict[str, list[Line]]:
    """Return the lines of every run in a file; invalid lines are ignored."""
    runs: dict[str, list[Line]] = {}
    for text in path.read_bytes().splitlines() if path.is_file() else ():
        try:
            line = msgspec.json.decode(text, type=Line)
            runs.setdefault(msgspec.convert(line.get("run"), str), []).append(line)
        except ValueError:
            continue  # an incomplete line: the run is incomplete, and will be run again
    return runs


def read_rows(trial: Trial, lines: list[Line]) -> list[Row] | None:
    """Return the rows that `as_lines` wrote, or None if any is missing or damaged."""
    scenario, learner, rows = trial.scenario, trial.learner, []
    named = {"scenario", "run", "learner", "seed", "step", *learner.parameters}
    for line in lines:
        values = {key: value for key, value in line.items() if key not in named}
        try:
            seed, step = (msgspec.convert(line.get(key), int) for key in ("seed", "step"))
            rows.append(Row(learner, seed, step, msgspec.convert(values, dict[str, int | float])))
        except msgspec.ValidationError:
            return None
        if line.get("learner") != learner.label or not set(scenario.metrics) <= set(values):
            return None
    # An interrupted run has fewer steps.
    kept = KINDS[scenario.kind].kept(scenario)
    return rows if [row.step for row in rows] == kept else None
