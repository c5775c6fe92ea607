"""The command serve."""

from __future__ import annotations

from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from spectralleader.cli.learn import parse_topics
from spectralleader.cli.options import (
    LearnerOptions,
    LiveOptions,
    OwnLearner,
    ReadOptions,
    Time,
    grouped,
    stoppable,
    trust_learner,
)
from spectralleader.errors import missing_extra

app = typer.Typer()


@app.command(
    epilog="Examples: [bold]spectralleader serve news.model[/bold], then post documents to "
    "/learn; [bold]spectralleader serve clicks.model --learn redis://localhost/0/clicks[/bold]; "
    "[bold]spectralleader serve news.model --read-only --port 9000[/bold]."
)
@grouped
def serve(
    *,
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL",
            help="Model file. If it exists, resume from it with its settings; else create it.",
        ),
    ],
    learn: Annotated[
        str | None,
        typer.Option(
            metavar="SOURCE",
            help="File, folder or stream to learn from, as for learn. By default, learn documents "
            "that are posted to /learn.",
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; any but loopback requires a token.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 selects a free one.")
    ] = 8000,
    token_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File with a token that clients must send as bearer token or password.",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    insecure: Annotated[
        bool,
        typer.Option(
            "--insecure",
            help="Listen on any address without a token: everyone who can connect can read and "
            "change the model.",
        ),
    ] = False,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Answer requests from MODEL without learning.")
    ] = False,
    adopt: Annotated[
        bool,
        typer.Option(
            "--adopt",
            help="Continue a MODEL learned from other files or another stream. Its position there "
            "is lost, so that learn cannot resume it.",
        ),
    ] = False,
    max_body: Annotated[
        int, typer.Option(min=1000, help="Maximum size of a request in bytes.")
    ] = 4_000_000,
    max_batch: Annotated[int, typer.Option(min=1, help="Maximum documents per request.")] = 1000,
    max_requests: Annotated[int, typer.Option(min=1, help="Maximum concurrent requests.")] = 64,
    topics: Annotated[
        str,
        typer.Option(
            "--topics",
            "-k",
            metavar="K|auto",
            help="Number of topics of a new MODEL.",
        ),
    ] = "5",
    learner: OwnLearner = None,
    learning: LearnerOptions,
    reading: ReadOptions,
    time: Time = None,
    live: LiveOptions,
    checkpoint_every: Annotated[
        str,
        typer.Option(metavar="N|TIME", help="Save every N documents, or at an interval like 5min."),
    ] = "60s",
    no_texts: Annotated[
        bool, typer.Option("--no-texts", help="Keep only known words in MODEL, no texts.")
    ] = False,
) -> None:
    """Learn and answer over HTTP: topics, predictions, metrics, and a live page.

    Posted documents are written to MODEL.inbox before they are acknowledged,
    and each is learned exactly once, even after a crash. SIGTERM and Ctrl-C
    save the model and stop the service.
    """  # fmt: skip
    from spectralleader.checks.paths import check_model, check_target

    check_model(model) if read_only else check_target(model)
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise ImportError(missing_extra("serve", "serve"))
    if read_only and learn is not None:
        raise typer.BadParameter("--read-only does not learn; omit --learn")
    if read_only and adopt:
        raise typer.BadParameter("--read-only does not learn; omit --adopt")
    n_topics = parse_topics(topics)
    with stoppable(saves=True):
        from spectralleader.jobs.options import LearnOptions
        from spectralleader.learners import DEFAULT_LEARNER
        from spectralleader.serve.messages import Limits
        from spectralleader.serve.run import ServeOptions
        from spectralleader.serve.run import serve as run

        trust_learner(learner)
        limits = Limits(body=max_body, batch=max_batch, requests=max_requests)
        options = ServeOptions(
            model, host, port, token_file, insecure=insecure, read_only=read_only, limits=limits
        )
        # Posted documents are read from the inbox, which has its own starting point.
        begun = asdict(live) if learn else {"follow": live.follow}
        files = [learn] if learn else []
        learned = LearnOptions(
            reading.source(files, time=time, block=learning.block, wait=0.0, **begun),
            n_topics=n_topics,
            learner=learner or DEFAULT_LEARNER,
            **learning.settings,
            save=model,
            checkpoint_every=checkpoint_every,
            keep_texts=not no_texts,
            adopt=True,
            give_up_position=adopt,
        )
        run(options, None if read_only else learned)
