"""The file of a scenario's rows: JSON lines that survive a crash at any time."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from study.experiments.trials import Trial, as_lines, read_rows
from study.rows import Row


class RowFile:
    """The rows of some trials, one JSON object per line; the rows of a trial are added together.

    Opening the file drops incomplete rows of an interrupted run. Rows of other settings, after the
    scenario was edited, are moved to a separate file.
    """

    def __init__(self, path: Path, trials: Iterable[Trial]) -> None:
        self.path = path
        self.trials = {trial.run: trial for trial in trials}
        path.parent.mkdir(parents=True, exist_ok=True)
        found = read_runs(path)
        read = {run: read_rows(self.trials[run], found[run]) for run in self.trials if run in found}
        self.rows = {run: rows for run, rows in read.items() if rows}
        if foreign := [x for run in found if run not in self.trials for x in found[run]]:
            old = "".join(json.dumps(line) + "\n" for line in foreign)
            append(path.with_suffix(".old.jsonl"), old.encode())
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
        return [row for _, rows in self._in_order() for row in rows]

    def _in_order(self) -> list[tuple[str, list[Row]]]:
        return [(run, self.rows[run]) for run in self.trials if run in self.rows]

    def _write(self) -> None:
        """Replace the file atomically."""
        content = b"".join(as_lines(self.trials[run], rows) for run, rows in self._in_order())
        if self.path.is_file() and self.path.read_bytes() == content:
            return
        written = self.path.with_suffix(".new")
        written.write_bytes(content)
        os.replace(written, self.path)


def append(path: Path, lines: bytes) -> None:
    """Append lines to a file."""
    with path.open("ab") as file:
        file.write(lines)


def read_runs(path: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the lines of every run in a file; invalid lines are ignored."""
    runs: dict[str, list[dict[str, Any]]] = {}
    for line in path.read_bytes().splitlines() if path.is_file() else ():
        try:
            found = json.loads(line)
        except ValueError:
            continue  # an incomplete line: the run is incomplete, and will be run again
        if isinstance(found, dict) and isinstance(found.get("run"), str):
            runs.setdefault(found["run"], []).append(found)
    return runs
