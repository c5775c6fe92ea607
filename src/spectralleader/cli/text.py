"""The commands for text: learn, topics, predict, evaluate."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from spectralleader.cli.engine import Address, Engine, learn_and_show

if TYPE_CHECKING:
    from spectralleader.jobs import Source
    from spectralleader.text_topics import TextTopics

NOTHING_USEFUL, STOPPED = 1, 130  # exit codes; 130 is the shell's for Ctrl-C
FILES = "Files to read, one after the other; - is standard input."

app = typer.Typer()


class FileFormat(StrEnum):
    """The formats that are read."""

    csv = "csv"
    tsv = "tsv"
    jsonl = "jsonl"
    parquet = "parquet"
    text = "text"


class OutFormat(StrEnum):
    """The formats that predictions are written in."""

    csv = "csv"
    jsonl = "jsonl"


def check_files(files: list[str]) -> list[str]:
    """Say at once which file is not there."""
    for name in files:
        if name != "-" and not Path(name).exists():
            raise typer.BadParameter(f"there is no file {name}")
    return files


Files = Annotated[list[str], typer.Argument(help=FILES, metavar="FILE", callback=check_files)]
Model = Annotated[str, typer.Argument(help="File that learn --save wrote.", metavar="MODEL")]
Topics = Annotated[int, typer.Option("--topics", "-k", min=1, help="Number of topics.")]
Words = Annotated[
    str | None,
    typer.Option(
        "--vocabulary",
        metavar="N|grow|grow:N|FILE",
        help="The N most frequent words, counted in a first pass (default: 5000); or words that "
        "grow with the stream up to N, 50000 if not said (default for a pipe); or a file of words.",
    ),
]
Block = Annotated[int, typer.Option(min=1, help="Documents learned at a step.")]
StopWords = Annotated[str, typer.Option(metavar="english|none|FILE", help="Words to leave out.")]
Text = Annotated[
    str | None,
    typer.Option(metavar="COL,COL", help="Columns of the text, joined; guessed if obvious."),
]
Time = Annotated[
    str | None, typer.Option(metavar="COL", help="Column of the time; guessed if obvious.")
]
Label = Annotated[
    str | None, typer.Option(metavar="COL", help="Column of the label; guessed if obvious.")
]
Format = Annotated[
    FileFormat | None, typer.Option(help="Format of the files; known by name or content.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first bad row, exit code 2.")]
Sort = Annotated[bool, typer.Option("--sort", help="Sort the documents by time first.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of all that is random.")]
Json = Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")]


@app.command(
    epilog="Examples: [bold]spectralleader learn tweets.csv -k 10 --save tweets.model[/bold]; "
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
    engine: Engine = None,
    address: Address = None,
    as_json: Json = False,
) -> None:
    """Learn topics from files of text in one pass, and watch it learn.

    L1 is the mean negative log-probability of a document, predicted before it is learned.
    Ctrl-C ends the pass: what was learned so far is summarised, and saved if asked.
    """
    check_folder(save)
    if engine is not None:
        kind = None if format is None else format.value
        settings = {"n_topics": topics, "vocabulary": vocabulary, "stop_words": stop_words}
        where = {"text": split(text), "format": kind, "address": address, "save": save}
        return learn_and_show(engine, files, learner, as_json, seed=seed, **settings, **where)
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


@app.command(
    epilog="Examples: [bold]spectralleader topics tweets.model[/bold]; "
    "[bold]spectralleader topics tweets.model --json[/bold]"
)
def topics(
    model: Model,
    words: Annotated[int, typer.Option(min=1, help="Words shown of each topic.")] = 10,
    documents: Annotated[int, typer.Option(min=0, help="Typical documents shown of each.")] = 3,
    as_json: Json = False,
) -> None:
    """Show the topics of a model, documents typical of each, and whether to believe it."""
    learned = load_model(model)
    from spectralleader.cli.tables import show_description
    from spectralleader.jobs import describe

    found = describe(learned, n_words=words, n_typical=documents)
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
    to: Annotated[OutFormat, typer.Option(help="Format of the output.")] = OutFormat.csv,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File to write; else standard output.")
    ] = None,
    block: Annotated[
        int, typer.Option(min=1, help="Documents read before any is written; 1 for a live pipe.")
    ] = 1000,
    text: Text = None,
    format: Format = None,
    strict: Strict = False,
) -> None:
    """Predict the topic of every document: a line each, with all probabilities.

    A line has the document's place, its likeliest topic (counted from 1) and that one's
    probability, the number of known words, their log-probability, and every topic's probability.
    """
    check_folder(out)
    learned = load_model(model)
    from spectralleader.jobs.predicting import predict_blocks, write

    source = make_source(files, text, "", "", block, format, strict=strict, sort=False)
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
            help="hedged,spectral,stepwise-em,unigram if not given; see: spectralleader learners.",
        ),
    ] = None,
    topics: Topics = 5,
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
    from spectralleader import jobs
    from spectralleader.cli.display import watching
    from spectralleader.cli.tables import show_evaluation
    from spectralleader.jobs.evaluating import DEFAULT_LEARNERS

    source = make_source(files, text, time, label, block, format, strict=strict, sort=sort)
    with watching() as watcher:
        result = jobs.evaluate(
            source,
            learners=split(learners) or DEFAULT_LEARNERS,
            n_topics=topics,
            vocabulary=vocabulary,
            stop_words=stop_words,
            seed=seed,
            watcher=watcher,
        )
    print_json(result.summary()) if as_json else show_evaluation(result)
    if figure is not None and result.rows:
        from spectralleader.reporting.panels import draw_over_steps, save_figure

        save_figure(draw_over_steps([result.study()]), figure)
        typer.echo(f"Figure: {figure}", err=as_json)
    if result.stopped:
        raise typer.Exit(STOPPED)
    if not result.n_docs > result.n_empty:
        typer.echo("spectralleader: no document had a known word", err=True)
        raise typer.Exit(NOTHING_USEFUL)


def make_source(
    files: list[str],
    text: str | None,
    time: str | None,
    label: str | None,
    block: int,
    format: FileFormat | None,
    *,
    strict: bool,
    sort: bool,
) -> Source:
    """Return what the options say of the files."""
    from spectralleader.jobs import Source

    kind = None if format is None else format.value
    return Source(tuple(files), split(text), time, label, block, kind, strict, sort)


def split(names: str | None) -> tuple[str, ...] | None:
    """Return names that were given with commas between, None if none was."""
    return tuple(name.strip() for name in names.split(",") if name.strip()) if names else None


def check_folder(path: Path | None) -> None:
    """Say at once, not after an hour, that a file cannot be written where it was asked for."""
    if path is not None and path.is_dir():
        raise typer.BadParameter(f"{path} is a folder; name a file in it")
    if path is not None and not path.absolute().parent.is_dir():
        raise typer.BadParameter(f"there is no folder {path.parent}")


def load_model(path: str) -> TextTopics:
    """Return what `learn --save` saved."""
    if not Path(path).is_file():
        raise typer.BadParameter(f"there is no file {path}")
    from spectralleader.storage import load
    from spectralleader.text_topics import TextTopics

    found = load(path)
    if not isinstance(found, TextTopics):
        raise ValueError(f"{path} holds a {type(found).__name__}, not what learn --save writes")
    return found


@contextmanager
def opened(path: Path | None) -> Iterator[TextIO]:
    """Open a file to write, or standard output."""
    if path is None:
        yield sys.stdout
        return
    with path.open("w", encoding="utf-8", newline="") as file:
        yield file


def print_json(summary: dict[str, Any]) -> None:
    """Print a summary for machines."""
    typer.echo(json.dumps(summary, indent=2, ensure_ascii=False))
