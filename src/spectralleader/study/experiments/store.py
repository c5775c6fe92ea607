"""The file of a scenario's rows: JSON lines that survive being cut off anywhere."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from spectralleader.study.experiments.trials import Row, Trial, is_complete


class RowFile:
    """The rows of some trials, one JSON object a line; a trial's rows are added all at once.

    Opening it drops what an interrupted run left half-written. Rows of other settings (the scenario
    was edited) are put aside in a file of their own: neither lost nor mixed in.
    """

    def __init__(self, path: Path, trials: Iterable[Trial]) -> None:
        self.path = path
        self.trials = {trial.run: trial for trial in trials}
        path.parent.mkdir(parents=True, exist_ok=True)
        found = read_runs(path)
        foreign = {run: rows for run, rows in found.items() if run not in self.trials}
        self.rows = {
            run: found[run]
            for run, trial in self.trials.items()
            if run in found and is_complete(trial, found[run])
        }
        if foreign:
            append(path.with_suffix(".old.jsonl"), b"".join(map(as_lines, foreign.values())))
        self._write()

    def missing(self, due: Iterable[Trial]) -> list[Trial]:
        """Return those of the trials that are still to run."""
        return [trial for trial in due if trial.run not in self.rows]

    def add(self, trial: Trial, rows: list[Row]) -> None:
        """Add the rows of a finished trial to the end of the file."""
        self.rows[trial.run] = rows
        append(self.path, as_lines(rows))

    def finish(self) -> list[Row]:
        """Put the file in the order of the trials, whichever ended first; return its rows."""
        self._write()
        return [row for run in self.trials for row in self.rows.get(run, [])]

    def _write(self) -> None:
        """Replace the file at one stroke, so that it is valid at every moment."""
        content = b"".join(as_lines(self.rows[run]) for run in self.trials if run in self.rows)
        if self.path.is_file() and self.path.read_bytes() == content:
            return
        written = self.path.with_suffix(".new")
        written.write_bytes(content)
        os.replace(written, self.path)


def as_lines(rows: Iterable[Row]) -> bytes:
    """Return rows as JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def append(path: Path, lines: bytes) -> None:
    """Add lines to the end of a file."""
    with path.open("ab") as file:
        file.write(lines)


def read_runs(path: Path) -> dict[str, list[Row]]:
    """Return the rows of every run in a file, without lines that are no rows."""
    runs: dict[str, list[Row]] = {}
    for line in path.read_bytes().splitlines() if path.is_file() else ():
        try:
            row = json.loads(line)
        except ValueError:
            continue  # half-written: the run is incomplete, and will be run again
        if isinstance(row, dict) and isinstance(row.get("run"), str):
            runs.setdefault(row["run"], []).append(row)
    return runs
