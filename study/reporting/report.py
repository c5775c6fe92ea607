"""A report: questions, figures, tables and verdicts, as Markdown with its figures beside it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from study.reporting.claims import Verdict, count
from study.reporting.figures import draw_over_axis, draw_over_steps, draw_regret
from study.reporting.findings import COUNTS, MARGIN, MUCH
from study.reporting.study import Study, by_figure
from study.reporting.tables import (
    Table,
    as_markdown,
    final_table,
    table1_tables,
    tuning_table,
    verdict_table,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DRAWN = {"regret": draw_regret}  # kinds with a figure of their own
TEXTS = tomllib.loads(Path(__file__).with_name("texts.toml").read_text(encoding="utf-8"))
RULE = TEXTS["rule"].format(counts=COUNTS, margin=MARGIN, much=MUCH)


class Report(NamedTuple):
    """The content of a report."""

    lead: str  # first paragraph
    studies: Sequence[Study]
    command: str  # that reproduces it
    verdicts: Sequence[Verdict] = ()
    compared: Table | None = None  # verdicts on the paper's claims for other learners
    table1: Sequence[Study] = ()
    aims: Sequence[Verdict] = ()  # verdicts on our own claims


def write(report: Report, folder: Path) -> Path:
    """Write results.md and its figures to a folder; return the file."""
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    made = f"{report.lead} Written by `{report.command}`; do not edit."
    parts = ["# Results", made, *verdict_parts(report), *table1_parts(report)]
    for name, studies in by_figure(report.studies).items():
        parts += figure_parts(name, studies, folder)
    path = folder / "results.md"
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return path


def verdict_parts(report: Report) -> Iterator[str]:
    """Yield the verdicts on the paper's claims, for its learner and for others."""
    if report.verdicts:
        yield from ("## Verdicts", count(report.verdicts))
        yield from (as_markdown(verdict_table(report.verdicts)), RULE)
    if report.compared is not None and report.compared.rows:
        yield from (f"## {TEXTS['compared_heading']}", TEXTS["compared_note"])
        yield as_markdown(report.compared)


def table1_parts(report: Report) -> Iterator[str]:
    """Yield Table 1 and the verdicts on our own claims."""
    if report.table1:
        yield from (f"## {TEXTS['table1_heading']}", as_markdown(verdict_table(report.aims)))
        yield TEXTS["table1_note"]
        for title, table in table1_tables(report.table1).items():
            yield from (f"### {title}", as_markdown(table))
        yield TEXTS["labels_link"]


def figure_parts(name: str, studies: Sequence[Study], folder: Path) -> Iterator[str]:
    """Yield the studies of a figure: questions, figures and tables; save the figures."""
    yield f"## {TEXTS['headings'].get(name, name)}"
    if name in TEXTS["notes"]:
        yield TEXTS["notes"][name]
    for study in studies:
        where = f" ({study.paper})" if study.paper else ""
        yield f"{study.title}{where}: {study.question}"
    yield save(DRAWN.get(studies[0].kind, draw_over_steps)(studies), name, folder)
    if name in TEXTS["averaged"]:
        yield TEXTS["averages"]
    if axis := studies[0].axis:
        yield from (f"### By {axis}", save(draw_over_axis(studies), f"{name}-by-{axis}", folder))
    if (tuning := tuning_table(studies)).rows:
        yield from ("### The value of tuning", as_markdown(tuning))
    for study in studies:
        yield from (f"### {study.heading}: at the last step", as_markdown(final_table(study)))
    yield "Mean ± standard error over runs; * marks the best of the grid."


def save(figure: Figure, name: str, folder: Path) -> str:
    """Write a figure, and return the Markdown that shows it."""
    figure.savefig(folder / "figures" / f"{name}.png", dpi=110)
    return f"![{name}](figures/{name}.png)"
