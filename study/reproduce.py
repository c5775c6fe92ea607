"""Run the paper's study or other scenarios, and write tables and figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from study.experiments import Scenario, load, shipped
from study.experiments.run import run
from study.experiments.streams import why_missing
from study.reporting.claims import Verdict, count, judge, load_claims
from study.reporting.report import OF_TABLE1, RULE, TEXTS, Report, write
from study.reporting.study import Study
from study.reporting.tables import (
    as_rich,
    compared_table,
    final_table,
    narrow,
    short_verdicts,
    table1_tables,
    tuning_table,
)
from study.rows import Row
from study.sources.corpora import role_of

# What a report says about a scenario.
OF_SCENARIO = (
    "name", "title", "question", "metrics", "paper", "figure", "kind", "axis", "log",
)  # fmt: skip


class Options(NamedTuple):
    """Options of a study."""

    out: Path
    workers: int | None = None  # None: the number of cores
    data: Path | None = None  # folder of corpora; None: SPECTRALLEADER_DATA and the cache
    quick: bool = False
    tables: bool = False  # also run Table 1, which takes longer than everything else


def run_scenarios(console: Console, scenarios: Sequence[Scenario], options: Options) -> None:
    """Run scenarios; print a table for each, and write tables and figures."""
    ran = [study for study in run_studies(console, scenarios, options) if study.rows]
    for study in ran:
        console.print(as_rich(final_table(study), f"{study.title} (* best of the grid)"))
    names = " ".join(scenario.name for scenario in scenarios)
    lead = "Each learner is evaluated on every block before it learns the block."
    show_files(console, Report(lead, ran, f"python -m study experiment run {names}"), options.out)


def reproduce(console: Console, options: Options, docs: Path | None = None) -> list[Verdict]:
    """Run the paper's study as far as its data are available; return a verdict on every claim."""
    known = [load(file) for file in shipped()]
    scenarios = [s for s in known if options.tables or s.figure not in OF_TABLE1]
    studies = run_studies(console, scenarios, options)
    report = judge_all(studies, command_of(options, scenarios, studies), quick=options.quick)
    show_files(console, report, options.out)
    if docs is not None:
        write(report._replace(command=f"{report.command} --docs {docs}"), docs)
    show(console, report)
    return list(report.verdicts)


def run_studies(console: Console, scenarios: Sequence[Scenario], options: Options) -> list[Study]:
    """Run the scenarios whose data are available; the others get no rows, but a reason."""
    missing = {s.name: why_missing(s.stream, options.data) for s in scenarios}
    for name, reason in missing.items():
        if reason:
            console.print(f"Skipped {name}: {reason}", highlight=False)
    # A missing corpus skips its scenarios: the claims about them are reported as not tested.
    wanted = [s.quick() if options.quick else s for s in scenarios if not missing[s.name]]
    folder, data = options.out / "rows", options.data
    rows = run(wanted, folder, workers=options.workers, data=data, console=console)
    return [study_of(scenario, rows.get(scenario.name, [])) for scenario in scenarios]


def study_of(scenario: Scenario, rows: Sequence[Row]) -> Study:
    """Return the study of a scenario and its rows."""
    corpus = scenario.stream.get("corpus")
    # Without local paths: the report may be committed.
    missing = "" if rows else f"requires the corpus {corpus} (see --data)"
    shared = {name: getattr(scenario, name) for name in OF_SCENARIO}
    study = Study(**shared, rows=rows, group=role_of(corpus), missing=missing)
    # The paper's loss is nearly 1 for every learner: only its excess tells them apart.
    return study.above_reference("loss") if "loss" in study.metrics else study


def judge_all(studies: Sequence[Study], command: str, *, quick: bool) -> Report:
    """Return the report of the paper's study, with the verdicts on the claims."""
    lead = "All experiments of the paper that can be run here, with a verdict on every claim."
    if quick:
        lead += " Quick mode: so few seeds and steps that hardly any difference counts."
    by_name = {study.name: study for study in studies}
    table1, ablations, costs = (
        [study for study in studies if study.figure == figure and study.rows]
        for figure in OF_TABLE1
    )
    paper, ours = load_claims(studies)
    return Report(
        lead=lead,
        studies=[study for study in studies if study.figure not in OF_TABLE1 and study.rows],
        command=command,
        verdicts=[judge(claim, by_name) for claim in paper],
        compared=compared_table(paper, by_name),
        table1=table1,
        ablations=ablations,
        costs=costs,
        aims=[judge(claim, by_name) for claim in ours] if table1 else (),
    )


def command_of(options: Options, scenarios: Sequence[Scenario], studies: Sequence[Study]) -> str:
    """Return the command that reproduces a study, without local paths."""
    ran = {study.name for study in studies if study.rows}
    needs_data = any("corpus" in s.stream for s in scenarios if s.name in ran)
    flags = {"--quick": options.quick, "--tables": options.tables, "--data FOLDER": needs_data}
    return " ".join(["python -m study reproduce", *(flag for flag, on in flags.items() if on)])


def show_files(console: Console, report: Report, out: Path) -> None:
    """Write the report with its figures, and print where the files are."""
    if report.studies or report.table1:
        console.print(f"Rows: {out / 'rows'}", highlight=False)
        console.print(f"Report: {write(report, out)}", highlight=False)


def show(console: Console, report: Report) -> None:
    """Print the main tables of a reproduction; the report contains all of them."""
    if (tuning := tuning_table(report.studies)).rows:
        console.print(as_rich(tuning, "The value of tuning, at the last step"))
    for title, table in table1_tables(report.table1).items():
        console.print(as_rich(narrow(table), title))
    console.print(as_rich(short_verdicts(report.verdicts), count(report.verdicts)))
    console.print(RULE, highlight=False)
    if report.compared is not None:
        console.print(as_rich(report.compared, TEXTS["compared_heading"]))
    if report.table1:
        console.print(as_rich(short_verdicts(report.aims), TEXTS["table1_heading"]))
