"""A report: questions, figures, tables and verdicts, as Markdown with its figures beside it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from study.reporting.claims import Verdict, count
from study.reporting.figures import draw_over_steps, draw_regret
from study.reporting.findings import LEVEL, MARGIN, MUCH, N_CLAIMS, quantile
from study.reporting.study import Study, by_figure
from study.reporting.tables import (
    Table,
    above,
    as_markdown,
    changes_table,
    final_table,
    table1_tables,
    tuning_table,
    verdict_table,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DRAWN = {"regret": draw_regret}  # kinds with a figure of their own
TEXTS = tomllib.loads(Path(__file__).with_name("texts.toml").read_text(encoding="utf-8"))
RULE = TEXTS["rule"].format(
    level=LEVEL,
    n_claims=N_CLAIMS,
    few=quantile(6),
    some=quantile(10),
    many=quantile(100),
    margin=MARGIN,
    much=MUCH,
)
OF_TABLE1 = ("table1", "ablation", "cost")  # figures that have tables only, beside Table 1


class Report(NamedTuple):
    """The content of a report."""

    lead: str  # first paragraph
    studies: Sequence[Study]
    command: str  # that reproduces it
    verdicts: Sequence[Verdict] = ()
    compared: Table | None = None  # verdicts on the paper's claims for other learners
    table1: Sequence[Study] = ()
    ablations: Sequence[Study] = ()
    costs: Sequence[Study] = ()
    aims: Sequence[Verdict] = ()  # verdicts on our own claims


def write(report: Report, folder: Path) -> Path:
    """Write results.md and its figures to a folder; return the file."""
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    made = f"{report.lead} Written by `{report.command}`; do not edit."
    parts = ["# Results", made, *verdict_parts(report), *table1_parts(report)]
    # In the order of their headings: first the paper's figures.
    order = list(TEXTS["headings"])
    figures = by_figure(report.studies).items()
    for name, studies in sorted(figures, key=lambda figure: _place(order, figure[0])):
        parts += figure_parts(name, studies, folder)
    path = folder / "results.md"
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return path


def _place(order: Sequence[str], name: str) -> int:
    return order.index(name) if name in order else len(order)


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
        for title, table in table1_tables(report.table1, report.costs).items():
            yield from (f"### {title}", as_markdown(table))
        yield above(report.table1, "L2", "SpectralLeader", "Unigram")
    if report.costs:
        yield from ("### What the learners cost", TEXTS["cost_note"])
    for study in report.costs:
        yield from (study.title, as_markdown(final_table(study)))
    if report.ablations:
        yield from ("### HedgedLeader without its parts", TEXTS["ablation_note"])
        yield as_markdown(changes_table(report.ablations, "L1"))
    if report.table1:
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
    if name in TEXTS["captions"]:
        yield TEXTS["captions"][name]
    if norms := [f"{s.title} {s.rows[0].values['norm']:.3g}" for s in studies if "L2" in s.metrics]:
        yield f"L2 is relative; in the paper's unit it is multiplied by ‖M3*‖²: {', '.join(norms)}."
    if (tuning := tuning_table(studies)).rows:
        yield from ("### The value of tuning", as_markdown(tuning))
    for study in studies:
        yield from (f"### {study.heading}: at the last step", as_markdown(final_table(study)))
    yield "Mean ± standard error over runs; * marks the best of the grid."


def save(figure: Figure, name: str, folder: Path) -> str:
    """Write a figure for pages and for print, and return the Markdown that shows it."""
    figure.savefig(folder / "figures" / f"{name}.png", dpi=300)
    # Without the date, so that the same rows give the same file.
    figure.savefig(folder / "figures" / f"{name}.pdf", metadata={"CreationDate": None})
    return f"![{name}](figures/{name}.png)"
