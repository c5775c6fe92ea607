"""The commands of a deployment: serve, and warm-up, which compiles all kernels in advance."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from spectralleader.cli import options
from spectralleader.cli.exits import print_json, stoppable
from spectralleader.errors import missing_extra
from spectralleader.jobs.settings import LearnSettings
from spectralleader.serve import ServeOptions
from spectralleader.sources.options import SourceOptions

app = typer.Typer()
SETTINGS = ("learner", *options.WORDS, "checkpoint_every", "keep_texts")
SERVED = (
    "text", "tokens", "split", "format", "strict", "broker_settings", "time", "block", "follow",
    "start",
)  # fmt: skip


@app.command(
    epilog="Examples: [bold]spectralleader serve news.model[/bold], then post documents to "
    "/learn; [bold]spectralleader serve clicks.model --learn redis://localhost/0/clicks[/bold]; "
    "[bold]spectralleader serve news.model --read-only --port 9000[/bold]."
)
@options.grouped
def serve(
    *,
    model: Path = typer.Argument(
        ...,
        metavar="MODEL",
        help="Model file. If it exists, resume from it with its settings; else create it.",
    ),
    learn: str | None = typer.Option(
        None,
        metavar="SOURCE",
        help="File, folder or stream to learn from, as for learn. By default, learn documents "
        "that are posted to /learn.",
    ),
    serving: ServeOptions,
    adopt: bool = typer.Option(
        False,
        "--adopt",
        help="Continue a MODEL learned from other files or another stream. Its position there "
        "is lost, so that learn cannot resume it.",
    ),
    topics: options.Topics = "5",
    settings: Annotated[LearnSettings, SETTINGS],
    reading: Annotated[SourceOptions, SERVED],
) -> None:
    """Learn and answer over HTTP: topics, predictions, metrics, and a live page.

    Posted documents are written to MODEL.inbox before they are acknowledged,
    and each is learned exactly once, even after a crash. SIGTERM and Ctrl-C
    save the model and stop the service.
    """  # fmt: skip
    from spectralleader.checks.paths import check_model, check_target

    # Before the slow imports, so that a wrong path is reported at once.
    check_model(model) if serving.read_only else check_target(model)
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise ImportError(missing_extra("serve", "serve"))
    for name, is_given in (("--learn", learn is not None), ("--adopt", adopt)):
        if serving.read_only and is_given:
            raise typer.BadParameter(f"--read-only does not learn; omit {name}")
    with stoppable(saves=True):
        from spectralleader.jobs.options import LearnOptions, Source
        from spectralleader.serve.run import serve as run

        options.trust_learner(settings.learner)
        read = vars(reading) | {"wait": 0.0}
        if not learn:  # posted documents are read from the inbox, which has its own starting point
            read |= {"start": "earliest"}
        every = settings.checkpoint_every or "60s"
        learned = LearnOptions(
            Source.of([learn] if learn else [], **read),
            topics,
            **vars(settings) | {"save": model, "checkpoint_every": every},
            # The settings in MODEL apply: a service is restarted with its name alone.
            adopt=True,
            give_up_position=adopt,
        )
        run(model, serving, None if serving.read_only else learned)


@app.command(
    "warm-up",
    epilog="Example, in a Dockerfile: [bold]ENV NUMBA_CACHE_DIR=/opt/kernels[/bold], then "
    "[bold]RUN spectralleader warm-up[/bold]",
)
def warm_up(as_json: options.Json = False) -> None:
    """Compile all kernels in advance, so that later commands start without compiling.

    Kernels are cached in NUMBA_CACHE_DIR if set, else beside the package or in
    the user's cache. The cache is valid for this version, this Python and this
    type of processor.
    """
    with stoppable():
        from spectralleader.cli.display import watching
        from spectralleader.jobs.warm_up import warm_up

        with watching():
            folder, n_kernels, seconds = warm_up()
    if as_json:
        return print_json(
            {"kernels": n_kernels, "seconds": seconds, "folder": folder and str(folder)}
        )
    kept = f"cached in {folder}" if folder is not None else "not cached: no folder is writable"
    typer.echo(f"{n_kernels} kernels ready after {seconds:.1f} s; {kept}")
