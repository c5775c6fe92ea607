"""The command learn."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spectralleader.cli.engine import EngineOptions, learn_and_show
from spectralleader.cli.groups import LearnerOptions, LiveOptions, StreamOptions, grouped
from spectralleader.cli.options import (
    STOPPED,
    TERMINATED,
    Files,
    Json,
    Wait,
    allow_own_modules,
    check_folder,
    end_useless,
    print_json,
    split_names,
    stoppable,
    warn,
)
from spectralleader.runtime.interrupts import Terminated

if TYPE_CHECKING:
    from spectralleader.jobs import LearnResult

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
    topics: Annotated[
        str,
        typer.Option(
            "--topics",
            "-k",
            metavar="K|auto",
            help="Number of topics. auto learns 32 topics and shows them merged to a suggested "
            "number.",
        ),
    ] = "5",
    learner: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Learner, see spectralleader learners; or your own, package.module:Class "
            "(default: hedged).",
        ),
    ] = None,
    learning: LearnerOptions,
    reading: StreamOptions,
    live: LiveOptions,
    wait: Wait = 1.0,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL", help="Save the model to this file. If the file exists, resume from it."
        ),
    ] = None,
    checkpoint_every: Annotated[
        str | None,
        typer.Option(
            metavar="N|TIME",
            help="Save every N documents, or at an interval such as 60s or 5min (default: 10min). "
            "With an interval, the first checkpoint is saved after 10 s, and the delays double.",
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start over; keep the old MODEL as MODEL.bak.")
    ] = False,
    emit: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|redis://...",
            help="Append the id and topic of each learned document, as JSON lines or as messages "
            "of a stream, at least once each.",
        ),
    ] = None,
    no_texts: Annotated[
        bool,
        typer.Option(
            "--no-texts",
            help="Keep only known words in MODEL instead of a sample of texts (at most 8 MB).",
        ),
    ] = False,
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
    check_folder(save)
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
        except KeyboardInterrupt as reason:
            is_request = isinstance(reason, Terminated)
            result = replace(result, stopped=True, terminated=is_request)
    end(result)


def parse_topics(given: str) -> int | str:
    """Return a number of topics, or "auto"."""
    if given == "auto":
        return given
    if not given.isdecimal() or int(given) < 1:
        raise typer.BadParameter(
            f"-k takes a number of topics of at least 1, or auto; got {given!r}",
            param_hint="'--topics'",
        )
    return int(given)


def end(result: LearnResult) -> None:
    """Report an early stop or a useless result, with the exit code for it."""
    if result.stopped:
        saved = f"; saved to {result.saved}" if result.saved else ""
        warn(f"Stopped after {result.topics.n_docs:,} documents{saved}.")
        if not result.terminated:
            raise typer.Exit(STOPPED)
        raise typer.Exit(0 if result.saved else TERMINATED)
    if not result.is_useful:
        end_useless()
