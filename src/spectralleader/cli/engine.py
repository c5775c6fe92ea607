"""`learn` on an engine: its options, progress bars and output."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from spectralleader.cli.options import end_useless, exit_code_of_signals, print_json
from spectralleader.runtime.interrupts import raising

if TYPE_CHECKING:
    from spectralleader.engines.shared import Progress


Engine = Annotated[
    Literal["dask", "spark"] | None,
    typer.Option(
        help="Learn on a cluster with the spectral method and EM over all documents, from files or "
        "folders of Parquet, CSV or JSON lines."
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Address of Dask's scheduler (tcp://...) or Spark's master (spark://..., sc://...). "
        "Defaults to this machine.",
    ),
]


@dataclass(frozen=True)
class EngineOptions:
    """The engine and its address."""

    engine: Engine = None
    address: Address = None

    def check(self, context: typer.Context, topics: int | str) -> None:
        """Raise if an option was given that does not apply."""
        if self.engine is None:
            refuse_options(context, ["address"], "requires --engine")
            return
        why = "is not supported with --engine, which makes several passes over all documents"
        refuse_options(context, NOT_THERE, f"{why}; omit it")
        if isinstance(topics, str):
            raise typer.BadParameter("-k auto is not supported with --engine; give a number")


# Options of `learn` without a meaning on an engine, which makes several unordered passes.
NOT_THERE = (
    *("learner", "block", "time", "label", "strict", "sort", "checkpoint_every", "no_texts"),
    *("tokens", "split", "follow", "start", "wait", "emit", "encoding", "no_header"),
    "min_count",
)


def refuse_options(context: typer.Context, names: Sequence[str], why: str) -> None:
    """Raise if one of these options was given."""
    for one in context.command.params:
        source = context.get_parameter_source(one.name or "")
        if one.name in names and source is not None and source.name == "COMMANDLINE":
            raise typer.BadParameter(f"{one.opts[0]} {why}")


def learn_and_show(where: EngineOptions, files: list[str], as_json: bool, **options: Any) -> None:
    """Learn on an engine and print the topics."""
    from spectralleader.cli.tables import show_on_engine
    from spectralleader.jobs.engine import learn_on_engine

    del options["min_count"]  # refused above
    with exit_code_of_signals(), raising(), progress_bars() as progress:
        result = learn_on_engine(
            where.engine or "", files, address=where.address, progress=progress, **options
        )
    print_json(result.summary()) if as_json else show_on_engine(result)
    if not result.is_useful:
        end_useless()


@contextmanager
def progress_bars() -> Iterator[Progress]:
    """Show the progress of the current pass on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    with Bars(*columns, TimeElapsedColumn(), console=console, transient=True) as bars:
        bar, n_passes, last = bars.add_task("reading", total=None), 0, ("", 0)

        def show_parts(name: str, done: int, n_parts: int) -> None:
            nonlocal n_passes, last
            if name != last[0] or done <= last[1]:
                n_passes += 1
            last = (name, done)
            says = f"pass {n_passes}: {name.replace('_', ' ')}"
            bars.update(bar, description=says, completed=done, total=n_parts)

        yield show_parts
