"""A report: questions, figures, tables and verdicts, as one HTML page or as Markdown.

The content is one sequence of parts; each format renders every kind of part.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import NamedTuple

from study.reporting import texts
from study.reporting.figures import (
    Figure,
    as_svg,
    draw_over_axis,
    draw_over_steps,
    save_figure,
)
from study.reporting.regret import draw_regret
from study.reporting.study import Study, by_figure
from study.reporting.table1 import table1_tables
from study.reporting.tables import (
    Table,
    as_html,
    as_markdown,
    final_table,
    tuning_table,
    verdict_table,
)
from study.reporting.verdicts import Verdict, count

DRAWN = {"regret": draw_regret}  # kinds with a figure of their own


class Report(NamedTuple):
    """The content of a report."""

    title: str
    lead: str  # first paragraph
    studies: Sequence[Study]
    command: str  # that reproduces it
    version: str  # of this package
    verdicts: Sequence[Verdict] = ()
    compared: Table | None = None  # verdicts on the paper's claims for other learners
    table1: Sequence[Study] = ()
    aims: Sequence[Verdict] = ()  # verdicts on our own claims


class Heading(NamedTuple):
    """A heading, of level 2 or 3."""

    text: str
    level: int = 2


class Text(NamedTuple):
    """A paragraph; a note is printed smaller."""

    text: str
    is_note: bool = False


class Picture(NamedTuple):
    """A figure, and the name of its file."""

    name: str
    figure: Figure


Part = Heading | Text | Table | Picture


def parts_of(report: Report) -> Iterator[Part]:
    """Yield the parts of a report between its lead and its command."""
    if report.verdicts:
        yield from (Heading("Verdicts"), Text(count(report.verdicts)))
        yield from (verdict_table(report.verdicts), Text(texts.RULE, is_note=True))
    if report.compared is not None and report.compared.rows:
        yield from (Heading(texts.COMPARED_HEADING), Text(texts.COMPARED_NOTE), report.compared)
    if report.table1:
        yield from (Heading(texts.TABLE1_HEADING), verdict_table(report.aims))
        yield Text(texts.TABLE1_NOTE)
        for title, table in table1_tables(report.table1).items():
            yield from (Heading(title, 3), table)
        yield Text(texts.LABELS_LINK, is_note=True)
    for name, studies in by_figure(report.studies).items():
        yield from _section(name, studies)


def _section(name: str, studies: Sequence[Study]) -> Iterator[Part]:
    yield Heading(texts.HEADINGS.get(name, name))
    if name in texts.NOTES:
        yield Text(texts.NOTES[name])
    for study in studies:
        where = f" ({study.paper})" if study.paper else ""
        yield Text(f"{study.title}{where}: {study.question}")
    yield Picture(name, DRAWN.get(studies[0].kind, draw_over_steps)(studies))
    if name in texts.CAPTIONS:
        yield Text(texts.CAPTIONS[name], is_note=True)
    if axis := studies[0].axis:
        yield from (Heading(f"By {axis}", 3), Picture(f"{name}-by-{axis}", draw_over_axis(studies)))
    if (tuning := tuning_table(studies)).rows:
        yield from (Heading("The value of tuning", 3), tuning)
    for study in studies:
        yield from (Heading(f"{study.heading}: at the last step", 3), final_table(study))
    yield Text("Mean ± standard error over runs; * marks the best of the grid.", is_note=True)


def write_page(report: Report, path: Path) -> Path:
    """Write a self-contained HTML page, and its figures as separate files beside it."""
    template = Template(Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
    (folder := path.parent / "figures").mkdir(parents=True, exist_ok=True)
    text = template.substitute(
        title=escape(report.title),
        lead=escape(report.lead),
        parts="\n".join(_html(part, folder) for part in parts_of(report)),
        commands=escape(report.command),
        version=escape(report.version),
    )
    path.write_text(text, encoding="utf-8")
    return path


def _html(part: Part, folder: Path) -> str:
    match part:
        case Heading(text, level):
            return f"<h{level}>{escape(text)}</h{level}>"
        case Text(text, is_note):
            return f"<p{' class=note' if is_note else ''}>{escape(text)}</p>"
        case Table():
            return as_html(part)
        case Picture(name, figure):  # as an image: inline SVGs would share ids
            (folder / f"{name}.svg").write_bytes(svg := as_svg(figure).encode())
            data = base64.b64encode(svg).decode()
            return f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(name)}">'


def write_markdown(report: Report, folder: Path) -> None:
    """Write results.md and its figures to a folder of the project."""
    folder.mkdir(parents=True, exist_ok=True)
    made = f"{report.lead} Written by `{report.command} --docs {folder}`; do not edit."
    parts = [f"# Results\n\n{made}", *(_markdown(part, folder) for part in parts_of(report))]
    text = "\n\n".join(part.strip() for part in parts)
    (folder / "results.md").write_text(text + "\n", encoding="utf-8")


def _markdown(part: Part, folder: Path) -> str:
    match part:
        case Heading(text, level):
            return f"{'#' * level} {text}"
        case Text(text, _):
            return text
        case Table():
            return as_markdown(part)
        case Picture(name, figure):
            save_figure(figure, folder / "figures" / f"{name}.png")
            return f"![{name}](figures/{name}.png)"
