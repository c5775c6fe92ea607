"""Run: the web server in one thread, learning in the main one, until a signal ends both."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import NoReturn

import uvicorn

from spectralleader.errors import ResumeError
from spectralleader.jobs import LearnOptions, Source, run
from spectralleader.jobs.checkpointing import CheckpointInterval, load_run
from spectralleader.jobs.predicting import WatchedTopics
from spectralleader.runtime.interrupts import Interrupts
from spectralleader.serve import ServeOptions
from spectralleader.serve.app import LOOPBACK, Application, Tokens
from spectralleader.serve.handlers import Handlers
from spectralleader.serve.inbox import Inbox, open_inbox
from spectralleader.serve.log import start_log
from spectralleader.serve.messages import counts_tokens
from spectralleader.serve.metrics import Metrics
from spectralleader.serve.service import Service
from spectralleader.sources.live.protocol import pause

GRACE = 2  # seconds that open requests have to end
STALE = 3  # intervals between checkpoints after which the last one is too old
LEAST_STALE = 60.0  # seconds
MOST_CONNECTIONS = 1000  # ten times what requests and live pages use by default
BACKLOG = 512  # connections that wait until they are accepted
RELOAD = 1.0  # seconds between two looks at the model of another process


def read_tokens(options: ServeOptions) -> Tokens:
    """Return the tokens; raise `ValueError` if one is not safe, or others could ask without."""
    tokens = Tokens(options.token_file, options.read_token_file)
    if not (tokens.are_needed or options.insecure or options.host in LOOPBACK):
        raise ValueError(
            f"anyone who can connect to {options.host} could read and change the model: set "
            "--token-file, or pass --insecure"
        )
    return tokens


def serve(model: Path, options: ServeOptions, learning: LearnOptions | None) -> None:
    """Serve a model until a signal ends it; learn as `learning` says, or what is posted.

    Learning options without a source are those of the inbox.
    """
    try:
        _serve(model, options, learning)
    except ResumeError as error:  # of jobs that learn has too, whose options are others
        error.restart = "name another MODEL to start over"
        raise


def _serve(model: Path, options: ServeOptions, learning: LearnOptions | None) -> None:
    start_log(options.log)
    service, reader = Service(model), None
    if learning is not None:
        every = CheckpointInterval.of(learning.checkpoint_every).seconds
        service.stale = max(LEAST_STALE, STALE * every)
        service.publish(learns=True)
        if not learning.source.files:
            service.inbox = Inbox(model.with_name(f"{model.name}.inbox"))
            learning = replace(learning, source=inbox_source(service.inbox, learning))
            reader = open_inbox(service.inbox, learning.source, service.say)
    with Interrupts() as interrupts, answering(service, options):
        interrupts.at_stake = True
        try:
            if learning is None:
                show_latest(service, WatchedTopics(model, service))
            if run(learning, service, reader).stopped:
                return
            service.publish(learns=False)
            service.say("the source has ended; serving the final model")
            pause(inf)
        except KeyboardInterrupt:  # or Terminated: there is nothing to save
            return


def show_latest(service: Service, watched: WatchedTopics) -> NoReturn:
    """Answer from a file, and from what another process makes of it."""
    shown = None
    while True:
        if (topics := watched.latest()) is not shown:
            service.show(topics)
            shown = topics
        pause(RELOAD)


def inbox_source(inbox: Inbox, learning: LearnOptions) -> Source:
    """Return the inbox as what is learned; a model that counts tokens takes tokens."""
    given, path = learning.source, Path(learning.save or "")
    has_tokens = bool(given.tokens)
    if path.exists():
        has_tokens = counts_tokens(load_run(path, adopt=True)[0].topics.vectoriser.words)
    tokens = "tokens" if has_tokens else None
    return Source(
        (str(inbox.path),), block=given.block, split=given.split, tokens=tokens, follow=True
    )


@contextmanager
def answering(service: Service, options: ServeOptions) -> Iterator[None]:
    """Run the web server in a thread of its own while this is entered."""
    tokens = read_tokens(options)
    # Any name is accepted from clients with a token, and from all if none is needed.
    hosts = () if tokens.are_needed or options.insecure else LOOPBACK
    handlers = Handlers(service, Metrics(service), options)
    listening = listen(options.host, options.port)
    host, port = listening.getsockname()[:2]
    service.address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    config = uvicorn.Config(
        Application(handlers, tokens, hosts),
        access_log=False, lifespan="off", server_header=False,
        # Clients could fill the log, and the application logs its failures.
        log_config=None, log_level="critical",
        proxy_headers=False,  # nothing here depends on who asks
        ws="none",  # who asks for a web socket is answered by HTTP, without a hint in the log
        limit_concurrency=MOST_CONNECTIONS, timeout_graceful_shutdown=GRACE,
    )  # fmt: skip
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listening],), name="web", daemon=True)
    thread.start()
    if hasattr(signal, "SIGHUP"):  # which Windows has not, and which would end the process
        # An attribute is set and no more: the signal may come in the middle of a step.
        signal.signal(signal.SIGHUP, lambda *_: setattr(tokens, "is_stale", True))
    try:
        yield
    finally:
        service.ending.set()
        server.should_exit = True
        thread.join(GRACE + 1)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 is any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise ValueError(
            f"cannot listen on {host} port {port}: {error.strerror}; choose another by --host and "
            "--port"
        ) from error
    # Its connections inherit that small answers are sent at once, which asyncio sees to only for
    # sockets that were created with their protocol.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening
