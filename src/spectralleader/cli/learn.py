"""The command learn, of one pass over a stream or on an engine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from spectralleader.cli import options
from spectralleader.cli.exits import end, exit_code_of_signals, print_json, stoppable
from spectralleader.runtime.interrupts import raising
from spectralleader.sources.options import SourceOptions

# What has a meaning on an engine, which makes several unordered passes; the rest is refused.
ON_ENGINES = (
    *("files", "text", "format", "topics", "vocabulary", "stop_words", "seed"),
    *("save", "fresh", "as_json", "engine", "address"),
)


@dataclass(frozen=True)
class EngineOptions:
    """The engine and its address."""

    engine: Literal["dask", "spark"] | None = typer.Option(
        None,
        help="Learn on a cluster with the spectral method and EM over all documents, from "
        "files or folders of Parquet, CSV or JSON lines.",
    )
    address: str | None = typer.Option(
        None,
        metavar="ADDRESS",
        help="Address of Dask's scheduler (tcp://...) or Spark's master (spark://..., "
        "sc://...). Defaults to this machine.",
    )

    def check(self, context: typer.Context, topics: int | str) -> None:
        """Raise if an option was given that does not apply."""
        # Also with its default value: who gives an option expects it to have an effect.
        given = {
            option.name or "": "/".join([option.opts[0], *option.secondary_opts[:1]])
            for option in context.command.params
            if _is_given(context, option.name or "")
        }
        if self.engine is None:
            if "address" in given:
                raise typer.BadParameter("--address requires --engine")
            return
        for name, option in given.items():
            if name not in ON_ENGINES:
                raise typer.BadParameter(
                    f"{option} is not supported with --engine, which makes several passes over all "
                    "documents; omit it"
                )
        if isinstance(topics, str):
            raise typer.BadParameter("-k auto is not supported with --engine; give a number")


def _is_given(context: typer.Context, name: str) -> bool:
    """Return whether an option is on the command line, rather than its default."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


EXAMPLES = (
    "Examples: [bold]spectralleader learn tweets.csv -k 10 --save tweets.model[/bold]; "
    "[bold]zcat logs.gz | spectralleader learn - --vocabulary grow:20000[/bold]; "
    "[bold]spectralleader learn news.csv --save news.model --checkpoint-every 60s[/bold], and the "
    "same command again after a crash or when the file has grown."
)


@options.grouped
def learn(
    *,
    context: typer.Context,
    files: options.Files,
    topics: str = typer.Option(
        "5",
        "--topics",
        "-k",
        metavar="K|auto",
        help="Number of topics. auto learns 32 topics and shows them merged to a suggested number.",
    ),
    learner: str | None = typer.Option(
        None,
        metavar="NAME",
        help="Learner, see spectralleader learners; or your own, package.module:Class "
        "(default: hedged).",
    ),
    learning: options.LearnerOptions,
    reading: Annotated[SourceOptions, (*options.STREAM, *options.LIVE)],
    save: Path | None = typer.Option(
        None,
        metavar="MODEL",
        help="Save the model to this file. If the file exists, resume from it.",
    ),
    checkpoint_every: str | None = typer.Option(
        None,
        metavar="N|TIME",
        help="Save every N documents, or at an interval such as 60s or 5min (default: 10min). "
        "With an interval, the first checkpoint is saved after 10 s, and the delays double.",
    ),
    fresh: bool = typer.Option(
        False, "--fresh", help="Start over; keep the old MODEL as MODEL.bak."
    ),
    emit: str | None = typer.Option(
        None,
        metavar="FILE|redis://...",
        help="Append the id and topic of each learned document, as JSON lines or as messages "
        "of a stream, at least once each.",
    ),
    no_texts: bool = typer.Option(
        False,
        "--no-texts",
        help="Keep only known words in MODEL instead of a sample of texts (at most 8 MB).",
    ),
    where: EngineOptions,
    as_json: options.Json = False,
) -> None:
    """Learn topics from files of text in one pass.

    L1 is the mean negative log-probability of a document, predicted before it
    is learned. With --save, running the same command again resumes where the
    last run ended, even after a crash: no document is skipped or learned twice.
    Ctrl-C and SIGTERM end the pass early; the topics so far are printed, and
    saved with --save (SIGTERM then exits with code 0). A second Ctrl-C exits
    immediately and keeps the last checkpoint.
    """
    n_topics = parse_topics(topics)
    if save is None and (fresh or checkpoint_every is not None):
        raise typer.BadParameter("--checkpoint-every and --fresh require --save MODEL")
    where.check(context, n_topics)
    settings = {"n_topics": n_topics, "save": save, "fresh": fresh, **learning.settings}
    if where.engine is not None:
        read = {"text": reading.named or None, "format": reading.format}
        return learn_on_engine(where, files, as_json, **settings, **read)
    given = {"learner": learner, "checkpoint_every": checkpoint_every}
    settings |= {name: value for name, value in given.items() if value is not None}
    with stoppable(saves=save is not None):
        from spectralleader import jobs
        from spectralleader.cli.display import watching
        from spectralleader.cli.tables import show_learned

        options.allow_own_modules([learner or ""])
        source = jobs.Source.read(files, reading)
        with watching() as progress:
            result = jobs.learn(
                source, progress=progress, emit=emit, keep_texts=not no_texts, **settings
            )
        try:
            print_json(result.summary()) if as_json else show_learned(result)
        # The model is saved by now: a signal breaks off the printing alone.
        except KeyboardInterrupt as reason:
            result = replace(result, stopped=reason)
    end(result)


def learn_on_engine(where: EngineOptions, files: list[str], as_json: bool, **settings: Any) -> None:
    """Learn on an engine and print the topics."""
    from spectralleader.cli.display import watching
    from spectralleader.cli.tables import show_on_engine
    from spectralleader.jobs import engine

    # An engine waits in code of its own, where a deferred signal would not be noticed.
    with exit_code_of_signals(), raising(), watching() as progress:
        result = engine.learn_on_engine(
            where.engine or "", files, address=where.address, progress=progress, **settings
        )
    print_json(result.summary()) if as_json else show_on_engine(result)
    end(result)


def parse_topics(number: str) -> int | str:
    """Return a number of topics, or "auto"."""
    return number if number == "auto" else read_number(number, "auto")


def read_number(number: str, other: str) -> int:
    """Return a number of topics; `other` is what else -k takes, for the error."""
    if not number.strip().isdecimal() or int(number) < 1:
        raise typer.BadParameter(
            f"-k takes a number of topics of at least 1, or {other}; got {number!r}",
            param_hint="'--topics'",
        )
    return int(number)
