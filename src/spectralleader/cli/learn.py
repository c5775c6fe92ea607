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
)
from spectralleader.runtime.interrupts import Terminated

if TYPE_CHECKING:
    from spectralleader.jobs import Learned

EXAMPLES = (
    "Examples: [bold]spectralleader learn tweets.csv -k 10 --save tweets.model[/bold]; "
    "[bold]zcat logs.gz | spectralleader learn - --vocabulary grow:20000[/bold]; for months: "
    "[bold]spectralleader learn news.csv --save news.model --checkpoint-every 60s[/bold], and the "
    "same again when the file has grown, or after a crash."
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
            help="Number of topics; auto learns 32 and shows as many, merged, as their prices "
            "suggest.",
        ),
    ] = "5",
    learner: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="One of: spectralleader learners; or your own, package.module:Class "
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
            metavar="MODEL", help="File to save what was learned in; if it is there, to go on with."
        ),
    ] = None,
    checkpoint_every: Annotated[
        str | None,
        typer.Option(
            metavar="N|TIME",
            help="Save on the way, every N documents or a time such as 60s, 5min (default: 10min). "
            "The first of a time comes after 10 s; the waits double up to it.",
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start anew; MODEL is kept as a backup, MODEL.bak.")
    ] = False,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="Resuming, read and compare all that was learned before; else the first part of "
            "long files is not read again if samples of it show no change.",
        ),
    ] = False,
    emit: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|redis://...",
            help="Append the id and topic of each learned document, as it goes by: JSON lines, or "
            "messages of a stream. At least once each.",
        ),
    ] = None,
    no_texts: Annotated[
        bool,
        typer.Option(
            "--no-texts",
            help="Keep no text in MODEL, but for known words; else a sample of at most 8 MB.",
        ),
    ] = False,
    where: EngineOptions,
    as_json: Json = False,
) -> None:
    """Learn topics from files of text in one pass, and watch it learn.

    L1 is the mean negative log-probability of a document, predicted before it is learned.
    With --save, the same command goes on where the last one ended, however it ended: no document is
    skipped or learned twice. Ctrl-C and SIGTERM end the pass: what was learned so far is
    summarised, and saved if asked (then SIGTERM ends with exit code 0). A second Ctrl-C ends it at
    once, and the last checkpoint stays.
    """
    check_folder(save)
    n_topics = parse_topics(topics)
    if save is None and (fresh or verify or checkpoint_every is not None):
        raise typer.BadParameter("--checkpoint-every, --fresh and --verify need --save MODEL")
    where.check(context, n_topics)
    if where.engine is not None:
        kind = reading.format and reading.format.value
        read = {"text": split_names(reading.text), "format": kind}
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
            verify=verify,
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
            f"-k takes a number of topics from 1 on, or auto; got {given!r}",
            param_hint="'--topics'",
        )
    return int(given)


def end(result: Learned) -> None:
    """Say why it ended before its time, or that it was of no use; exit so."""
    if result.stopped:
        saved = f"; saved in {result.saved}" if result.saved else ""
        typer.echo(f"Stopped after {result.topics.n_docs:,} documents{saved}.", err=True)
        if not result.terminated:
            raise typer.Exit(STOPPED)
        raise typer.Exit(0 if result.saved else TERMINATED)
    if not result.is_useful:
        end_useless()
