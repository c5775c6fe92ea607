"""The command learn, of one pass over a stream or on an engine."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from spectralleader.cli import options
from spectralleader.cli.exits import end, print_json, stoppable
from spectralleader.jobs.settings import LearnSettings
from spectralleader.sources.options import SourceOptions

if TYPE_CHECKING:
    from spectralleader.jobs.learning import LearnedTopics

# What has a meaning on an engine, which makes several unordered passes; the rest is refused.
ON_ENGINES = (
    *("files", "text", "format", "topics", "vocabulary", "stop_words", "seed"),
    *("save", "fresh", "as_json", "engine", "address"),
)


def check_for_engine(context: typer.Context, topics: int | str) -> None:
    """Raise for the first option that has no meaning on an engine."""
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        # Also with its default value: who gives an option expects it to have an effect.
        is_given = source is not None and source.name == "COMMANDLINE"
        if is_given and option.name not in ON_ENGINES:
            name = "/".join([option.opts[0], *option.secondary_opts[:1]])
            raise typer.BadParameter(
                f"{name} is not supported with --engine, which makes several passes over all "
                "documents; omit it"
            )
    if isinstance(topics, str):
        raise typer.BadParameter("-k auto is not supported with --engine; give a number")


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
    topics: options.Topics = "5",
    settings: LearnSettings,
    reading: Annotated[SourceOptions, (*options.STREAM, *options.LIVE)],
    engine: Literal["dask", "spark"] | None = typer.Option(
        None,
        help="Learn on a cluster with the spectral method and EM over all documents, from "
        "files or folders of Parquet, CSV or JSON lines.",
    ),
    address: str | None = typer.Option(
        None,
        metavar="ADDRESS",
        help="Address of Dask's scheduler (tcp://...) or Spark's master (spark://..., "
        "sc://...). Defaults to this machine.",
    ),
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
    if engine is not None:
        check_for_engine(context, topics)
    elif address is not None:
        raise typer.BadParameter("--address requires --engine")
    if settings.save is None and (settings.fresh or settings.checkpoint_every is not None):
        raise typer.BadParameter("--checkpoint-every and --fresh require --save MODEL")
    # An engine waits in code of its own, where a deferred signal would not be noticed.
    with stoppable(saves=settings.save is not None, at_once=engine is not None):
        from spectralleader.cli.display import watching
        from spectralleader.cli.tables import show_learned
        from spectralleader.jobs import LearnOptions, Source, run

        options.allow_own_modules([settings.learner])
        chosen = LearnOptions(Source.of(files, **vars(reading)), topics, **vars(settings))
        result: LearnedTopics
        with watching() as progress:
            if engine is None:
                result = run(chosen, progress)
            else:
                from spectralleader.jobs.engine import learn_on_engine

                result = learn_on_engine(engine, chosen, address, progress)
        try:
            print_json(result.summary()) if as_json else show_learned(result)
        # The model is saved by now: a signal breaks off the printing alone.
        except KeyboardInterrupt as reason:
            result = replace(result, stopped=reason)
    end(result)
