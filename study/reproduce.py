"""Run the paper's study or other scenarios, and write tables, figures and a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from spectralleader import __version__
from study.experiments import Scenario, load, shipped
from study.experiments.run import run
from study.experiments.sources import why_missing
from study.reporting.claims import TABLE1, load_claims
from study.reporting.report import Report, write_markdown, write_page
from study.reporting.study import Study
from study.reporting.table1 import table1_tables
from study.reporting.tables import (
    as_rich,
    compared_table,
    final_table,
    tuning_table,
    verdict_table,
)
from study.reporting.texts import COMPARED_HEADING, RULE, TABLE1_HEADING
from study.reporting.verdicts import Verdict, count, judge
from study.rows import Row
from study.sources.corpora import role_of


class Options(NamedTuple):
    """Options of a study."""

    out: Path
    workers: int | None = None  # None: the number of cores
    data: Path | None = None  # folder of corpora; None: SPECTRALLEADER_DATA and the cache
    quick: bool = False
    tables: bool = False  # also run Table 1, which takes longer than everything else


def run_files(console: Console, files: Sequence[Path], options: Options) -> list[Study]:
    """Run scenario files; print a table for each, and write figures and a page."""
    studies = run_studies(console, [load(file) for file in files], options)
    ran = [study for study in studies if study.rows]
    for study in ran:
        console.print(as_rich(final_table(study), f"{study.title} (* best of the grid)"))
    command = f"python -m study experiment run {' '.join(map(str, files))} --out {options.out}"
    lead = "Each learner is evaluated on every block before it learns the block."
    write(console, Report("Experiments", lead, ran, command, __version__), options.out)
    return ran


def reproduce(console: Console, options: Options, docs: Path | None = None) -> list[Verdict]:
    """Run the paper's study as far as its data are available; return a verdict on every claim."""
    known = [load(file) for file in shipped()]
    scenarios = [s for s in known if options.tables or s.figure != TABLE1]
    studies = run_studies(console, scenarios, options)
    report = judge_all(studies, command_of(options, scenarios, studies), quick=options.quick)
    write(console, report, options.out)
    if docs is not None:
        write_markdown(report, docs)
    show(console, report)
    return list(report.verdicts)


def run_studies(console: Console, scenarios: Sequence[Scenario], options: Options) -> list[Study]:
    """Run the scenarios whose data are available; the others get no rows, but a reason."""
    missing = {s.name: why_missing(s.stream, options.data) for s in scenarios}
    for name, reason in missing.items():
        if reason:
            console.print(f"Skipped {name}: {reason}", highlight=False)
    wanted = [s.quick() if options.quick else s for s in scenarios if not missing[s.name]]
    folder, data = options.out / "rows", options.data
    rows = run(wanted, folder, workers=options.workers, data=data, console=console)
    return [study_of(scenario, rows.get(scenario.name, [])) for scenario in scenarios]


def study_of(scenario: Scenario, rows: Sequence[Row]) -> Study:
    """Return the study of a scenario and its rows."""
    corpus = scenario.stream.get("corpus")
    return Study(
        name=scenario.name,
        title=scenario.title,
        question=scenario.question,
        metrics=scenario.metrics,
        rows=rows,
        paper=scenario.paper,
        figure=scenario.figure,
        kind=scenario.kind,
        axis=scenario.axis,
        log=scenario.log,
        group=role_of(corpus),
        # Without local paths: the report may be committed.
        missing="" if rows else f"requires the corpus {corpus} (see --data)",
    )


def judge_all(studies: Sequence[Study], command: str, *, quick: bool) -> Report:
    """Return the report of the paper's study, with the verdicts on the claims."""
    lead = "All experiments of the paper that can be run here, with a verdict on every claim."
    if quick:
        lead += " Quick mode: fewer seeds and shorter runs than the paper's."
    by_name = {study.name: study for study in studies}
    table1 = [study for study in studies if study.figure == TABLE1 and study.rows]
    paper, ours = load_claims(studies)
    return Report(
        title="SpectralLeader, reproduced",
        lead=lead,
        studies=[study for study in studies if study.figure != TABLE1 and study.rows],
        command=command,
        version=__version__,
        verdicts=[judge(claim, by_name) for claim in paper],
        compared=compared_table(paper, by_name),
        table1=table1,
        aims=[judge(claim, by_name) for claim in ours] if table1 else (),
    )


def command_of(options: Options, scenarios: Sequence[Scenario], studies: Sequence[Study]) -> str:
    """Return the command that reproduces a study, without local paths."""
    ran = {study.name for study in studies if study.rows}
    needs_data = any("corpus" in s.stream for s in scenarios if s.name in ran)
    flags = {"--quick": options.quick, "--tables": options.tables, "--data FOLDER": needs_data}
    return " ".join(["python -m study reproduce", *(flag for flag, on in flags.items() if on)])


def write(console: Console, report: Report, out: Path) -> None:
    """Write the page with its figures, and print where the files are."""
    if report.studies or report.table1:
        console.print(f"Rows: {out / 'rows'}", highlight=False)
        console.print(f"Page: {write_page(report, out / 'index.html')}", highlight=False)


def show(console: Console, report: Report) -> None:
    """Print the main tables of a reproduction; the page contains all of them."""
    if (tuning := tuning_table(report.studies)).rows:
        console.print(as_rich(tuning, "The value of tuning, at the last step"))
    for title, table in table1_tables(report.table1).items() if report.table1 else ():
        console.print(as_rich(table, title))
    console.print(as_rich(verdict_table(report.verdicts), count(report.verdicts)))
    console.print(RULE, highlight=False)
    if report.compared is not None:
        console.print(as_rich(report.compared, COMPARED_HEADING))
    if report.table1:
        console.print(as_rich(verdict_table(report.aims), TABLE1_HEADING))
