"""Connection: HTTP/1.1 with bounds on headers, on time and on the number of connections."""

from __future__ import annotations

import json
from collections.abc import Iterable
from time import monotonic
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from spectralleader.serve.closings import Closing, NoteClosing
from spectralleader.serve.requests import Limits, RequestError

MOST_CONNECTIONS = 1000  # three times what `Limits` lets requests, live pages and slow clients use
FOR_FILES = 64  # descriptors that connections leave to files, libraries and sources
CLOSINGS = {  # by the status of the answer
    400: Closing.INVALID,
    408: Closing.SLOW_HEADERS,
    431: Closing.LONG_HEADERS,
    503: Closing.TOO_MANY,
}
CLOSED_AT_ONCE = 1 / 16  # share of connections closed at the limit: a scan for each would be slow


class Connection(HttpToolsProtocol):
    """A connection of a client, which httptools and uvicorn do not limit by themselves.

    Errors that the parser finds are answered in JSON, like all others.

    Parameters
    ----------
    limits : Limits
        Of which `head`, `headers` and `seconds` are used.
    most : int
        Number of connections from which idle ones are closed.
    note : callable
        Called with the reason if a limit closes the connection.
    """

    def __init__(
        self, *given: Any, limits: Limits, most: int, note: NoteClosing, **named: Any
    ) -> None:
        super().__init__(*given, **named)
        self._limits, self._most, self._note = limits, most, note
        self._n_unparsed = 0  # bytes since the last complete head or part of a body
        self._refusal = RequestError(400, "this is not a valid HTTP/1.1 request; correct it")
        self._last: Any = None  # the request that was the latest one at `idle_since`
        self.idle_since = monotonic()

    @property
    def is_busy(self) -> bool:
        """Whether a request is being answered; other limits apply to it."""
        cycle: Any = self.cycle  # None before the first request
        return cycle is not None and not cycle.response_complete

    def connection_made(self, transport: Any) -> None:
        """Accept a client; at the limit, close idle connections, or this one if none is idle."""
        super().connection_made(transport)
        if len(self.connections) > self._most and not close_oldest(self.connections, self):
            self.refuse(RequestError(503, "too many connections; try again", Retry_After="1"))

    def data_received(self, data: bytes) -> None:
        """Parse data, of which a head, a trailer or a chunk's extension may only use so much."""
        while len(data) > (room := self._limits.head - self._n_unparsed):
            if room <= 0:
                self.refuse(too_long(self._limits))
                return
            self.data_received(data[:room])  # long bodies, too, are parsed in such pieces
            if self.transport.is_closing():
                return
            data = data[room:]
        self._n_unparsed += len(data)
        super().data_received(data)
        if self._n_unparsed and len(self.headers or ()) > self._limits.headers:
            self.refuse(too_long(self._limits))

    def on_headers_complete(self) -> None:
        """Begin a request unless it has too many headers."""
        if len(self.headers) > self._limits.headers:
            self._refusal = too_long(self._limits)
            raise self._refusal  # the parser stops, and uvicorn calls send_400_response
        self._n_unparsed = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Pass on a part of a body."""
        self._n_unparsed = 0
        super().on_body(body)

    def eof_received(self) -> bool | None:  # type: ignore[override]
        """Answer a client that sends nothing more, if its last request is complete."""
        if not self.is_busy or self.cycle.more_body:
            return None
        self.cycle.keep_alive = False
        return True

    def send_400_response(self, msg: str) -> None:
        """Answer what the parser rejected."""
        self.refuse(self._refusal)

    def refuse(self, error: RequestError) -> None:
        """Send an error unless another answer has begun, and close the connection."""
        if self.transport.is_closing():
            return
        if not (self.is_busy and self.cycle.response_started):
            content = json.dumps({"error": error.error}).encode()
            headers = {
                "content-type": "application/json", "content-length": str(len(content)),
                "connection": "close", **error.headers,
            }  # fmt: skip
            lines = "".join(f"{name.lower()}: {value}\r\n" for name, value in headers.items())
            self.transport.write(STATUS_LINE[error.status] + f"{lines}\r\n".encode() + content)
        self._note(CLOSINGS[error.status])
        self.transport.close()

    def give_way(self) -> None:
        """Close the connection at once, to make room for another."""
        if not self.transport.is_closing():
            self._note(Closing.DISPLACED)
        self.transport.abort()

    def close_if_slow(self, now: float) -> None:
        """Close the connection if it has been without a new request for too long."""
        if self.is_busy:
            return
        if self.cycle is not self._last:
            self._last, self.idle_since = self.cycle, now
        elif now - self.idle_since > self._limits.seconds:
            if self.transport.is_closing():  # it waits for its client to read an answer
                self._note(Closing.SLOW_READER)
                self.transport.abort()
            elif self._n_unparsed:
                self.refuse(too_late(self._limits))
            else:
                self._note(Closing.IDLE)
                self.transport.close()


def close_slow(connections: Iterable[Any]) -> None:
    """Close the connections that have been without a new request for too long."""
    now = monotonic()
    for one in list(connections):
        one.close_if_slow(now)


def close_oldest(connections: Iterable[Any], new: Connection) -> bool:
    """Close the connections that are idle for longest; return whether there were any.

    Those that never sent a request are closed first, those that did so and are kept alive last.
    """
    idle = [one for one in connections if not one.is_busy and one is not new]
    idle.sort(key=lambda one: (one.cycle is not None, one.idle_since))
    n = max(1, int(CLOSED_AT_ONCE * len(idle)))
    for one in idle[:n]:
        one.give_way()
    return bool(idle)


def most_connections() -> int:
    """Return how many connections the limit on open files allows, with room for other files."""
    try:
        import resource
    except ImportError:  # Windows
        return MOST_CONNECTIONS
    n_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if n_files == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return min(MOST_CONNECTIONS, max(n_files - FOR_FILES, n_files // 4))


def too_long(limits: Limits) -> RequestError:
    """Return the error for headers that are too long or too many."""
    return RequestError(
        431, f"the headers have more than {limits.head:,} bytes, or are more than "
        f"{limits.headers}; send fewer",
    )  # fmt: skip


def too_late(limits: Limits) -> RequestError:
    """Return the error for headers that do not arrive in time."""
    return RequestError(408, f"the headers did not come within {limits.seconds:g} s; send it again")
