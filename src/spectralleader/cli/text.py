"""The commands that learn, read and merge models: learn, topics, predict, trends, page, merge."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spectralleader.cli import options
from spectralleader.cli.exits import NOTHING_USEFUL, check_useful, fail, print_json, stoppable, warn
from spectralleader.cli.learn import EXAMPLES, learn
from spectralleader.sources.options import SourceOptions

app = typer.Typer()
app.command(epilog=EXAMPLES)(learn)


@app.command(
    epilog="Examples: [bold]spectralleader topics tweets.model[/bold]; "
    "[bold]spectralleader topics tweets.model --level 8[/bold]; "
    "[bold]spectralleader topics tweets.model --name 3=sport[/bold]"
)
def topics(
    model: options.Model,
    learner: options.OwnLearner = None,
    words: int = typer.Option(10, min=1, help="Top words per topic."),
    documents: int = typer.Option(3, min=0, help="Typical documents per topic."),
    recent: bool = typer.Option(
        False,
        "--recent",
        help="Show the topics of the last 2,000 documents, or of those since a suspected "
        "change, at the same level and with the same numbers.",
    ),
    level: options.Level = None,
    name: list[str] | None = typer.Option(
        None,
        metavar="N=NAME",
        help="Name topic N and save the name in MODEL; N= removes it. May be repeated.",
    ),
    as_json: options.Json = False,
) -> None:
    """Show the topics of a model, typical documents, and a diagnosis of its fit.

    Typical documents and trends (sparklines) come from a sample of texts in
    MODEL; see learn --no-texts.
    """
    learned, _ = options.load_model(model, learner)
    from spectralleader.cli.tables import show_description
    from spectralleader.jobs import describe
    from spectralleader.jobs.model_files import name_topics, parse_names

    if name:
        learned = name_topics(model, parse_names(name), level)
    found = describe(learned.read(recent=recent), n_words=words, n_typical=documents, level=level)
    print_json(found.summary()) if as_json else show_description(found)
    check_useful(learned.n_docs > learned.n_empty)


@app.command(
    epilog="Examples: [bold]spectralleader predict tweets.model new.csv --out topics.csv[/bold]; "
    "[bold]tail -f log | spectralleader predict log.model - --block 1 --to jsonl --watch[/bold]"
)
@options.grouped
def predict(
    *,
    model: options.Model,
    files: options.Files,
    learner: options.OwnLearner = None,
    to: options.OutFormat = "csv",
    out: options.OutFile = None,
    block: int = typer.Option(1000, min=1, help="Documents per block; use 1 for a live pipe."),
    level: options.Level = None,
    shares: bool = typer.Option(
        False, "--shares", help="Write topic proportions within each document, for long documents."
    ),
    best: int | None = typer.Option(
        None, metavar="N", min=1, help="Write only the N best topics of each document."
    ),
    reading: Annotated[SourceOptions, (*options.READING, "keep", "follow")],
    watch: bool = typer.Option(
        False,
        "--watch",
        help="Reload MODEL when another process, such as learn --save, has updated it.",
    ),
) -> None:
    """Predict the topic of every document, one line each.

    A line has the file and line of the document, its likeliest topic (from 1)
    with its name and probability, the number of known words, their log-
    probability, a p-value for surprise, and the probabilities of all topics.
    A document without text or known words has an empty topic, and the weights
    of the topics as probabilities.

    The text columns are those that MODEL was learned from. If FILE lacks one of
    them, the text column is guessed, and the guess is printed.
    """
    learned, run = options.load_model(model, learner, out, files)
    options.tell_level(level, learned)
    with stoppable():
        from spectralleader.cli.display import Log
        from spectralleader.jobs import Source
        from spectralleader.jobs.predicting import WatchedTopics, predict_blocks, write

        read = vars(reading) | {"block": block, "empty": True}
        read["learned"] = None if run is None else run.settings.get("text")
        # Topics are predicted from text alone: no column of times or labels is looked for.
        source = Source.of(files, **read | {"time": "", "label": ""})
        shown = WatchedTopics(model, Log()) if watch else learned
        with source.open() as reader, options.opened(out) as file:
            options.tell_guesses(reader)
            predictions = predict_blocks(shown, reader, level=level, shares=shares, n_best=best)
            write(predictions, file, to)
    for line in reader.problems.summary():
        warn(f"skipped {line}")


@app.command(
    epilog="Example: [bold]spectralleader trends tweets.model --level 8 --out trends.csv[/bold]"
)
def trends(
    model: options.Model,
    learner: options.OwnLearner = None,
    level: options.Level = None,
    to: options.OutFormat = "csv",
    out: options.OutFile = None,
) -> None:
    """Write the share of each topic over time, one line per time interval and topic.

    A line has the start of the interval (a time, or the number of its first
    document, from 1, if times are unknown), the topic, its share, the standard
    error, and the documents in the interval.
    """
    learned, _ = options.load_model(model, learner, out)
    from spectralleader.reading.trends import write_trends

    options.tell_level(level, learned)
    reading = learned.read()
    with options.opened(out) as file:
        n_rows = write_trends(reading.trends(level), reading.at(level).names, file, to)
    if n_rows == 0:
        why = f"{model} contains no sample of texts over time"
        raise typer.Exit(fail(why, NOTHING_USEFUL))


@app.command(epilog="Example: [bold]spectralleader page tweets.model -o topics.html[/bold]")
def page(
    model: options.Model,
    out: Path = typer.Option(..., "--out", "-o", metavar="FILE", help="Output file."),
    learner: options.OwnLearner = None,
    level: options.Level = None,
    title: str | None = typer.Option(
        None, metavar="TEXT", help="Heading. Defaults to the name of MODEL."
    ),
    no_texts: bool = typer.Option(False, "--no-texts", help="Show no documents."),
) -> None:
    """Write a page of the topics: one self-contained HTML file to share.

    It shows topics at any level, their shares over time, typical documents, a
    map, the merge tree, the prequential loss, and a diagnosis. It contains
    texts from MODEL unless --no-texts is given.
    """
    learned, run = options.load_model(model, learner, out)
    from spectralleader.page import describe_page, render
    from spectralleader.storage import atomic

    curve = None if run is None else run.curve
    heading = title or f"Topics of {Path(model).stem}"
    n = None if level is None else learned.level(level)
    content = describe_page(learned.read(), title=heading, level=n, texts=not no_texts, curve=curve)
    # As a whole: a full disk does not cost the page that was there.
    atomic.write(out, render(content).encode())
    typer.echo(f"Page: {out}")
    check_useful(learned.n_docs > learned.n_empty)


@app.command(
    epilog="Example: [bold]spectralleader merge monday.model tuesday.model -o both.model[/bold]"
)
def merge(
    models: list[str] = typer.Argument(
        ..., help="Two or more models saved by learn --save.", metavar="A B"
    ),
    out: Path = typer.Option(..., "--out", "-o", metavar="C", help="Save the result here."),
    learner: options.OwnLearner = None,
    seed: int = typer.Option(0, min=0, help="Random seed."),
    as_json: options.Json = False,
) -> None:
    """Merge models of separate streams into one, as if learned from a single stream.

    The models must have the same settings; their vocabularies are united. A
    document that two of them have learned counts twice.
    """
    from spectralleader.checks.paths import check_model

    # Before the learners are imported, so that a missing file is reported at once.
    for name in models:
        check_model(name)
    with stoppable(saves=True):
        from spectralleader.cli.tables import show_merged
        from spectralleader.jobs import merge

        options.trust_learner(learner)
        result = merge(models, out, seed=seed)
    print_json(result.summary()) if as_json else show_merged(result)
