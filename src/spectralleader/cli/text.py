"""The commands for text: learn, topics, predict, evaluate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from spectralleader.cli.learn import EXAMPLES, learn
from spectralleader.cli.options import (
    NOTHING_USEFUL,
    STOPPED,
    TERMINATED,
    Block,
    Files,
    Follow,
    Format,
    Json,
    Label,
    Model,
    OutFormat,
    OwnLearner,
    Seed,
    Sort,
    Split,
    StopWords,
    Strict,
    Text,
    Time,
    Tokens,
    Topics,
    Words,
    allow_own_modules,
    check_folder,
    load_model,
    make_source,
    opened,
    print_json,
    split,
    stoppable,
)

app = typer.Typer()
app.command(epilog=EXAMPLES)(learn)


@app.command(
    epilog="Examples: [bold]spectralleader topics tweets.model[/bold]; "
    "[bold]spectralleader topics tweets.model --json[/bold]"
)
def topics(
    model: Model,
    learner: OwnLearner = None,
    words: Annotated[int, typer.Option(min=1, help="Words shown of each topic.")] = 10,
    documents: Annotated[int, typer.Option(min=0, help="Typical documents shown of each.")] = 3,
    recent: Annotated[
        bool, typer.Option("--recent", help="The topics of the last 2,000 documents instead.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show the topics of a model, documents typical of each, and whether to believe it."""
    learned = load_model(model, learner)
    from spectralleader.cli.tables import show_description
    from spectralleader.jobs import describe

    found = describe(learned, n_words=words, n_typical=documents, recent=recent)
    print_json(found.summary()) if as_json else show_description(found)
    if not learned.n_docs > learned.n_empty:
        raise typer.Exit(NOTHING_USEFUL)


@app.command(
    epilog="Examples: [bold]spectralleader predict tweets.model new.csv --out topics.csv[/bold]; "
    "[bold]tail -f log | spectralleader predict log.model - --block 1 --to jsonl[/bold]"
)
def predict(
    model: Model,
    files: Files,
    learner: OwnLearner = None,
    to: Annotated[OutFormat, typer.Option(help="Format of the output.")] = OutFormat.csv,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File to write; else standard output.")
    ] = None,
    block: Annotated[
        int, typer.Option(min=1, help="Documents read before any is written; 1 for a live pipe.")
    ] = 1000,
    text: Text = None,
    tokens: Tokens = None,
    split_by: Split = None,
    format: Format = None,
    strict: Strict = False,
    follow: Follow = None,
) -> None:
    """Predict the topic of every document: a line each, with all probabilities.

    A line has the document's place, its likeliest topic (counted from 1) and that one's
    probability, the number of known words, their log-probability, and every topic's probability.
    """
    check_folder(out)
    with stoppable():
        learned = load_model(model, learner)
        from spectralleader.jobs.predicting import predict_blocks, write

        how: dict[str, Any] = {"strict": strict, "tokens": tokens, "follow": follow}
        source = make_source(files, text, "", "", block, format, split_by=split_by, **how)
        if out is not None:
            replace(source, files=(model, *files)).check_kept(out)
        with source.open() as reader, opened(out) as file:
            write(predict_blocks(learned, reader), file, to)
    for line in reader.problems.summary():
        typer.echo(f"left out {line}", err=True)


@app.command(
    epilog="Example: [bold]spectralleader evaluate news.csv -k 5 --learners spectral,stepwise-em "
    "--figure losses.png[/bold]"
)
def evaluate(
    files: Files,
    learners: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,NAME",
            help="Of: spectralleader learners; or your own, package.module:Class "
            "(default: hedged,spectral,stepwise-em,unigram).",
        ),
    ] = None,
    topics: Topics = 5,
    vocabulary: Words = None,
    block: Block = 100,
    stop_words: StopWords = "english",
    text: Text = None,
    tokens: Tokens = None,
    split_by: Split = None,
    time: Time = None,
    label: Label = None,
    format: Format = None,
    strict: Strict = False,
    sort: Sort = False,
    seed: Seed = 0,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the running L1: .png or .svg.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Judge learners side by side: each predicts every block, then learns it.

    L1 is the mean negative log-probability of a document; perplexity is among how many equally
    likely words each word was, in effect, to be guessed. Where there is a column of labels, topics
    predicted before learning are compared with them over the last half of the stream or somewhat
    more: accuracy after the best matching, and normalised mutual information.
    """
    check_folder(figure)
    if figure is not None and figure.suffix not in (".png", ".svg"):
        raise typer.BadParameter(f"a figure is .png or .svg, not {figure.name}")
    with stoppable():
        if figure is not None:  # without matplotlib, raise before the stream is read
            from spectralleader.study.reporting.figures import draw_over_steps, save_figure
        from spectralleader import jobs
        from spectralleader.cli.display import watching
        from spectralleader.cli.tables import show_evaluation
        from spectralleader.jobs.evaluating import DEFAULT_LEARNERS

        names = split(learners) or DEFAULT_LEARNERS
        allow_own_modules(names)
        how: dict[str, Any] = {"strict": strict, "sort": sort, "tokens": tokens}
        source = make_source(files, text, time, label, block, format, split_by=split_by, **how)
        with watching() as progress:
            result = jobs.evaluate(
                source,
                learners=names,
                n_topics=topics,
                vocabulary=vocabulary,
                stop_words=stop_words,
                seed=seed,
                progress=progress,
            )
    print_json(result.summary()) if as_json else show_evaluation(result)
    if figure is not None and result.rows:
        save_figure(draw_over_steps([result.study()]), figure)
        typer.echo(f"Figure: {figure}", err=as_json)
    if result.stopped:
        raise typer.Exit(TERMINATED if result.terminated else STOPPED)
    if not result.n_docs > result.n_empty:
        typer.echo("spectralleader: no document had a known word", err=True)
        raise typer.Exit(NOTHING_USEFUL)
