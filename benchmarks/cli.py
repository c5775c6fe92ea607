"""The command line: options in, one run, tables, files."""

from __future__ import annotations

import argparse
import json
import tempfile
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from time import perf_counter

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks import machine, probe, stream, threads
from benchmarks.bench import Bench
from benchmarks.quality.corpora import CORPORA
from benchmarks.reporting import labels as label_page
from benchmarks.reporting import levels as level_page
from benchmarks.reporting import page, plots, terminal
from benchmarks.reporting import quality as quality_page
from benchmarks.reporting import reading as reading_page
from benchmarks.reporting import service as service_page
from benchmarks.rows import Results
from benchmarks.sections import (
    adapters,
    demo,
    end_to_end,
    fidelity,
    first_use,
    fresh,
    growth,
    labels,
    levels,
    live,
    quality,
    races,
    reading,
    serve,
    steps,
    text,
)
from benchmarks.sizes import FULL, QUICK, Sizes
from benchmarks.task import RACES
from benchmarks.verdicts import verdicts
from spectralleader import SpectralLeader

WIDTH = 120  # columns in a file or a pipe
ROOT = Path(__file__).resolve().parents[1]
SECTIONS = {
    "end-to-end": end_to_end.run,
    **{race.name.replace(" ", "-"): partial(races.run, race) for race in RACES},
    "text": text.run,
    "live": live.run,
    "steps": steps.run,
    "fidelity": fidelity.run,
    "adapters": adapters.run,
    "growth": growth.run,
    "memory": fresh.run_memory,
    "first-use": first_use.run,
    "demo": demo.run,
    "labels": labels.run,
    "more-labels": labels.run_more,
    "reading": reading.run,
    "levels": levels.run,
    "serve": serve.run,
    "quality": quality.run,
}
APART = [
    "labels",
    "more-labels",
    "reading",
    "levels",
    "serve",
    "quality",
]  # take long, and have pages of their own


def parse(arguments: list[str]) -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser("python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="tiny sizes, to check that everything runs"
    )
    parser.add_argument("--only", nargs="+", choices=SECTIONS, help="run these sections only")
    parser.add_argument("--rounds", type=int, help="rounds of measurements")
    parser.add_argument("--seeds", type=int, help="runs of each learner on labelled documents")
    names = [corpus.name for corpus in CORPORA]
    parser.add_argument(
        "--corpora", nargs="+", choices=names, default=[], help="of quality: these corpora only"
    )
    parser.add_argument("--output", type=Path, default=Path("build/bench"), help="output folder")
    parser.add_argument("--write-docs", action="store_true", help="update the pages in docs")
    options = parser.parse_args(arguments)
    is_part = options.quick or options.corpora or not is_whole_page(options.only)
    if options.write_docs and is_part:
        parser.error(
            "docs need the full run: drop --quick and --corpora, and --only unless it names the "
            "sections of one page"
        )
    if options.quick and options.corpora:
        parser.error("a smoke run makes its own documents: drop --quick or --corpora")
    return options


def is_whole_page(only: list[str] | None) -> bool:
    """Return whether these sections are all that a page in docs is made of."""
    is_of_labels = only is not None and "labels" in only and set(only) <= set(APART[:2])
    return only is None or only in (["reading"], ["levels"], ["serve"], ["quality"]) or is_of_labels


def run(arguments: list[str]) -> int:
    """Measure, print, write."""
    begin, options, console = perf_counter(), parse(arguments), Console()
    if not console.is_terminal:
        console.width = WIDTH
    sizes = QUICK if options.quick else FULL
    if options.rounds:
        sizes = replace(sizes, rounds=options.rounds, growth_rounds=options.rounds)
    if options.seeds:
        sizes = replace(sizes, label_seeds=options.seeds)
    documents = (stream.stand_in if options.quick else stream.load)(sizes.n_docs)
    sections, corpora = options.only or default_sections(options), tuple(options.corpora)
    results = measure(documents, sizes, sections, console, corpora)
    results.seconds = perf_counter() - begin
    terminal.show(results, console)
    write(results, options.output)
    console.print(f"Rows, figures and page are in {options.output}.")
    if options.quick:
        console.print("[yellow]A smoke run: the numbers mean nothing.[/]")
    if options.write_docs and options.only == ["reading"]:
        (ROOT / "docs" / "reading.md").write_text(reading_page.page(results))
    elif options.write_docs and options.only == ["serve"]:
        (ROOT / "docs" / "service-figures.md").write_text(service_page.page(results))
    elif options.write_docs and options.only == ["quality"]:
        (ROOT / "docs" / "quality.md").write_text(quality_page.page(results))
    elif options.write_docs and options.only == ["levels"]:
        (ROOT / "docs" / "level-figures.md").write_text(level_page.page(results))
    elif options.write_docs and options.only:
        (ROOT / "docs" / "labels.md").write_text(label_page.page(results))
    elif options.write_docs:
        write_docs(results)
    return 0


def default_sections(options: argparse.Namespace) -> list[str]:
    """Return the sections of a run; a smoke run does not wait for everything to be compiled."""
    left = ["first-use", "more-labels", "end-to-end", "serve"] if options.quick else APART
    return [name for name in SECTIONS if name not in left]


def measure(
    documents: stream.Stream,
    sizes: Sizes,
    sections: list[str],
    console: Console,
    corpora: tuple[str, ...] = (),
) -> Results:
    """Run the sections, one after the other."""
    results = Results(documents.origin, machine.describe())
    probe.exercise(SpectralLeader)  # compile before anything is timed
    threads.check_one()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with (
        tempfile.TemporaryDirectory() as scratch,
        Progress(*columns, TimeElapsedColumn(), console=console, auto_refresh=False) as progress,
    ):
        bench = Bench(documents, sizes, Path(scratch), progress, results, corpora)
        for name in sections:
            SECTIONS[name](bench)
    return results


def write(results: Results, folder: Path) -> None:
    """Write rows and verdicts as JSON, the figures and the page."""
    folder.mkdir(parents=True, exist_ok=True)
    record = {**asdict(results), "verdicts": [_record(one) for one in verdicts(results)]}
    (folder / "results.json").write_text(json.dumps(record, indent=1) + "\n")
    saved = plots.save_figures(results, folder)
    (folder / "performance.md").write_text(page.page(results, saved, folder))
    (folder / "labels.md").write_text(label_page.page(results))
    (folder / "reading.md").write_text(reading_page.page(results))
    (folder / "level-figures.md").write_text(level_page.page(results))
    (folder / "service-figures.md").write_text(service_page.page(results))
    (folder / "quality.md").write_text(quality_page.page(results))


def write_docs(results: Results) -> None:
    """Renew the page in docs, with its figures."""
    docs = ROOT / "docs"
    saved = plots.save_figures(results, docs / "figures")
    (docs / "performance.md").write_text(page.page(results, saved, docs))


def _record(verdict: object) -> dict[str, object]:
    return {**asdict(verdict), "verdict": verdict.word}
