"""The paper's study, or anybody's: run scenarios, then tables, figures and a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from spectralleader import __version__
from spectralleader.sources.corpora import role_of
from spectralleader.study.experiments import Scenario, load, shipped
from spectralleader.study.experiments.run import run
from spectralleader.study.experiments.sources import why_missing
from spectralleader.study.reporting.claims import CLAIMS
from spectralleader.study.reporting.figures import draw_over_axis, save_png
from spectralleader.study.reporting.gallery import draw
from spectralleader.study.reporting.page import CAPTIONS, HEADINGS, NOTES, Page, count, write_page
from spectralleader.study.reporting.rows import Row
from spectralleader.study.reporting.study import Study, by_figure
from spectralleader.study.reporting.table1 import AIMS, HEADING, NOTE, TABLE1, duel_tables
from spectralleader.study.reporting.tables import (
    as_markdown,
    as_rich,
    compared_table,
    final_table,
    tuning_table,
    verdict_table,
)
from spectralleader.study.reporting.verdicts import (
    COMPARED,
    COMPARED_HEADING,
    COMPARED_NOTE,
    POWER,
    RULE,
    Verdict,
    judge_claims,
    judge_others,
)

LABELS_LINK = (
    "Table 2, how topics agree with the labels that people gave, is in [labels.md](labels.md), "
    'made by `make bench ARGS="--only labels --write-docs"`.'
)


class Options(NamedTuple):
    """How a study is run."""

    out: Path
    workers: int | None = None  # as many as cores
    data: Path | None = None  # where corpora are; else the environment's folder and the cache
    quick: bool = False
    tables: bool = False  # also run Table 1, which takes longer than all the rest


def run_files(console: Console, files: Sequence[Path], options: Options) -> list[Study]:
    """Run scenario files; print a table of each, write figures and a page."""
    studies, _ = run_studies(console, [load(file) for file in files], options)
    for study in studies:
        console.print(as_rich(final_table(study), f"{study.title} (* best of its grid)"))
    commands = f"spectralleader experiment run {' '.join(map(str, files))} --out {options.out}"
    lead = "Each learner is judged by every block before it learns it."
    page = Page("Experiments", lead, studies, (), commands, __version__)
    report(console, page, options.out)
    return studies


def reproduce(console: Console, options: Options, docs: Path | None = None) -> list[Verdict]:
    """Run the paper's study as far as it can be run here, and give a verdict on every claim."""
    known = [load(file) for file in shipped()]
    scenarios = [s for s in known if options.tables or s.figure != TABLE1]
    ran, skipped = run_studies(console, scenarios, options)
    studies = [study for study in ran if study.figure != TABLE1]
    duels = [study for study in ran if study.figure == TABLE1]
    verdicts = judge_claims(CLAIMS, {study.name: study.rows for study in studies}, skipped)
    if any(study.axis == POWER for study in studies):
        console.print(as_rich(tuning_table(studies), "What tuning is worth, at the last step"))
    aims = judge_claims(AIMS, {study.name: study.rows for study in duels}, skipped)
    for title, table in duel_tables(duels).items() if duels else ():
        console.print(as_rich(table, title))
    command = "spectralleader reproduce" + (" --quick" if options.quick else "")
    command += " --tables" if options.tables else ""
    if any("corpus" in s.stream for s in scenarios if s.name not in skipped):
        command += " --data FOLDER"  # not its name, which is this machine's
    lead = "Every experiment of the paper that could be run here, and a verdict on every claim."
    if options.quick:
        lead += " A quick look only: fewer seeds and shorter runs than the paper's."
    named = ("SpectralLeader, reproduced", lead, studies, verdicts, command, __version__)
    others = judge_others(CLAIMS, {study.name: study.rows for study in studies}, COMPARED)
    page = Page(*named, duels, aims, others)
    report(console, page, options.out)
    if docs is not None:
        write_docs(page, docs)
    console.print(as_rich(verdict_table(verdicts), count(verdicts)))
    console.print(RULE, highlight=False)
    console.print(as_rich(compared_table(others), COMPARED_HEADING))
    if duels:
        console.print(as_rich(verdict_table(aims), HEADING))
    return verdicts


