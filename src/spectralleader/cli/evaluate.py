"""The commands evaluate and learners."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from spectralleader.cli import options
from spectralleader.cli.exits import end, print_json, stoppable
from spectralleader.jobs.settings import LearnSettings
from spectralleader.sources.options import SourceOptions

app = typer.Typer()


def check_figure(path: Path, files: list[str]) -> None:
    """Raise if a figure cannot be written, before the stream is read."""
    from spectralleader.checks.paths import check_target

    check_target(path, files, is_replaced=False)
    if path.suffix not in (".png", ".svg"):
        raise typer.BadParameter(f"a figure must be .png or .svg, got {path.name}")
    import_module("spectralleader.cli.figure")  # requires matplotlib


@app.command(
    epilog="Examples: [bold]spectralleader evaluate news.csv -k 5 --learners spectral,stepwise-em "
    "--figure losses.png[/bold]; [bold]spectralleader evaluate news.csv -k 5,10,20,50[/bold]"
)
@options.grouped
def evaluate(
    *,
    files: options.Files,
    learners: str | None = typer.Option(
        None,
        metavar="NAME,NAME",
        help="Learners to compare, see spectralleader learners; or your own, "
        "package.module:Class (default: hedged,spectral,stepwise-em,unigram).",
    ),
    topics: Any = typer.Option(
        "5",
        "--topics",
        "-k",
        metavar="K|K,K",
        parser=options.parse_numbers,
        help="Number of topics, or several to compare.",
    ),
    settings: Annotated[LearnSettings, options.WORDS],
    reading: Annotated[SourceOptions, (*options.STREAM, "seconds")],
    figure: Path | None = typer.Option(
        None,
        metavar="FILE",
        help="Draw the running L1, or the metrics by number of topics, to a .png or .svg file.",
    ),
    as_json: options.Json = False,
) -> None:
    """Compare learners prequentially: each predicts every block before learning it.

    L1 is the mean negative log-probability of a document. Perplexity is the
    effective number of equally likely words. If there is a label column,
    predicted topics are compared with the labels over about the last half of
    the stream: accuracy under the best matching, and normalised mutual
    information (NMI). Times exclude compilation.

    A stream of a broker is read to where it ends now, or with --for SECONDS for
    that time.

    Several numbers of topics compare the default learner with each of them,
    unless learners are named. One document in ten is then held out to compute
    coherence, the mean normalised pointwise mutual information (NPMI) of pairs
    of top words, smoothed towards 0 for pairs that are too rare to tell.
    Diversity is the share of distinct top words.
    """
    if figure is not None:
        check_figure(figure, files)
    with stoppable():
        from spectralleader import jobs
        from spectralleader.cli.display import watching
        from spectralleader.cli.tables import show_evaluation
        from spectralleader.jobs.evaluating import DEFAULT_LEARNERS

        # Several numbers ask how many topics to learn, for which one learner is enough.
        names = options.split_names(learners) or (
            DEFAULT_LEARNERS[:1] if len(topics) > 1 else DEFAULT_LEARNERS
        )
        # Before the stream is read: an own learner may be in the current folder.
        options.allow_own_modules(names)
        source = jobs.Source.of(files, **vars(reading))
        with watching() as progress:
            result = jobs.evaluate(
                source, learners=names, n_topics=topics, progress=progress, **vars(settings)
            )
    print_json(result.summary()) if as_json else show_evaluation(result)
    # A stream of one block has no losses: the first block cannot be predicted.
    if figure is not None and result.curve:
        from spectralleader.cli.figure import draw

        draw(result, figure)
        # Standard output is one JSON value, if asked for, and nothing else.
        typer.echo(f"Figure: {figure}", err=as_json)
    end(result)


@app.command(epilog="Example: [bold]spectralleader learners[/bold]")
def learners() -> None:
    """List the learners by the names that other commands accept."""
    from inspect import getdoc

    from rich.table import Table

    from spectralleader.cli.tables import make_output
    from spectralleader.learners import LEARNERS
    from spectralleader.learners.registry import installed_learners

    table = Table("name", "class", "description", box=None, pad_edge=False)
    for name, learner in LEARNERS.items():
        description = (getdoc(learner) or "").partition("\n")[0]
        table.add_row(name, learner.__name__, description)
    for name, found in installed_learners().items():
        package = "an installed package" if found.dist is None else found.dist.name
        if name not in LEARNERS:
            table.add_row(name, found.value.rpartition(":")[2], f"provided by {package}")
    make_output().print(table)
