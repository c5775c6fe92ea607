"""The file of a scenario's rows: JSON lines that survive a crash at any time."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from study.experiments.kinds import KINDS
from study.experiments.trials import Trial
from study.rows import Row

Line = dict[str, Any]


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
    kept = KINDS[scenario.kind].kept(scenario)
    return rows if [row.step for row in rows] == kept else None
