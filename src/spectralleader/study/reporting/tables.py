"""Tables: mean ± standard error, for the terminal, for Markdown and for a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

import numpy as np
import rich.table
from numpy.typing import NDArray

from spectralleader.study.reporting.rows import (
    final_values,
    lowest,
    plus_minus,
    settings,
    standard_error,
)
from spectralleader.study.reporting.study import Study, label
from spectralleader.study.reporting.verdicts import COMPARED, LEADER, POWER, Verdict


class Table(NamedTuple):
    """A table of texts."""

    header: tuple[str, ...]
    rows: list[tuple[str, ...]]


def final_table(study: Study) -> Table:
    """Return every metric at the last step, a row a learner; the best of a grid is starred."""
    columns = []
    for metric in study.metrics:
        best = lowest(study.rows, metric, study.axis) if study.axis else None
        columns.append(
            {
                name: mean_and_error(values) + (" *" if name == best else "")
                for name, values in final_values(study.rows, metric).items()
            }
        )
    rows = [(name, *(column[name] for column in columns)) for name in columns[0]]
    return Table(("learner", *map(label, study.metrics)), rows)


def mean_and_error(values: NDArray[np.float64]) -> str:
    """Return the mean of some values and its standard error, as text."""
    return plus_minus(float(values.mean()), standard_error(values))


def tuning_table(studies: Iterable[Study]) -> Table:
    """Return what tuning is worth: EM at its best and worst power, and the leader untuned."""
    rows: list[tuple[str, ...]] = []
    for study in studies:
        tried = settings(study.rows, POWER)
        for metric in study.metrics if tried else ():
            finals = final_values(study.rows, metric)
            ranked = sorted(tried, key=lambda name: float(finals[name].mean()))
            cells = [mean_and_error(finals[name]) for name in (LEADER, ranked[0], ranked[-1])]
            best, worst = (f" at {tried[name]}" for name in (ranked[0], ranked[-1]))
            rows.append(
                (study.title, study.role, metric, cells[0], cells[1] + best, cells[2] + worst)
            )
    header = ("problem", "group", "metric", f"{LEADER}, untuned", "EM, best power", "worst power")
    return Table(header, rows)


def verdict_table(verdicts: Sequence[Verdict]) -> Table:
    """Return the verdicts, a row a claim."""
    return Table(("where", "claim", "learner", "measured", "verdict"), [tuple(v) for v in verdicts])


def compared_table(rows: Sequence[tuple[str, ...]]) -> Table:
    """Return the verdicts that several learners get, from `judge_others`."""
    return Table(("where", "claim", *COMPARED), list(rows))


def as_rich(table: Table, title: str) -> rich.table.Table:
    """Return a table for the terminal."""
    made = rich.table.Table(*table.header, title=title, title_justify="left")
    for row in table.rows:
        made.add_row(*row)
    return made


def as_markdown(table: Table) -> str:
    """Return a table in Markdown."""
    lines = [table.header, ("---",) * len(table.header), *table.rows]
    return "".join(f"| {' | '.join(c.replace('|', '/') for c in line)} |\n" for line in lines)


def as_html(table: Table) -> str:
    """Return a table in HTML; a cell that is a verdict is marked as one."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.header)
    body = "".join(
        "<tr>" + "".join(f"<td{_mark(cell)}>{escape(cell)}</td>" for cell in row) + "</tr>\n"
        for row in table.rows
    )
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n"


def _mark(cell: str) -> str:
    marks = {"holds": "holds", "does not hold": "fails", "not tested here": "untested"}
    return f' class="{marks[cell]}"' if cell in marks else ""
