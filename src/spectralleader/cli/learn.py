"""The command learn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spectralleader.cli.options import (
    NOTHING_USEFUL,
    STOPPED,
    Block,
    Files,
    Format,
    Json,
    Label,
    Seed,
    Sort,
    StopWords,
    Strict,
    Text,
    Time,
    Topics,
    Words,
    check_folder,
    make_source,
    print_json,
)

EXAMPLES = (
    "Examples: [bold]spectralleader learn tweets.csv -k 10 --save tweets.model[/bold]; "
    "[bold]zcat logs.gz | spectralleader learn - --vocabulary grow:20000[/bold]"
)


def learn(
    files: Files,
    topics: Topics = 5,
    learner: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="hedged if not given; see: spectralleader learners."),
    ] = None,
    vocabulary: Words = None,
    block: Block = 100,
    stop_words: StopWords = "english",
    text: Text = None,
    time: Time = None,
    label: Label = None,
    format: Format = None,
    strict: Strict = False,
    sort: Sort = False,
    seed: Seed = 0,
    save: Annotated[
        Path | None, typer.Option(metavar="MODEL", help="File to save what was learned in.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Learn topics from files of text in one pass, and watch it learn.

    L1 is the mean negative log-probability of a document, predicted before it is learned.
    Ctrl-C ends the pass: what was learned so far is summarised, and saved if asked.
    """
    check_folder(save)
    from spectralleader import jobs
    from spectralleader.cli.display import watching
    from spectralleader.cli.tables import show_learned
    from spectralleader.learners import DEFAULT_LEARNER

    source = make_source(files, text, time, label, block, format, strict=strict, sort=sort)
    with watching() as watcher:
        result = jobs.learn(
            source,
            n_topics=topics,
            learner=learner or DEFAULT_LEARNER,
            vocabulary=vocabulary,
            stop_words=stop_words,
            seed=seed,
            save=save,
            watcher=watcher,
        )
    print_json(result.summary()) if as_json else show_learned(result)
    if result.stopped:
        saved = f"; saved in {result.saved}" if result.saved else ""
        typer.echo(f"Stopped after {result.topics.n_docs:,} documents{saved}.", err=True)
        raise typer.Exit(STOPPED)
    if not result.is_useful:
        typer.echo("spectralleader: no document had a known word", err=True)
        raise typer.Exit(NOTHING_USEFUL)
