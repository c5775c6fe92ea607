"""ClientWaits: requests that wait for slow clients, bounded in number, bytes and time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, MutableMapping
from time import monotonic
from typing import Any

from starlette.requests import ClientDisconnect

from spectralleader.serve.closings import Closing, NoteClosing
from spectralleader.serve.requests import Limits, RequestError, stopping

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

CHECK_EVERY = 0.5  # seconds between checks whether a client is too slow


class ClientWaits:
    """The requests that wait for their clients: for a body, or until an answer is received.

    They use no slot of `Limits.requests`. If there are too many, or they hold too many bytes, the
    one that has waited longest is cancelled, so that slow clients cannot keep others out. `note` is
    called with the reason if a request is cancelled.
    """

    def __init__(self, limits: Limits, ending: threading.Event, note: NoteClosing) -> None:
        self.limits, self.ending, self.note = limits, ending, note
        self.waits: dict[ClientWait, None] = {}  # the oldest first

    async def read(self, receive: Receive) -> bytes:
        """Return the body of a request.

        Raises
        ------
        RequestError
            If it is too large, or does not arrive in time.
        ClientDisconnect
            If the client hung up.
        """
        parts = list[bytes]()
        with ClientWait(self, Closing.SLOW_BODY) as wait:
            more = True
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientDisconnect
                parts.append(message.get("body", b""))
                wait.n_bytes += len(parts[-1])
                if wait.n_bytes > self.limits.body:
                    raise too_large(self.limits)
                if more := message.get("more_body", False):
                    self.make_room()
        return b"".join(parts)

    async def send(self, send: Send, message: Message) -> None:
        """Send a part of an answer; raise if the client does not take it in time."""
        with ClientWait(self, Closing.SLOW_READER):
            await send(message)

    def make_room(self) -> None:
        """Give up the oldest waits until few enough, of few enough bytes, are left."""
        while len(self.waits) > self.limits.waiting or self._n_bytes() > self.limits.held:
            oldest = next(iter(self.waits))
            del self.waits[oldest]
            self.note(Closing.TOO_MANY_SLOW)
            oldest.give_up(too_slow(self.limits))

    def _n_bytes(self) -> int:
        return sum(wait.n_bytes for wait in self.waits)


class ClientWait:
    """A request that waits for its client while this is entered.

    Parameters
    ----------
    waiting : ClientWaits
        All of them.
    reason : Closing
        Why it is given up if it waits for too long.
    """

    __slots__ = ("_end", "_error", "_loop", "_reason", "_task", "_timer", "_waiting", "n_bytes")

    def __init__(self, waiting: ClientWaits, reason: Closing) -> None:
        self._waiting, self._end = waiting, monotonic() + waiting.limits.seconds
        self._reason = reason
        self._error: RequestError | None = None  # why it was given up
        self._loop = asyncio.get_running_loop()
        self._task: asyncio.Task[Any] = asyncio.current_task()  # type: ignore[assignment]
        self.n_bytes = 0  # held by it

    def __enter__(self) -> ClientWait:
        self._waiting.waits[self] = None
        if len(self._waiting.waits) > self._waiting.limits.waiting:
            self._waiting.make_room()
        # One timer that checks the clock: asyncio.timeout takes 10 us of a request.
        self._timer = self._loop.call_later(CHECK_EVERY, self._check)
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._timer.cancel()
        self._waiting.waits.pop(self, None)
        if self._error is not None and isinstance(error, asyncio.CancelledError):
            self._task.uncancel()
            raise self._error from None

    def _check(self) -> None:
        if self._waiting.ending.is_set():
            self.give_up(stopping())
        elif monotonic() >= self._end:
            self._waiting.note(self._reason)
            self.give_up(too_slow(self._waiting.limits))
        else:
            self._timer = self._loop.call_later(CHECK_EVERY, self._check)

    def give_up(self, error: RequestError) -> None:
        """Have the request raise an error instead of waiting on."""
        self._error = error
        self._task.cancel()


def too_large(limits: Limits) -> RequestError:
    """Return the error for a body that is too large."""
    return RequestError(413, f"the body has more than {limits.body:,} bytes; send fewer documents")


def too_slow(limits: Limits) -> RequestError:
    """Return the error for a body that does not arrive in time."""
    message = (
        f"the body did not come within {limits.seconds:g} s, or others waited for its place; send "
        "it again, in smaller parts"
    )
    return RequestError(408, message, Connection="close")
