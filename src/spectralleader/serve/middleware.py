"""Middleware around all routes: authentication, limits, and timing of requests."""

from __future__ import annotations

import asyncio
import base64
import hmac
import threading
from binascii import Error as Base64Error
from collections.abc import Awaitable, Callable, MutableMapping
from time import perf_counter
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse

from spectralleader.serve.metrics import Metrics
from spectralleader.serve.requests import Limits, RequestError, stopping
from spectralleader.serve.slow_clients import ClientWaits, Message, Receive, Send, too_large

Scope = MutableMapping[str, Any]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

NO_TOKEN = ("/healthz", "/readyz", "/metrics", "/openapi.json")  # reveal no documents
PROBES = ("/healthz", "/readyz")  # of load balancers, which send any Host or none
LOOPBACK = ("127.0.0.1", "localhost", "::1")
PATH_LABELS = {  # labels in metrics: arbitrary paths of clients must not become labels
    "/": "/", "/live": "/live", "/topics": "/topics", "/trends": "/trends", "/events": "/events",
    "/predict": "/predict", "/learn": "/learn", "/model": "/model",
    **{path: path for path in NO_TOKEN},
}  # fmt: skip
HUNG_UP = 499  # status in metrics if the client disconnected, as in nginx
HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
]


class Middleware:
    """Rejects requests without a token, for other hosts, too many or too large; times the rest.

    Parameters
    ----------
    app : callable
        The routes.
    token : bytes, optional
        Required from clients; if None, requests need no token.
    hosts : tuple of str, optional
        Accepted values of the Host header; any if None. This prevents DNS rebinding: a page of
        another site cannot send requests in a visitor's name.
    ending : Event, optional
        Set when the service stops, which ends the wait for incomplete bodies.
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
        self._app, self._limits, self._metrics = app, limits, metrics
        self._waiting = ClientWaits(limits, ending or threading.Event(), metrics.note_closing)
        self._token, self._hosts = token, hosts
        self._n_running = self._n_watching = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path, began, status, is_begun = scope["path"], perf_counter(), 500, False
        name = PATH_LABELS.get(path) or ("/topics/{id}" if path.startswith("/topics/") else "other")
        is_live, is_read = path == "/live", False

        async def receive_all() -> Message:
            nonlocal is_read
            if is_read:
                return await receive()
            is_read = True
            self._n_running -= 1  # while it waits for its client
            try:
                body = await self._waiting.read(receive)
            finally:
                self._n_running += 1
            self._check_slots()
            return {"type": "http.request", "body": body, "more_body": False}

        async def send_more(message: Message) -> None:
            nonlocal status, is_begun
            if message["type"] == "http.response.start":
                status, is_begun = message["status"], True
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            elif message.get("more_body", False):  # only then does the server wait for the client
                self._n_running -= 1
                try:
                    await self._waiting.send(send, message)
                finally:
                    self._n_running += 1
                return
            await send(message)

        self._n_running += not is_live
        self._n_watching += is_live
        try:
            self._check(scope, path)
            await self._app(scope, receive_all, send_more)
        except RequestError as error:
            if not is_begun:
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
        if path not in PROBES:
            self._check_host(headers)
        if path not in NO_TOKEN:
            self._check_token(headers)
            self._check_slots()
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > self._limits.body:
            raise too_large(self._limits)

    def _check_slots(self) -> None:
        if self._n_running > self._limits.requests or self._n_watching > self._limits.watchers:
            raise RequestError(429, "too many requests at once; try again", Retry_After="1")

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


def read_token(header: bytes) -> bytes:
    """Return the token in an Authorization header: a bearer token, or the password."""
    kind, _, value = header.partition(b" ")
    if kind.lower() == b"basic":
        try:
            return base64.b64decode(value.strip(), validate=True).partition(b":")[2]
        except (Base64Error, ValueError):
            return b""
    return value.strip() if kind.lower() == b"bearer" else b""


def failed() -> RequestError:
    """Return the error for an unexpected exception."""
    return RequestError(500, "the service failed; its log says how")


def answer_error(error: RequestError) -> JSONResponse:
    """Return the answer that says what is wrong and what to do."""
    return JSONResponse({"error": error.error}, error.status, error.headers)
