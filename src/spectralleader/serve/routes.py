"""Routes: what is answered to which request."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    Response,
    StreamingResponse,
)

from spectralleader.jobs.learn_result import list_topics
from spectralleader.page import describe_snapshot, render
from spectralleader.serve.inbox import ClosedError, FullError, OtherContentError, describe_error
from spectralleader.serve.metrics import Metrics
from spectralleader.serve.middleware import Scope
from spectralleader.serve.openapi import describe_api
from spectralleader.serve.request_batching import RequestBatcher
from spectralleader.serve.requests import Limits, RequestError, read_body, stopping
from spectralleader.serve.service import Service, read
from spectralleader.serve.slow_clients import Receive, Send
from spectralleader.text.annotations import ALL, AUTO
from spectralleader.text.snapshot import LevelledSnapshot, Snapshot
from spectralleader.text.topics import TextTopics

N_WORDS = 10  # of a topic
FEW = 20  # documents, and their characters, that are classified without another thread
SHORT = 20_000
BEAT = 1.0  # seconds between two events of the live page
ONE = "/topics/"  # the path of one topic, before its number
LIVE_LEVELS = (2, 4, 8, 16)  # of the live page's slider, beside all topics and those suggested

# As JSONResponse does it, by an encoder that is made once.
ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode

Endpoint = Callable[[Request], Awaitable[Response]]


class Routes:
    """The answers of a service, as an ASGI application.

    A table instead of an application of Starlette: its layers took a third of the time of /predict.
    """

    def __init__(self, service: Service, metrics: Metrics, limits: Limits) -> None:
        self.service, self.metrics, self.limits = service, metrics, limits
        self._batcher = RequestBatcher()
        self._endpoints: dict[str, tuple[Endpoint, str]] = {
            "/": (self.page, "GET"),
            "/live": (self.live, "GET"),
            "/topics": (self.topics, "GET"),
            "/trends": (self.trends, "GET"),
            "/events": (self.events, "GET"),
            "/predict": (self.predict, "POST"),
            "/learn": (self.learn, "POST"),
            "/model": (self.model, "GET"),
            "/healthz": (self.healthz, "GET"),
            "/readyz": (self.readyz, "GET"),
            "/metrics": (self.show_metrics, "GET"),
            "/openapi.json": (self.openapi, "GET"),
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        endpoint, method = self._find(scope["path"])
        if scope["method"] != method and (scope["method"], method) != ("HEAD", "GET"):
            allowed = "GET, HEAD" if method == "GET" else method
            raise RequestError(405, f"this path has other methods: {allowed}", Allow=allowed)
        response = await endpoint(Request(scope, receive))
        await response(scope, receive, send)

    def _find(self, path: str) -> tuple[Endpoint, str]:
        """Return what answers a path, and its method."""
        if path.startswith(ONE) and "/" not in path[len(ONE) :]:
            return self.topic, "GET"
        if (found := self._endpoints.get(path)) is None:
            raise RequestError(404, "unknown path; /openapi.json lists the paths")
        return found

    @property
    def _topics(self) -> TextTopics:
        if self.service.topics is None:
            raise RequestError(503, "the model is not loaded yet; try again", Retry_After="1")
        return self.service.topics

    async def topics(self, request: Request) -> Response:
        """List the topics of a level."""
        return JSONResponse(await self._list(request))

    async def _list(self, request: Request) -> dict[str, Any]:
        level = self._level(request)
        found: dict[str, Any] = await self._cached_answer(
            ("topics", level), lambda snapshot: show_topics(snapshot, level)
        )
        return found

    async def topic(self, request: Request) -> Response:
        """Show one topic, with its share over time."""
        found, level = await self._list(request), self._level(request)
        n, given = len(found["topics"]), request.scope["path"].removeprefix(ONE)
        if not given.isascii() or not given.isdecimal() or not 1 <= int(given[:9]) <= n:
            raise RequestError(404, f"there is no topic {given!r:.20}; ask for one from 1 to {n}")
        k = int(given) - 1
        trends = await self._cached_answer(
            ("trends", level), lambda snapshot: show_trends(snapshot, level)
        )
        over_time = [row for row in trends["trends"] if row["topic"] == k + 1]
        return JSONResponse({**found["topics"][k], "trend": over_time})

    async def trends(self, request: Request) -> Response:
        """Return the share of each topic over time."""
        level = self._level(request)
        found = await self._cached_answer(
            ("trends", level), lambda snapshot: show_trends(snapshot, level)
        )
        return JSONResponse(found)

    async def events(self, request: Request) -> Response:
        """Return what happened to the topics."""
        _ = self._topics
        service = self.service
        found = {"events": service.history(), "drifts_since": service.drifts_since}
        return JSONResponse({**found, "findings": await run_sync(service.findings)})

    async def predict(self, request: Request) -> Response:
        """Classify documents."""
        check_type(request)
        snapshot = await self._view(self._level(request))
        body = read_body(await read_all(request), snapshot.words, self.limits)
        size = sum(map(len, body.documents[:FEW]))
        if len(body.documents) <= FEW and size < SHORT:  # sooner done than handed over
            found = await self._batcher.read(snapshot, body.documents)
        else:
            found = await run_sync(read, snapshot, body.documents)
        told = {"level": snapshot.model.n_topics, "learned": snapshot.n_docs}
        content = ENCODE({"documents": found, **told}).encode()
        return Response(content, media_type="application/json")

    async def _view(self, level: int | str | None) -> Snapshot:
        """Return the topics of a level; all of them are at hand."""
        is_auto = self._topics.annotations.is_auto
        if level == ALL or (level is None and not is_auto):
            return self.service.snapshot()
        found: Snapshot = await self._cached_answer(
            ("view", level), lambda snapshot: snapshot.at(level)
        )
        return found

    async def learn(self, request: Request) -> Response:
        """Take documents to be learned: answered when they are on the disk."""
        check_type(request)
        words, inbox = self._topics.vectoriser.words, self.service.inbox
        body = read_body(await read_all(request), words, self.limits, ("id", "times"))
        if inbox is None:
            raise RequestError(
                409, "this service does not learn what is posted; start it without --learn or "
                "--read-only",
            )  # fmt: skip
        now = datetime.now(UTC).isoformat()
        column = "text" if body.kind == "texts" else "tokens"
        documents = [
            {column: document, "time": when or now}
            for document, when in zip(body.documents, body.times, strict=True)
        ]
        try:
            found = await run_sync(inbox.add, documents, body.id)
        except OtherContentError:
            raise RequestError(
                409, f"other documents came before as {body.id!r:.60}, and these were not "
                "accepted; give each request an id of its own, and change nothing to send it again",
            ) from None  # fmt: skip
        except ClosedError:
            raise stopping() from None
        except FullError:
            raise RequestError(
                429, "too many documents wait to be learned; try again later", Retry_After="10"
            ) from None
        except OSError as error:
            raise RequestError(
                507, f"nothing was accepted: {describe_error(error)}, then try again"
            ) from error
        return JSONResponse({"accepted": found.n_new, "duplicates": found.n_known}, 202)

    async def model(self, request: Request) -> Response:
        """Send the model file as it was saved last."""
        if not self.service.path.is_file():
            raise RequestError(404, "nothing is saved yet; try again after the first checkpoint")
        return FileResponse(
            self.service.path,
            media_type="application/octet-stream",
            filename=self.service.path.name,
        )

    async def healthz(self, request: Request) -> Response:
        """Say that the process is alive."""
        return JSONResponse({"status": "alive"})

    async def readyz(self, request: Request) -> Response:
        """Return whether it learns and answers, and if not, why."""
        problems = self.service.problems()
        return JSONResponse({"ready": not problems, "problems": problems}, 503 if problems else 200)

    async def show_metrics(self, request: Request) -> Response:
        """Return the metrics."""
        text = await run_sync(self.metrics.text)
        return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    async def openapi(self, request: Request) -> Response:
        """Describe all of this."""
        return JSONResponse(describe_api(self.limits))

    async def page(self, request: Request) -> Response:
        """Return the live page; what it shows follows as events."""
        _ = self._topics
        page = await run_sync(lambda: render(self._content(), live=True))
        return HTMLResponse(page)

    def _content(self) -> dict[str, Any]:
        title = f"Topics of {self.service.path.name}"

        def describe(snapshot: LevelledSnapshot) -> dict[str, Any]:
            content = describe_snapshot(snapshot, title=title, levels=LIVE_LEVELS)
            result = self.service.result
            return {**content, "losses": [] if result is None else result.curve.rows()}

        found: dict[str, Any] = self.service.answers.get("page", self._topics, describe)
        return found

    async def live(self, request: Request) -> Response:
        """Send events for the live page, until it is closed."""
        _ = self._topics
        return StreamingResponse(self._beats(request), media_type="text/event-stream")

    async def _beats(self, request: Request) -> AsyncIterator[str]:
        shown, service = None, self.service
        while not service.ending.is_set():
            content = await run_sync(self._content)
            if content is not shown:
                shown = content
                yield event("content", content)
            yield event("pulse", await run_sync(self._pulse))
            await asyncio.sleep(BEAT)

    def _pulse(self) -> dict[str, Any]:
        service = self.service
        assert service.topics is not None
        return {
            "n_docs": service.topics.n_docs,
            "rate": round(service.rate, 1),
            "lag": service.lag if service.learns and not service.is_ended else "",
            "learns": service.learns and not service.is_ended,
            "problems": service.problems(),
            "points": [tuple(point) for point in service.points],
            "latest": list(service.latest),
            "events": [*service.findings(), *service.messages],
        }

    def _level(self, request: Request) -> int | str | None:
        if not request.scope["query_string"]:  # sooner seen than parsed
            return None
        n = self._topics.learner.n_topics
        given = request.query_params.get("level")
        if given is None or given in (AUTO, ALL):
            return given
        if not given.isascii() or not given.isdecimal() or not 1 <= int(given[:9]) <= n:
            raise RequestError(
                400, f"level is a number from 1 to {n}, auto or all, not {given!r:.20}"
            )
        return int(given)

    async def _cached_answer(self, key: Any, read: Callable[[LevelledSnapshot], Any]) -> Any:
        answers, topics = self.service.answers, self._topics
        if answers.has(key, topics):
            return answers.get(key, topics, read)
        return await run_sync(answers.get, key, topics, read)


def show_topics(snapshot: LevelledSnapshot, level: int | str | None) -> dict[str, Any]:
    """Return the topics of a level."""
    view = snapshot.at(level)
    listed = list_topics(view, N_WORDS)
    return {"documents": view.n_docs, "level": view.model.n_topics, "topics": listed}


def show_trends(snapshot: LevelledSnapshot, level: int | str | None) -> dict[str, Any]:
    """Return shares over time, at a level."""
    return {"level": snapshot.at(level).model.n_topics, "trends": snapshot.trends(level).rows()}


async def read_all(request: Request) -> bytes:
    """Return the body of a request, which comes as a whole."""
    body: bytes = (await request.receive())["body"]
    return body


def event(name: str, value: Any) -> str:
    """Return an event of a stream; JSON has no line feed."""
    return f"event: {name}\ndata: {json.dumps(value, ensure_ascii=False)}\n\n"


def check_type(request: Request) -> None:
    """Raise unless a body is plain JSON: other sites cannot have a browser send that."""
    headers = dict(request.scope["headers"])  # half the time of Starlette's Headers
    kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if kind != b"application/json":
        raise RequestError(415, "send JSON, with Content-Type: application/json")
    encoding = headers.get(b"content-encoding", b"").strip().lower()
    if encoding not in (b"", b"identity"):
        given = encoding.decode("latin-1")
        raise RequestError(
            415, f"Content-Encoding {given!r:.40} is not supported; send the body uncompressed, "
            "without Content-Encoding", Accept_Encoding="identity",
        )  # fmt: skip
