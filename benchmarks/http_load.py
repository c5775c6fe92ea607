"""A client that asks /predict over HTTP as fast as it is answered, or so often a second.

It shares the processors with what it measures, so it is plain sockets and no more: some 20 us for a
request, where streams of asyncio took 40 to 90.
"""

from __future__ import annotations

import json
import socket
from collections import deque
from collections.abc import Generator
from contextlib import ExitStack, closing
from itertools import cycle
from selectors import EVENT_READ, DefaultSelector
from time import perf_counter
from typing import NamedTuple

import numpy as np

END, LENGTH = b"\r\n\r\n", b"content-length:"
SILENT = 30.0  # seconds without any answer after which it gives up


class Asked(NamedTuple):
    """What came of it."""

    per_second: float
    p99: float  # milliseconds


class Connection:
    """A connection to a service, with one request at a time."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.asked = 0.0  # when the last request was sent
        self._received = b""

    def send(self, request: bytes) -> None:
        """Send a request."""
        self.asked, self._received = perf_counter(), b""
        self.socket.sendall(request)

    def is_answered(self) -> bool:
        """Read what came; say whether that is all of the answer."""
        if not (part := self.socket.recv(65536)):
            raise ConnectionError("the service hung up")
        self._received += part
        head, end, body = self._received.partition(END)
        if not end:
            return False
        assert head.startswith(b"HTTP/1.1 200"), head
        return len(body) >= int(head.lower().partition(LENGTH)[2].partition(b"\r\n")[0])

    def close(self) -> None:
        """Hang up."""
        self.socket.close()


def request_of(text: str, port: int) -> bytes:
    """Return a request for the topic of one text."""
    body = json.dumps({"texts": [text]}).encode()
    head = f"POST /predict HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def ask(
    port: int, texts: list[str], seconds: float, *, n_clients: int = 4, rate: float | None = None
) -> Asked:
    """Ask from some connections, each after its last answer; with `rate`, so often a second."""
    requests = [request_of(text, port) for text in texts]
    took: list[float] = []
    with ExitStack() as stack:
        clients = [stack.enter_context(closing(Connection(port))) for _ in range(n_clients)]
        answers = stack.enter_context(closing(answer_times(clients, requests, rate)))
        began = perf_counter()
        while perf_counter() < began + seconds:
            took.append(next(answers))
        per_second = len(took) / (perf_counter() - began)
    return Asked(per_second, 1e3 * float(np.quantile(took, 0.99)))


def answer_times(
    clients: list[Connection], requests: list[bytes], rate: float | None
) -> Generator[float]:
    """Yield the seconds that each answer took; a client that has its answer asks when it is due."""
    idle, due, coming = deque(clients), perf_counter(), cycle(requests)
    with DefaultSelector() as selector:
        for client in clients:
            selector.register(client.socket, EVENT_READ, client)
        while True:
            while idle and perf_counter() >= due:
                idle.popleft().send(next(coming))
                due += 1 / rate if rate else 0.0
            wait = max(0.0, due - perf_counter()) if idle else SILENT
            if not (ready := selector.select(wait)) and not idle:
                raise TimeoutError("the service does not answer")
            for key, _ in ready:
                if key.data.is_answered():
                    idle.append(key.data)
                    yield perf_counter() - key.data.asked