def run_studies(
    console: Console, scenarios: Sequence[Scenario], options: Options
) -> tuple[list[Study], dict[str, str]]:
    """Run the scenarios that can be run; return them, and why the others were skipped."""
    skipped = {}
    for scenario in scenarios:
        if reason := why_missing(scenario.stream, options.data):
            console.print(f"Skipped {scenario.name}: {reason}", highlight=False)
            # without the folders of this machine: it may be kept with the project
            skipped[scenario.name] = f"needs the corpus {scenario.stream['corpus']} (see --data)"
    wanted = [s.quick() if options.quick else s for s in scenarios if s.name not in skipped]
    folder, data = options.out / "rows", options.data
    rows = run(wanted, folder, workers=options.workers, data=data, console=console)
    return [study_of(scenario, rows[scenario.name]) for scenario in wanted], skipped


def study_of(scenario: Scenario, rows: list[Row]) -> Study:
    """Return what a report says of a scenario."""
    return Study(
        name=scenario.name,
        title=scenario.title,
        question=scenario.question,
        paper=scenario.paper,
        metrics=scenario.metrics,
        rows=rows,
        figure=scenario.figure,
        axis=scenario.axis,
        log=scenario.log,
        role=role_of(scenario.stream.get("corpus")),
    )


def report(console: Console, page: Page, out: Path) -> None:
    """Write the page with its figures, and say where everything is."""
    if page.studies or page.duels:
        console.print(f"Rows: {out / 'rows'}", highlight=False)
        console.print(f"Page: {write_page(page, out / 'index.html')}", highlight=False)


def write_figures(studies: Sequence[Study], folder: Path) -> None:
    """Write every figure as a picture, and those against a parameter beside them."""
    for name, group in by_figure(studies).items():
        save_png(draw(name, group), folder / f"{name}.png")
        if group[0].axis:
            save_png(draw_over_axis(group), folder / f"{name}-by-{group[0].axis}.png")


def write_docs(page: Page, folder: Path) -> None:
    """Write the figures and a Markdown page of the same results, to be kept with the project."""
    write_figures(page.studies, folder / "figures")
    claims = as_markdown(verdict_table(page.verdicts))
    parts = [
        f"# Results\n\n{page.lead} Made by `{page.commands} --docs {folder}`; do not edit.",
        f"## Verdicts\n\n{count(page.verdicts)}\n\n{claims}\n{RULE}",
        f"## {COMPARED_HEADING}\n\n{COMPARED_NOTE}\n\n{as_markdown(compared_table(page.others))}",
        f"## What tuning is worth\n\n{as_markdown(tuning_table(page.studies))}",
    ]
    if page.duels:
        parts += [f"## {HEADING}\n\n{as_markdown(verdict_table(page.aims))}", NOTE]
        parts += [f"### {t}\n\n{as_markdown(d)}" for t, d in duel_tables(page.duels).items()]
        parts.append(LABELS_LINK)
    for name, group in by_figure(page.studies).items():
        parts.append(f"## {HEADINGS.get(name, name)}\n\n{NOTES.get(name, '')}")
        parts.append(f"![{name}](figures/{name}.png)\n\n{CAPTIONS.get(name, '')}")
        if group[0].axis:
            parts.append(f"![by {group[0].axis}](figures/{name}-by-{group[0].axis}.png)")
        parts += [
            f"### {s.title}{s.role_note}\n\n{s.question}\n\n{as_markdown(final_table(s))}"
            for s in group
        ]
    text = "\n\n".join(part.strip() for part in parts)
    (folder / "results.md").write_text(text + "\n", encoding="utf-8")
