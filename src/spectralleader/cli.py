"""The command line: arguments -> one library call -> print.

Heavy imports happen inside the commands, so that help and errors answer at once.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from spectralleader import __version__

app = typer.Typer(
    name="spectralleader",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Learn topic models from streams of documents, online, with nothing to tune.",
    epilog="Start with: [bold]spectralleader demo[/bold]",
)


def print_version(wanted: bool) -> None:
    """Print the version and stop, if that is wanted."""
    if wanted:
        typer.echo(f"spectralleader {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", is_eager=True, callback=print_version),
    ] = False,
) -> None:
    """Take the options that stand before a command."""


@app.command(epilog="Example: [bold]spectralleader demo --steps 300 --out my-demo[/bold]")
def demo(
    steps: Annotated[int, typer.Option(min=2, help="Documents to learn, one a step.")] = 1000,
    runs: Annotated[int, typer.Option(min=1, help="Runs to average over.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first run.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder for the figure.")] = Path("build/demo"),
) -> None:
    """Learn the paper's hard problem online: a table of what was learned, a figure of how."""
    from rich.console import Console

    from spectralleader.demo import show

    show(Console(), n_steps=steps, n_runs=runs, seed=seed, folder=out)


@app.command(epilog="Example: [bold]spectralleader learners[/bold]")
def learners() -> None:
    """List the learners: the names that other commands take, and what each is."""
    from rich.console import Console
    from rich.table import Table

    from spectralleader.learners import LEARNERS

    table = Table("name", "class", "what it is", box=None, pad_edge=False)
    for name, entry in LEARNERS.items():
        table.add_row(name, entry.learner.__name__, entry.description)
    Console().print(table)


def main() -> None:
    """Run the command line; an error is one line on standard error and exit code 2."""
    try:
        app()
    except (ValueError, OSError) as error:
        sys.stderr.write(f"spectralleader: {error}\n")
        sys.exit(2)
