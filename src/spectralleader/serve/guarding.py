"""Middleware around all routes: authentication, limits, and timing of requests."""

from __future__ import annotations

import asyncio
import base64
import hmac
import threading
from binascii import Error as Base64Error
from collections.abc import Awaitable, Callable, MutableMapping
from time import monotonic, perf_counter
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse

from spectralleader.serve.metrics import Metrics
from spectralleader.serve.requests import Limits, RequestError, stopping

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

OPEN = ("/healthz", "/readyz", "/metrics", "/openapi.json")  # tell nothing of documents
LOOPBACK = ("127.0.0.1", "localhost", "::1")
SHOWN = {  # as paths are called in metrics: those that a client makes up must not be labels
    "/": "/", "/live": "/live", "/topics": "/topics", "/trends": "/trends", "/events": "/events",
    "/predict": "/predict", "/learn": "/learn", "/model": "/model", **{path: path for path in OPEN},
}  # fmt: skip
HUNG_UP = 499  # status in metrics of a request whose client did not wait, as nginx has it
LOOK_EVERY = 0.5  # seconds after which who waits for a body looks whether the service stops
HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
]


class Guarding:
    """Rejects requests without a token, for other hosts, too many or too large; times the rest.

    Parameters
    ----------
    app : callable
        The routes.
    token : bytes, optional
        What a client must know; None: everybody may ask.
    hosts : tuple of str, optional
        Names by which the service may be called, None: any. A page of another site that has its
        name lead here cannot ask in a visitor's name.
    ending : Event, optional
        Set when the service stops: bodies that have not come yet are waited for no more.
    """

    def __init__(
        self,
        app: App,
        limits: Limits,
        metrics: Metrics,
        *,
        token: bytes | None = None,
        hosts: tuple[str, ...] | None = None,
        ending: threading.Event | None = None,
    ) -> None:
        self._ending = ending or threading.Event()
        self._app, self._limits, self._metrics = app, limits, metrics
        self._token, self._hosts = token, hosts
        self._n_running = self._n_watching = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path, began, status, is_begun = scope["path"], perf_counter(), 500, False
        name = SHOWN.get(path) or ("/topics/{id}" if path.startswith("/topics/") else "other")
        is_live = path == "/live"

        async def send_more(message: Message) -> None:
            nonlocal status, is_begun
            if message["type"] == "http.response.start":
                status, is_begun = message["status"], True
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)

        self._n_running += not is_live
        self._n_watching += is_live
        try:
            self._check(scope, path)
            await self._app(scope, self._limited(receive), send_more)
        except RequestError as error:
            await answer_error(error)(scope, receive, send_more)
        except asyncio.CancelledError:  # at the end of the service, and not an error of its own
            if not is_begun:
                await answer_error(stopping())(scope, receive, send_more)
        except ClientDisconnect:  # the client is gone: there is no one to answer
            status = HUNG_UP
        except Exception:  # what it was is for the log alone, which the server writes
            if not is_begun:
                await answer_error(failed())(scope, receive, send_more)
            raise
        finally:
            self._n_running -= not is_live
            self._n_watching -= is_live
            if not is_live:
                self._metrics.note(name, status, perf_counter() - began)

    def _check(self, scope: Scope, path: str) -> None:
        headers = dict(scope["headers"])
        self._check_host(headers)
        if path not in OPEN:
            self._check_token(headers)
            if self._n_running > self._limits.requests or self._n_watching > self._limits.watchers:
                raise RequestError(429, "too many requests at once; try again", Retry_After="1")
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > self._limits.body:
            raise too_large(self._limits)

    def _check_host(self, headers: dict[bytes, bytes]) -> None:
        if self._hosts is None:
            return
        given = headers.get(b"host", b"").decode("latin-1").lower()
        name = given.rpartition(":")[0] if not given.endswith("]") and ":" in given else given
        if name.strip("[]") not in self._hosts:
            raise RequestError(
                403,
                f"without a token this service answers to {', '.join(self._hosts)} only, not to "
                f"{given!r:.60}; start it with --token-file to use other names",
            )

    def _check_token(self, headers: dict[bytes, bytes]) -> None:
        if self._token is None:
            return
        given = read_token(headers.get(b"authorization", b""))
        # Compared in constant time, which reveals nothing about the token.
        if not hmac.compare_digest(given, self._token):
            raise RequestError(
                401,
                "send the token of --token-file, as Authorization: Bearer TOKEN, or as the "
                "password of any user",
                WWW_Authenticate='Basic realm="spectralleader", charset="UTF-8"',
            )

    def _limited(self, receive: Receive) -> Receive:
        """Return a stream of the body that raises if the body is too large or too slow."""
        n_read, is_read, end = 0, False, monotonic() + self._limits.seconds

        async def receive_some() -> Message:
            nonlocal n_read, is_read
            message = await (receive() if is_read else self._receive_until(end, receive))
            is_read = not message.get("more_body", False)
            n_read += len(message.get("body", b""))
            if n_read > self._limits.body:
                raise too_large(self._limits)
            return message

        return receive_some

    async def _receive_until(self, end: float, receive: Receive) -> Message:
        """Return the next part of a body; raise if it does not arrive in time."""
        while True:
            try:
                async with asyncio.timeout(min(LOOK_EVERY, max(0.0, end - monotonic()))):
                    return await receive()
            except TimeoutError:
                if self._ending.is_set():
                    raise stopping() from None
                if monotonic() >= end:
                    raise too_slow(self._limits) from None


def read_token(header: bytes) -> bytes:
    """Return the token in an Authorization header: a bearer token, or the password."""
    kind, _, value = header.partition(b" ")
    if kind.lower() == b"basic":
        try:
            return base64.b64decode(value.strip(), validate=True).partition(b":")[2]
        except (Base64Error, ValueError):
            return b""
    return value.strip() if kind.lower() == b"bearer" else b""


def too_large(limits: Limits) -> RequestError:
    """Return the error for a body that is too large."""
    return RequestError(413, f"the body has more than {limits.body:,} bytes; send fewer documents")


def too_slow(limits: Limits) -> RequestError:
    """Return the error for a body that does not arrive in time."""
    said = f"the body did not come within {limits.seconds:g} s; send it again, in smaller parts"
    return RequestError(408, said, Connection="close")


def failed() -> RequestError:
    """Return the error for an unexpected exception."""
    return RequestError(500, "the service failed; its log says how")


def answer_error(error: RequestError) -> JSONResponse:
    """Return the answer that says what is wrong and what to do."""
    return JSONResponse({"error": error.error}, error.status, error.headers)
