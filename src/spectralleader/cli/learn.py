"""The command learn, of one pass over a stream or on an engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from spectralleader.cli.options import (
    STOPPED,
    TERMINATED,
    Files,
    Json,
    LearnerOptions,
    LiveOptions,
    StreamOptions,
    Wait,
    allow_own_modules,
    end_useless,
    exit_code_of_signals,
    grouped,
    print_json,
    split_names,
    stoppable,
    warn,
)
from spectralleader.runtime.interrupts import Terminated, raising

if TYPE_CHECKING:
    from spectralleader.jobs import LearnResult

# Options of `learn` without a meaning on an engine, which makes several unordered passes.
NOT_THERE = (
    *("learner", "block", "time", "label", "strict", "sort", "checkpoint_every", "no_texts"),
    *("tokens", "split", "follow", "start", "wait", "emit", "encoding", "no_header"),
    *("min_count", "time_format"),
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
        if self.engine is None:
            refuse_options(context, ["address"], "requires --engine")
            return
        why = "is not supported with --engine, which makes several passes over all documents"
        refuse_options(context, NOT_THERE, f"{why}; omit it")
        if isinstance(topics, str):
            raise typer.BadParameter("-k auto is not supported with --engine; give a number")


def refuse_options(context: typer.Context, names: Sequence[str], why: str) -> None:
    """Raise if one of these options was given."""
    for option in context.command.params:
        origin = context.get_parameter_source(option.name or "")
        # Also with its default value: who gives an option expects it to have an effect.
        if option.name in names and origin is not None and origin.name == "COMMANDLINE":
            raise typer.BadParameter(f"{option.opts[0]} {why}")


EXAMPLES = (
    "Examples: [bold]spectralleader learn tweets.csv -k 10 --save tweets.model[/bold]; "
    "[bold]zcat logs.gz | spectralleader learn - --vocabulary grow:20000[/bold]; "
    "[bold]spectralleader learn news.csv --save news.model --checkpoint-every 60s[/bold], and the "
    "same command again after a crash or when the file has grown."
)


@grouped
def learn(
    *,
    context: typer.Context,
    files: Files,
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
    learning: LearnerOptions,
    reading: StreamOptions,
    live: LiveOptions,
    wait: Wait = 1.0,
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
    as_json: Json = False,
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
    if where.engine is not None:
        read = {"text": split_names(reading.text), "format": reading.format}
        kept = {"n_topics": n_topics, "save": save, "fresh": fresh}
        return learn_and_show(where, files, as_json, **learning.settings, **read, **kept)
    with stoppable(saves=save is not None):
        from spectralleader import jobs
        from spectralleader.cli.display import watching
        from spectralleader.cli.tables import show_learned
        from spectralleader.jobs.options import OFTEN, LearnOptions
        from spectralleader.learners import DEFAULT_LEARNER

        allow_own_modules([learner or ""])
        options = LearnOptions(
            reading.source(files, block=learning.block, wait=wait, **asdict(live)),
            n_topics=n_topics,
            learner=learner or DEFAULT_LEARNER,
            **learning.settings,
            save=save,
            checkpoint_every=checkpoint_every or OFTEN,
            fresh=fresh,
            emit=emit,
            keep_texts=not no_texts,
        )
        with watching() as progress:
            result = jobs.run(options, progress)
        try:
            print_json(result.summary()) if as_json else show_learned(result)
        # The model is saved by now: a signal breaks off the printing alone.
        except KeyboardInterrupt as reason:
            is_request = isinstance(reason, Terminated)
            result = replace(result, stopped=True, terminated=is_request)
    end(result)


def parse_topics(number: str) -> int | str:
    """Return a number of topics, or "auto"."""
    if number == "auto":
        return number
    if not number.isdecimal() or int(number) < 1:
        raise typer.BadParameter(
            f"-k takes a number of topics of at least 1, or auto; got {number!r}",
            param_hint="'--topics'",
        )
    return int(number)


def end(result: LearnResult) -> None:
    """Report an early stop or a useless result, with the exit code for it."""
    if result.stopped:
        saved = f"; saved to {result.saved}" if result.saved else ""
        warn(f"Stopped after {result.topics.n_docs:,} documents{saved}.")
        if not result.terminated:
            raise typer.Exit(STOPPED)
        # SIGTERM is how services are ended: with the model saved, it is a success.
        raise typer.Exit(0 if result.saved else TERMINATED)
    if not result.is_useful:
        end_useless()


def learn_and_show(where: EngineOptions, files: list[str], as_json: bool, **options: Any) -> None:
    """Learn on an engine and print the topics."""
    from spectralleader.cli.display import watching
    from spectralleader.cli.tables import show_on_engine
    from spectralleader.jobs.engine import learn_on_engine

    # An engine waits in code of its own, where a deferred signal would not be noticed.
    with exit_code_of_signals(), raising(), watching() as progress:
        result = learn_on_engine(
            where.engine or "", files, address=where.address, progress=progress, **options
        )
    print_json(result.summary()) if as_json else show_on_engine(result)
    if not result.is_useful:
        end_useless()
