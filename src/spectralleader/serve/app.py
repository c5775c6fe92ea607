"""The ASGI application: checks a request, finds what answers it, and times that."""

from __future__ import annotations

import asyncio
import base64
import hmac
import sys
import traceback
from time import perf_counter
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from spectralleader.serve.handlers import EVENTS, JSON, Handlers, Request, as_json
from spectralleader.serve.messages import Error, Limits, RequestError, stopping, try_again
from spectralleader.serve.routes import Route, find_route

Headers = dict[bytes, bytes]

PROBES = ("/healthz", "/readyz")  # of load balancers, which send any Host or none
LOOPBACK = ("127.0.0.1", "localhost", "::1")
HUNG_UP = 499  # status in metrics if the client disconnected, as in nginx
# Answers hold texts of users: browsers must not keep, pass on or reinterpret them.
HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
]


class Application:
    """Answers requests, unless they lack a token, are for other hosts, too many or too large.

    A table of routes instead of an application of Starlette, whose layers took a third of the time
    of /predict.

    Parameters
    ----------
    handlers : Handlers
        What answers.
    token : bytes, optional
        Required from clients; if None, requests need no token.
    hosts : tuple of str
        Accepted values of the Host header; any if there are none. Prevents DNS rebinding: a page of
        another site cannot send requests in a visitor's name.
    """

    def __init__(
        self, handlers: Handlers, token: bytes | None = None, hosts: tuple[str, ...] = ()
    ) -> None:
        self._handlers, self._token, self._hosts = handlers, token, hosts
        self._limits: Limits = handlers.limits
        self._n_running = 0  # requests whose answers are being computed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        began, route, status = perf_counter(), find_route(scope["path"]), HUNG_UP
        try:
            response = await self._respond(route, scope, receive)
            status = response.status_code
            response.raw_headers.extend(HEADERS)
            await response(scope, receive, send)
        except ClientDisconnect:  # there is no one to answer
            pass
        except Exception:  # the answer had begun: the server closes the connection
            log_exception()
        finally:
            if route is None or route.answer != EVENTS:
                # arbitrary paths of clients must not become labels
                path = "other" if route is None else route.path
                self._handlers.metrics.note(path, status, perf_counter() - began)

    async def _respond(self, route: Route | None, scope: Scope, receive: Receive) -> Response:
        """Return the answer to a request, also if it is an error."""
        try:
            headers = dict(scope["headers"])
            self._check_client(route, scope["path"], headers)
            if route is None:
                raise RequestError(404, "unknown path; /openapi.json lists the paths")
            if scope["method"] not in route.methods:
                allowed = ", ".join(route.methods)
                raise RequestError(405, f"this path has other methods: {allowed}", Allow=allowed)
            body = b""
            if route.body is not None:
                body = await receive_json(headers, receive, self._limits.body)
            answer = await self._answer(route, Request(scope["path"], scope["query_string"], body))
            return answer if isinstance(answer, Response) else as_json(answer, route.status)
        except RequestError as wrong:
            error = wrong
        except asyncio.CancelledError:  # at the end of the service, and not an error of its own
            error = stopping()
        except ClientDisconnect:
            raise
        except Exception:
            log_exception()
            error = RequestError(500, "the service failed; its log says how")
        return as_json(Error(error.error), error.status, error.headers)

    async def _answer(self, route: Route, request: Request) -> Any:
        """Return what a handler answers, unless too many are answering."""
        if route.is_open:
            return await route.handler(self._handlers, request)
        if self._n_running >= self._limits.requests:
            raise try_again(429, "too many requests at once")
        # Only computing takes one of the places, so that slow clients leave them to others.
        self._n_running += 1
        try:
            return await route.handler(self._handlers, request)
        finally:
            self._n_running -= 1

    def _check_client(self, route: Route | None, path: str, headers: Headers) -> None:
        """Raise unless a request is for a name of this service, and has its token."""
        host = headers.get(b"host", b"").decode("latin-1").lower()
        name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
        if self._hosts and path not in PROBES and name.strip("[]") not in self._hosts:
            raise RequestError(
                403,
                f"without a token this service answers to {', '.join(self._hosts)} only, not to "
                f"{host!r:.60}; start it with --token-file to use other names",
            )
        if self._token is None or (route is not None and route.is_open):
            return
        # Compared in constant time, which reveals nothing about the token.
        if not hmac.compare_digest(read_token(headers), self._token):
            raise RequestError(
                401,
                "send the token of --token-file, as Authorization: Bearer TOKEN, or as the "
                "password of any user",
                WWW_Authenticate='Basic realm="spectralleader", charset="UTF-8"',
            )


async def receive_json(headers: Headers, receive: Receive, most: int) -> bytes:
    """Return the body of a request, of limited size; the proxy limits the time to receive it."""
    # Plain JSON only: other sites cannot have a browser send that.
    kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if kind != JSON.encode():
        raise RequestError(415, f"send JSON, with Content-Type: {JSON}")
    coding = headers.get(b"content-encoding", b"identity").strip().decode("latin-1").lower()
    if coding != "identity":
        wrong = f"Content-Encoding {coding!r:.40} is not supported; send the body uncompressed, "
        raise RequestError(415, f"{wrong}without Content-Encoding", Accept_Encoding="identity")
    body, is_incomplete = bytearray(), True
    while is_incomplete:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body += message.get("body", b"")
        # Counted, not asked for: a chunked body does not say how long it is.
        if len(body) > most:
            raise RequestError(413, f"the body has more than {most:,} bytes; send fewer documents")
        is_incomplete = bool(message.get("more_body", False))
    return bytes(body)


def read_token(headers: Headers) -> bytes:
    """Return the token of a request: a bearer token, or the password."""
    kind, _, value = headers.get(b"authorization", b"").partition(b" ")
    if kind.lower() == b"basic":
        try:
            return base64.b64decode(value.strip(), validate=True).partition(b":")[2]
        except ValueError:
            return b""
    return value.strip() if kind.lower() == b"bearer" else b""


def log_exception() -> None:
    """Print the traceback of the current exception, which clients must not see."""
    print(traceback.format_exc(), end="", file=sys.stderr, flush=True)
