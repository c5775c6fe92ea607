"""Run: the web server in one thread, learning in the main one, until a signal ends both."""

from __future__ import annotations

import os
import re
import socket
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import sleep

import uvicorn

from spectralleader.jobs import LearnOptions, run
from spectralleader.jobs.checkpointing import CheckpointInterval, adopt_run
from spectralleader.runtime.interrupts import Interrupts, raise_if_interrupted
from spectralleader.serve.app import LOOPBACK, Application
from spectralleader.serve.handlers import Handlers
from spectralleader.serve.inbox import Inbox, InboxSource
from spectralleader.serve.messages import Limits, counts_tokens
from spectralleader.serve.metrics import Metrics
from spectralleader.serve.service import Service, log
from spectralleader.storage import load_topics

N_TOKEN = 16  # characters of a token at least
VISIBLE = range(0x21, 0x7F)  # ASCII that is neither a space nor a control character
GRACE = 2  # seconds that open requests have to end
STALE = 3  # intervals between checkpoints after which the last one is too old
LEAST_STALE = 60.0  # seconds
MOST_CONNECTIONS = 1000  # three times what `Limits` lets requests and live pages use
BACKLOG = 512  # connections that wait until they are accepted
LOOK = 0.1  # seconds between two looks at signals
FRESH = re.compile("start over with --fresh(, which keeps it as a backup)?")


@dataclass(frozen=True)
class ServeOptions:
    """All that `serve` is asked for, beside what is learned."""

    model: Path
    host: str = "127.0.0.1"
    port: int = 8000
    token_file: Path | None = None
    insecure: bool = False  # other hosts may ask without a token
    read_only: bool = False
    limits: Limits = Limits()  # noqa: RUF009  # immutable

    def read_token(self) -> bytes | None:
        """Return the token; what is not safe is refused.

        Raises
        ------
        ValueError
            If there is none and others than this machine could ask, or it is too short.
        """
        if self.token_file is None:
            if self.host not in LOOPBACK and not self.insecure:
                raise ValueError(
                    f"everybody who reaches {self.host} could read and change what is learned: "
                    "give a token by --token-file, or say --insecure"
                )
            return None
        token = self.token_file.read_bytes().strip()
        # The group is left alone: Kubernetes gives secrets to a pod by its group.
        if os.name != "nt" and self.token_file.stat().st_mode & stat.S_IROTH:
            log(f"warning: all users can read the token; run chmod 600 {self.token_file}")
        wrong = ""
        if len(token) < N_TOKEN:
            wrong = f"has {len(token)} characters"
        # Others cannot be sent in a header, or not the same way by all clients.
        elif not all(byte in VISIBLE for byte in token):
            wrong = (
                "must be one line of visible ASCII characters, without spaces or a byte order mark"
            )
        if wrong:
            raise ValueError(
                f"the token in {self.token_file} {wrong}; make one of at least {N_TOKEN}, such as: "
                f"openssl rand -hex 32 > {self.token_file}"
            )
        return token


def serve(options: ServeOptions, learning: LearnOptions | None) -> None:
    """Serve a model until a signal ends it; learn as `learning` says, or what is posted.

    Learning options without a source are those of the inbox.
    """
    try:
        _serve(options, learning)
    except ValueError as error:  # of jobs that learn has too, whose options are others
        error.args = (FRESH.sub("name another MODEL to start over", str(error)),)
        raise


def _serve(options: ServeOptions, learning: LearnOptions | None) -> None:
    service = Service(options.model)
    if learning is not None:
        service.learns = True
        every = CheckpointInterval.of(learning.checkpoint_every).seconds
        service.stale = max(LEAST_STALE, STALE * every)
        if not learning.source.files:
            service.inbox = Inbox(options.model.with_name(f"{options.model.name}.inbox"))
            learning = replace(learning, source=inbox_source(service.inbox, learning))
    with Interrupts() as interrupts, answering(service, options):
        interrupts.at_stake = True
        try:
            if learning is None:
                service.show(load_topics(options.model))
            elif run(learning, service).stopped:
                return
            else:
                service.learns = False
                service.say("the source has ended; what was learned is served on")
            while True:
                raise_if_interrupted()
                sleep(LOOK)
        except KeyboardInterrupt:  # or Terminated: there is nothing to save
            return


def inbox_source(inbox: Inbox, learning: LearnOptions) -> InboxSource:
    """Return the inbox as what is learned; a model that counts tokens takes tokens."""
    source, path = learning.source, Path(learning.save or "")
    has_tokens = bool(source.tokens)
    if path.exists():
        has_tokens = counts_tokens(adopt_run(path)[0].topics.vectoriser.words)
    names, tokens = (str(inbox.path),), "tokens" if has_tokens else None
    return InboxSource(names, block=source.block, split=source.split, tokens=tokens, inbox=inbox)


@contextmanager
def answering(service: Service, options: ServeOptions) -> Iterator[None]:
    """Run the web server in a thread of its own while this is entered."""
    token = options.read_token()
    # Whoever has a token may ask by any name; so may all who need none.
    hosts = LOOPBACK if token is None and not options.insecure else ()
    handlers = Handlers(service, Metrics(service), options.limits)
    listening = listen(options.host, options.port)
    host, port = listening.getsockname()[:2]
    service.address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    config = uvicorn.Config(
        Application(handlers, token, hosts),
        access_log=False, lifespan="off", server_header=False,
        log_level="critical",  # clients could fill the log; the application logs its failures
        proxy_headers=False,  # nothing here depends on who asks
        ws="none",  # who asks for a web socket is answered by HTTP, without a hint in the log
        limit_concurrency=MOST_CONNECTIONS, timeout_graceful_shutdown=GRACE,
    )  # fmt: skip
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listening],), name="web", daemon=True)
    thread.start()
    try:
        yield
    finally:
        service.ending.set()
        server.should_exit = True
        thread.join(GRACE + 1)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 is any that is free."""
    try:
        [(family, kind, protocol, _, address), *_] = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM
        )
        # With its protocol: only then does asyncio send small answers at once (TCP_NODELAY).
        listening = socket.socket(family, kind, protocol)
        # A restart would otherwise have to wait for the connections of before.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
    except OSError as error:
        raise ValueError(
            f"cannot listen on {host} port {port}: {error.strerror}; choose another by --host and "
            "--port"
        ) from error
    listening.listen(BACKLOG)
    return listening
