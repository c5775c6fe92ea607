"""Run: the web server in one thread, learning in the main one, until a signal ends both."""

from __future__ import annotations

import os
import re
import socket
import stat
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic, sleep

import uvicorn

from spectralleader.jobs import LearnOptions, run
from spectralleader.jobs.checkpointing import CheckpointInterval, adopt_run, check_position
from spectralleader.runtime.interrupts import Interrupts, raise_if_interrupted
from spectralleader.serve.app import LOOPBACK, Application
from spectralleader.serve.handlers import Handlers
from spectralleader.serve.inbox import KIND, Inbox, InboxSource
from spectralleader.serve.messages import Limits
from spectralleader.serve.metrics import Metrics
from spectralleader.serve.service import Service, log
from spectralleader.storage import load_topics
from spectralleader.text.tokens import Tokens

LIMITS = Limits()
N_TOKEN = 16  # characters of a token at least
VISIBLE = range(0x21, 0x7F)  # ASCII that is neither a space nor a control character
GRACE = 2  # seconds that open requests have to end
STALE = 3  # intervals between checkpoints after which the last one is too old
LEAST_STALE = 60.0  # seconds
MOST_CONNECTIONS = 1000  # three times what `Limits` lets requests and live pages use
STARTING = 10.0  # seconds until the port must be open
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
    limits: Limits = LIMITS

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
        make = f"make one of at least {N_TOKEN}, such as: openssl rand -hex 32 > {self.token_file}"
        if len(token) < N_TOKEN:
            raise ValueError(f"the token in {self.token_file} has {len(token)} characters; {make}")
        # Others cannot be sent in a header, or not the same way by all clients.
        if not all(byte in VISIBLE for byte in token):
            raise ValueError(
                f"the token in {self.token_file} must be one line of visible ASCII characters, "
                f"without spaces or a byte order mark; {make}"
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
    token = options.read_token()
    inbox, stale = None, 0.0
    if learning is not None:
        stale = max(LEAST_STALE, STALE * CheckpointInterval.of(learning.checkpoint_every).seconds)
        if not learning.source.files:
            inbox = Inbox(options.model.with_name(f"{options.model.name}.inbox"))
            learning = replace(learning, source=inbox_source(inbox, learning))
    service = Service(options.model, inbox, learns=learning is not None, stale=stale)
    with Interrupts() as interrupts, Server(service, options, token):
        interrupts.at_stake = True
        try:
            if learning is None:
                service.show(load_topics(options.model))
            else:
                if run(learning, service).stopped:
                    return
                service.is_ended = True
                service.say("the source has ended; what was learned is served on")
            while True:
                raise_if_interrupted()
                sleep(0.1)
        except KeyboardInterrupt:  # or Terminated: there is nothing to save
            return
        finally:
            service.ending.set()
            if inbox is not None:
                inbox.close()


def inbox_source(inbox: Inbox, learning: LearnOptions) -> InboxSource:
    """Return the inbox as what is learned; a model that counts tokens takes tokens.

    Raises
    ------
    ValueError
        If what is posted would lose the position in what the model has learned.
    """
    source, path = learning.source, Path(learning.save or "")
    has_tokens = bool(source.tokens)
    if path.exists() and not learning.fresh:
        found, _ = adopt_run(path)
        check_position(found, KIND, give_up=learning.give_up_position)
        words = found.topics.vectoriser.words
        has_tokens = isinstance(words, Tokens) and words.split is None
    return InboxSource(
        (str(inbox.path),), block=source.block, split=source.split, inbox=inbox,
        has_tokens=has_tokens,
    )  # fmt: skip


class Server:
    """The web server, in a thread of its own while this is entered."""

    def __init__(self, service: Service, options: ServeOptions, token: bytes | None) -> None:
        handlers = Handlers(service, Metrics(service), options.limits)
        hosts = LOOPBACK if token is None and not options.insecure else None
        app = Application(handlers, token=token, hosts=hosts)
        self._service = service
        self._socket = listen(options.host, options.port)
        config = uvicorn.Config(
            app, access_log=False, lifespan="off", server_header=False,
            log_level="critical",  # clients could fill the log; the application logs its failures
            proxy_headers=False,  # nothing here depends on who asks
            ws="none",  # who asks for a web socket is answered by HTTP, without a hint in the log
            limit_concurrency=MOST_CONNECTIONS, timeout_graceful_shutdown=GRACE,
        )  # fmt: skip
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, name="web", daemon=True)

    def _run(self) -> None:
        self._server.run(sockets=[self._socket])

    def __enter__(self) -> Server:
        self._thread.start()
        end = monotonic() + STARTING
        while not self._server.started and self._thread.is_alive() and monotonic() < end:
            sleep(0.01)
        host, port = self._socket.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        log("starting")
        self._service.address = f"http://{shown}:{port}"
        return self

    def __exit__(self, *_: object) -> None:
        self._service.ending.set()
        self._server.should_exit = True
        self._thread.join(GRACE + 1)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 is any that is free."""
    try:
        [found, *_] = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        # with its protocol: only then does asyncio send small answers at once (TCP_NODELAY)
        listening = socket.socket(*found[:3])
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(found[4])
    except OSError as error:
        raise ValueError(
            f"cannot listen on {host} port {port}: {error.strerror}; choose another by --host and "
            "--port"
        ) from error
    listening.listen(512)
    return listening
