"""The ASGI application: checks a request, finds what answers it, and times that."""

from __future__ import annotations

import asyncio
import base64
import hmac
import logging
import os
import re
import stat
from pathlib import Path
from time import perf_counter
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from spectralleader.serve.handlers import EVENTS, JSON, Handlers, Request, as_json
from spectralleader.serve.log import LOGGER, RefusalLog, log
from spectralleader.serve.messages import Error, RequestError, stopping, try_again
from spectralleader.serve.routes import Route, find_route

Headers = dict[bytes, bytes]

PROBES = ("/healthz", "/readyz")  # of load balancers, which send any Host or none
# Other characters cannot be sent in a header, or not the same way by all clients.
TOKEN = re.compile(rb"[!-~]{16,}")
LOOPBACK = ("127.0.0.1", "localhost", "::1")
FAILED = "an answer failed"
HUNG_UP = 499  # status in metrics if the client disconnected, as in nginx
# Answers hold texts of users: browsers must not keep, pass on or reinterpret them.
HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
]


class Tokens:
    """The tokens of clients, in files that are read again after `is_stale` was set.

    Parameters
    ----------
    all, reading : path, optional
        File of the token for all requests, and of that for requests that change nothing.
    """

    def __init__(self, all: str | Path | None = None, reading: str | Path | None = None) -> None:
        self._files = all, reading
        self.are_needed = any(self._files)
        self.is_stale = False  # set by a signal handler, which must do no more than that
        self._all, self._reading = map(read_secret, self._files)

    def check(self, given: bytes, *, changes: bool) -> None:
        """Raise `RequestError` unless a token allows a request."""
        if self.is_stale:
            self._renew()
        # Compared in constant time, which reveals nothing about the tokens.
        is_all, is_reading = (
            known is not None and hmac.compare_digest(given, known)
            for known in (self._all, self._reading)
        )
        if is_reading and changes and not is_all:
            raise RequestError(403, "this token only reads; send that of --token-file")
        if not (is_all or is_reading):
            raise RequestError(
                401,
                "send the token of --token-file, as Authorization: Bearer TOKEN, or as the "
                "password of any user",
                WWW_Authenticate='Basic realm="spectralleader", charset="UTF-8"',
            )

    def _renew(self) -> None:
        self.is_stale = False
        try:
            self._all, self._reading = map(read_secret, self._files)
        except (ValueError, OSError) as error:
            log("tokens", f"the tokens remain as they were: {error}", logging.WARNING)
        else:
            log("tokens", "the tokens were read again")


def read_secret(file: str | Path | None) -> bytes | None:
    """Return the token in a file; raise `ValueError` if it is not safe."""
    if file is None:
        return None
    if not (path := Path(file)).is_file():
        raise ValueError(f"the file of the token, {path}, does not exist")
    token = path.read_bytes().strip()
    # The group is left alone: Kubernetes gives secrets to a pod by its group.
    if os.name != "nt" and path.stat().st_mode & stat.S_IROTH:
        log("tokens", f"all users can read the token; run chmod 600 {path}", logging.WARNING)
    if TOKEN.fullmatch(token) is None:
        raise ValueError(
            f"the token in {path} must be one line of at least 16 visible ASCII characters, "
            "without spaces or a byte order mark; make one with: openssl rand -hex 32 > "
            f"{path}"
        )
    return token


class Application:
    """Answers requests, unless they lack a token, are for other hosts, too many or too large.

    A table of routes instead of an application of Starlette, whose layers took a third of the time
    of /predict.

    Parameters
    ----------
    handlers : Handlers
        What answers.
    tokens : Tokens, optional
        Of which clients must send one.
    hosts : tuple of str
        Accepted values of the Host header; any if there are none. Prevents DNS rebinding: a page of
        another site cannot send requests in a visitor's name.
    """

    def __init__(
        self, handlers: Handlers, tokens: Tokens | None = None, hosts: tuple[str, ...] = ()
    ) -> None:
        self._handlers, self._tokens, self._hosts = handlers, tokens or Tokens(), hosts
        self._refusals = RefusalLog()
        self._options = handlers.options
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
            LOGGER.exception(FAILED)
        finally:
            if route is None or route.answer != EVENTS:
                # arbitrary paths of clients must not become labels
                path = "other" if route is None else route.path
                self._handlers.metrics.note(path, status, perf_counter() - began)

    async def _respond(self, route: Route | None, scope: Scope, receive: Receive) -> Response:
        """Return the answer to a request, also if it is an error."""
        try:
            headers = dict(scope["headers"])
            # Of two hosts, the proxy before this service may have checked the other one.
            if sum(name == b"host" for name, _ in scope["headers"]) > 1:
                raise RequestError(400, "send one Host header")
            self._check_client(route, scope["path"], headers)
            if route is None:
                raise RequestError(404, "unknown path; /openapi.json lists the paths")
            if scope["method"] not in route.methods:
                allowed = ", ".join(route.methods)
                raise RequestError(405, f"this path has other methods: {allowed}", Allow=allowed)
            body = b""
            if route.body is not None:
                body = await receive_json(headers, receive, self._options.max_body)
            answer = await self._answer(route, Request(scope["path"], scope["query_string"], body))
            return answer if isinstance(answer, Response) else as_json(answer, route.status)
        except RequestError as wrong:
            error = wrong
            client, _ = scope.get("client") or ("?", 0)
            self._refusals.note(error.status, client, error.error)
        except asyncio.CancelledError:  # at the end of the service, and not an error of its own
            error = stopping()
        except ClientDisconnect:
            raise
        except Exception:
            LOGGER.exception(FAILED)  # clients must not see it
            error = RequestError(500, "the service failed; its log says how")
        return as_json(Error(error.error), error.status, error.headers)

    async def _answer(self, route: Route, request: Request) -> Any:
        """Return what a handler answers, unless too many are answering."""
        if route.is_open:
            return await route.handler(self._handlers, request)
        if self._n_running >= self._options.max_requests:
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
        if self._tokens.are_needed and not (route is not None and route.is_open):
            self._tokens.check(read_token(headers), changes=route is None or route.changes)


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
