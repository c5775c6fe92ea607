"""The commands of a deployment: serve, and warm-up, which compiles all kernels in advance."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal

import typer

from spectralleader.cli import options
from spectralleader.cli.exits import print_json, stoppable
from spectralleader.cli.learn import parse_topics
from spectralleader.errors import missing_extra
from spectralleader.sources.options import SourceOptions

app = typer.Typer()
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
    host: str = typer.Option(
        "127.0.0.1", help="Address to listen on; any but loopback requires a token."
    ),
    port: int = typer.Option(
        8000, min=0, max=65535, help="Port to listen on; 0 selects a free one."
    ),
    token_file: Path | None = typer.Option(
        None,
        metavar="FILE",
        help="File with a token that clients must send as bearer token or password.",
        exists=True,
        dir_okay=False,
    ),
    read_token_file: Path | None = typer.Option(
        None,
        metavar="FILE",
        help="File with a token for requests that change nothing. Both files are read again "
        "after SIGHUP.",
        exists=True,
        dir_okay=False,
    ),
    log: Literal["text", "json"] = typer.Option("text", help="Format of the log."),
    insecure: bool = typer.Option(
        False,
        "--insecure",
        help="Listen on any address without a token: everyone who can connect can read and "
        "change the model.",
    ),
    read_only: bool = typer.Option(
        False, "--read-only", help="Answer requests from MODEL without learning."
    ),
    adopt: bool = typer.Option(
        False,
        "--adopt",
        help="Continue a MODEL learned from other files or another stream. Its position there "
        "is lost, so that learn cannot resume it.",
    ),
    max_body: int = typer.Option(4_000_000, min=1000, help="Maximum size of a request in bytes."),
    max_batch: int = typer.Option(1000, min=1, help="Maximum documents per request."),
    max_requests: int = typer.Option(64, min=1, help="Maximum concurrent requests."),
    topics: str = typer.Option(
        "5", "--topics", "-k", metavar="K|auto", help="Number of topics of a new MODEL."
    ),
    learner: options.OwnLearner = None,
    learning: options.LearnerOptions,
    reading: Annotated[SourceOptions, SERVED],
    checkpoint_every: str = typer.Option(
        "60s", metavar="N|TIME", help="Save every N documents, or at an interval like 5min."
    ),
    no_texts: bool = typer.Option(
        False, "--no-texts", help="Keep only known words in MODEL, no texts."
    ),
) -> None:
    """Learn and answer over HTTP: topics, predictions, metrics, and a live page.

    Posted documents are written to MODEL.inbox before they are acknowledged,
    and each is learned exactly once, even after a crash. SIGTERM and Ctrl-C
    save the model and stop the service.
    """  # fmt: skip
    from spectralleader.checks.paths import check_model, check_target

    # Before the slow imports, so that a wrong path is reported at once.
    check_model(model) if read_only else check_target(model)
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise ImportError(missing_extra("serve", "serve"))
    for name, is_given in (("--learn", learn is not None), ("--adopt", adopt)):
        if read_only and is_given:
            raise typer.BadParameter(f"--read-only does not learn; omit {name}")
    n_topics = parse_topics(topics)
    with stoppable(saves=True):
        from spectralleader.jobs.options import LearnOptions, Source
        from spectralleader.learners import DEFAULT_LEARNER
        from spectralleader.serve.messages import Limits
        from spectralleader.serve.run import ServeOptions
        from spectralleader.serve.run import serve as run

        options.trust_learner(learner)
        limits = Limits(body=max_body, batch=max_batch, requests=max_requests)
        serving = ServeOptions(
            model, host, port, token_file, read_token_file,
            insecure=insecure, read_only=read_only, limits=limits, log=log,
        )  # fmt: skip
        # Posted documents are read from the inbox, which has its own starting point.
        begun = {} if learn else {"start": "earliest"}
        learned = LearnOptions(
            Source.read([learn] if learn else [], reading, wait=0.0, **begun),
            n_topics=n_topics,
            learner=learner or DEFAULT_LEARNER,
            **learning.settings,
            save=model,
            checkpoint_every=checkpoint_every,
            keep_texts=not no_texts,
            # The settings in MODEL apply: a service is restarted with its name alone.
            adopt=True,
            give_up_position=adopt,
        )
        run(serving, None if read_only else learned)


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
