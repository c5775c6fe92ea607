"""Handlers: what is answered to each request; what takes long is cached, or computed for many."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable
from time import monotonic, thread_time
from typing import Any, NamedTuple
from urllib.parse import parse_qs

import msgspec
from anyio.to_thread import run_sync
from starlette.responses import FileResponse, HTMLResponse, Response, StreamingResponse

from spectralleader.page import describe_snapshot, render
from spectralleader.reading.annotations import ALL, AUTO
from spectralleader.reading.snapshot import LevelledSnapshot, Snapshot, list_topics
from spectralleader.runtime.locks import lock_of
from spectralleader.serve import messages
from spectralleader.serve.messages import (
    Limits,
    RequestError,
    read_body,
    read_times,
    try_again,
)
from spectralleader.serve.metrics import Metrics
from spectralleader.serve.service import RENEW, SHARE, Service, read
from spectralleader.topics.text_topics import TextTopics

N_WORDS = 10  # of a topic
FEW = 20  # documents, and their characters, that are classified without another thread
SHORT = 20_000
BEAT = 1.0  # seconds between two events of the live page
LIVE_LEVELS = (2, 4, 8, 16)  # of the live page's slider, beside all topics and those suggested
JSON, EVENTS = "application/json", "text/event-stream"
Level = int | str | None  # a number of topics, auto, all, or None for the default
PAUSE = 4  # as SHARE, for work that takes t seconds of CPU time and blocks nothing
METRICS = "text/plain; version=0.0.4; charset=utf-8"  # Prometheus asks for the version


class Request(NamedTuple):
    """What handlers read of a request."""

    path: str
    query: bytes
    body: bytes  # whole


class Handlers:
    """What answers the requests of a service."""

    def __init__(self, service: Service, metrics: Metrics, limits: Limits) -> None:
        self.service, self.metrics, self.limits = service, metrics, limits
        self._answers, self._batcher = AnswerCache(), RequestBatcher()
        self._n_watching = 0  # open live pages

    @property
    def _topics(self) -> TextTopics:
        if self.service.topics is None:
            raise try_again(503, "the model is not loaded yet")
        return self.service.topics

    async def topics(self, request: Request) -> Response:
        """List the topics."""
        return as_json(await self._read(list_level, self._level(request)))

    async def topic(self, request: Request) -> Response:
        """Show a topic and its share over time."""
        level, given = self._level(request), request.path.rpartition("/")[2]
        topics, trends = await self._read(list_level, level), await self._read(list_trends, level)
        n = topics["level"]
        if (number := read_number(given, n)) is None:
            raise RequestError(404, f"there is no topic {given!r:.20}; ask for one from 1 to {n}")
        over_time = [row for row in trends["trends"] if row["topic"] == number]
        return as_json({**topics["topics"][number - 1], "trend": over_time})

    async def trends(self, request: Request) -> Response:
        """Show the shares of topics over time."""
        return as_json(await self._read(list_trends, self._level(request)))

    async def events(self, request: Request) -> Response:
        """Show what happened to the topics, and whether the stream drifts."""
        _, service = self._topics, self.service
        findings = await run_sync(service.findings)
        return as_json(messages.Events(service.history, service.drifts_since, findings))

    async def predict(self, request: Request) -> Response:
        """Classify documents; nothing is learned."""
        snapshot = await self._view(self._level(request))
        documents, _ = read_body(request.body, messages.Documents, snapshot.words, self.limits)
        if len(documents) <= FEW and sum(map(len, documents)) < SHORT:  # sooner done than passed on
            rows = await self._batcher.read(snapshot, documents)
        else:
            rows = await run_sync(read, snapshot, documents)
        told = {"level": snapshot.model.n_topics, "learned": snapshot.n_docs}
        return as_json({"documents": rows, **told})

    async def learn(self, request: Request) -> Response:
        """Have documents learned, each once.

        Answered when they are on the disk: what is accepted is learned, also after a crash. A
        request that is sent again with the same id is not learned twice.
        """
        words = self._topics.vectoriser.words
        documents, body = read_body(request.body, messages.NewDocuments, words, self.limits)
        times = read_times(body.times, len(documents))
        column = "text" if body.form == "texts" else "tokens"
        rows = [{column: given, "time": time} for given, time in zip(documents, times, strict=True)]
        if (inbox := self.service.inbox) is None:
            raise RequestError(
                409, "this service does not learn what is posted; start it without --learn or "
                "--read-only",
            )  # fmt: skip
        try:
            n_new, n_known = await run_sync(inbox.add, rows, body.id)
        except OSError as error:
            raise RequestError(507, f"nothing was accepted: {error}, then try again") from error
        return as_json(messages.Receipt(n_new, n_known), 202)

    async def model(self, request: Request) -> Response:
        """Send the model file as it was saved last."""
        path = self.service.path
        if not path.is_file():
            raise RequestError(404, "nothing is saved yet; try again after the first checkpoint")
        return FileResponse(path, media_type="application/octet-stream", filename=path.name)

    async def healthz(self, request: Request) -> Response:
        """Tell that the process is alive."""
        return as_json(messages.Health("alive"))

    async def readyz(self, request: Request) -> Response:
        """Tell whether it learns and answers, and if not, why."""
        problems = await run_sync(self.service.problems)  # it may wait for the disk
        return as_json(messages.Readiness(not problems, problems), 503 if problems else 200)

    async def show_metrics(self, request: Request) -> Response:
        """Show metrics for Prometheus."""
        return Response(await run_sync(self.metrics.text), media_type=METRICS)

    async def page(self, request: Request) -> Response:
        """Show the live page."""
        content = await self._content()
        return HTMLResponse(await run_sync(lambda: render(content, live=True)))

    async def _content(self) -> Any:
        title = f"Topics of {self.service.path.name}"

        def describe(snapshot: LevelledSnapshot) -> dict[str, Any]:
            content = describe_snapshot(snapshot, title=title, levels=LIVE_LEVELS)
            result = self.service.result
            return {**content, "losses": [] if result is None else result.curve.rows()}

        return await self._answers.get("page", self._topics, describe)

    async def live(self, request: Request) -> Response:
        """Send events for the live page, until it is closed."""
        _ = self._topics
        if self._n_watching >= self.limits.watchers:
            raise try_again(429, "too many live pages")
        return StreamingResponse(self._beats(), media_type=EVENTS)

    async def _beats(self) -> AsyncIterator[str]:
        shown, service = None, self.service
        self._n_watching += 1
        try:
            while not service.ending.is_set():
                content = await self._content()
                if content is not shown:
                    shown = content
                    yield event("content", content)
                yield event("pulse", await run_sync(service.pulse))
                await asyncio.sleep(BEAT)
        finally:
            self._n_watching -= 1

    def _level(self, request: Request) -> Level:
        """Return the level that a request asks for, None for the default."""
        if not request.query:  # sooner seen than parsed
            return None
        query = parse_qs(request.query.decode("latin-1"), keep_blank_values=True)
        given = query.get("level", [None])[-1]
        if given is None or given in (AUTO, ALL):
            return given
        n = self._topics.learner.n_topics
        if (level := read_number(given, n)) is None:
            error = f"level is a number from 1 to {n}, auto or all, not {given!r:.20}"
            raise RequestError(400, error)
        return level

    async def _view(self, level: Level) -> Snapshot:
        """Return the topics of a level; all of them are at hand."""
        is_auto = self._topics.annotations.is_auto
        if level == ALL or (level is None and not is_auto):
            return self.service.snapshot()
        view: Snapshot = await self._read(LevelledSnapshot.at, level)
        return view

    async def _read(self, show: Callable[[LevelledSnapshot, Level], Any], level: Level) -> Any:
        """Return what is shown of a level, cached."""
        key, topics = (show, level), self._topics
        return await self._answers.get(key, topics, lambda snapshot: show(snapshot, level))


def list_level(snapshot: LevelledSnapshot, level: Level) -> dict[str, Any]:
    """Return the topics of a level; see `messages.Topics`."""
    view = snapshot.at(level)
    topics = list_topics(view, N_WORDS)
    return {"documents": view.n_docs, "level": view.model.n_topics, "topics": topics}


def list_trends(snapshot: LevelledSnapshot, level: Level) -> dict[str, Any]:
    """Return the shares of the topics of a level over time; see `messages.Trends`."""
    rows = snapshot.trends(level).rows()
    return {"level": snapshot.at(level).model.n_topics, "trends": rows}


def as_json(content: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return an answer in JSON."""
    return Response(msgspec.json.encode(content), status, headers, JSON)


def event(name: str, value: Any) -> str:
    """Return an event of a stream; JSON has no line feed."""
    return f"event: {name}\ndata: {msgspec.json.encode(value).decode()}\n\n"


def read_number(given: str, n: int) -> int | None:
    """Return a number from 1 to n, None for anything else."""
    if given.isascii() and given.isdecimal() and 1 <= int(given[:9]) <= n:
        return int(given)
    return None


class CachedAnswer(NamedTuple):
    """An answer with its expiry."""

    value: Any
    until: float  # when it expires, if there are newer documents
    n_docs: int  # learned when it was computed

    def is_valid(self, topics: TextTopics) -> bool:
        """Return whether it may be given."""
        return monotonic() < self.until or self.n_docs == topics.n_docs


class AnswerCache:
    """Answers computed from topics that continue to learn, by request."""

    def __init__(self) -> None:
        self._cached: dict[Hashable, CachedAnswer] = {}
        self._lock = asyncio.Lock()  # of the one that is being computed

    async def get(
        self, key: Hashable, topics: TextTopics, read: Callable[[LevelledSnapshot], Any]
    ) -> Any:
        """Return the cached answer; recompute it if it has expired and there are newer documents.

        Who finds it expired recomputes it in another thread, while others use the old one.
        """
        cached = self._cached.get(key)
        if cached is None or not (cached.is_valid(topics) or self._lock.locked()):
            async with self._lock:
                # Another request may have computed it while this one waited.
                cached = self._cached.get(key)
                if cached is None or not cached.is_valid(topics):
                    cached = self._cached[key] = await run_sync(make, topics, read)
        return cached.value


def make(topics: TextTopics, read: Callable[[LevelledSnapshot], Any]) -> CachedAnswer:
    """Copy the topics, which blocks learning, and compute the answer, which does not.

    Learning waits at most a twentieth of the time.
    """
    with lock_of(topics):
        began = monotonic()
        snapshot = topics.hold()
        copied_for = monotonic() - began
    # CPU time: the thread also waits for the interpreter lock and for a core, which costs nothing
    worked = thread_time()
    value = read(snapshot)
    wait = max(RENEW, SHARE * copied_for, PAUSE * (thread_time() - worked))
    return CachedAnswer(value, monotonic() + wait, snapshot.full.n_docs)


class PendingRequest(NamedTuple):
    """The documents of a request, and the future that its handler awaits."""

    snapshot: Snapshot
    documents: list[Any]
    answer: asyncio.Future[list[dict[str, Any]]]


class RequestBatcher:
    """Classifies the documents of all requests of one turn of the event loop together.

    Three more texts take a third of the time of the first, which is spent in many small calls. Each
    kernel also releases the interpreter lock, for which the learning thread competes.
    """

    def __init__(self) -> None:
        self._pending: list[PendingRequest] = []

    async def read(self, snapshot: Snapshot, documents: list[Any]) -> list[dict[str, Any]]:
        """Return the result of `read`, computed at the end of this turn."""
        loop = asyncio.get_running_loop()
        if not self._pending:
            loop.call_soon(self._answer)
        request = PendingRequest(snapshot, documents, loop.create_future())
        self._pending.append(request)
        return await request.answer

    def _answer(self) -> None:
        # Those whose clients are gone are done.
        pending = [request for request in self._pending if not request.answer.done()]
        self._pending = []
        for snapshot in {id(request.snapshot): request.snapshot for request in pending}.values():
            answer([request for request in pending if request.snapshot is snapshot])


def answer(batch: list[PendingRequest]) -> None:
    """Classify the documents of requests of one snapshot."""
    try:
        rows = iter(read(batch[0].snapshot, [text for r in batch for text in r.documents]))
    except Exception as error:
        if len(batch) == 1:
            batch[0].answer.set_exception(error)
            return
        # Of a tokenizer, say: only the request that caused it must fail.
        for request in batch:
            answer([request])
        return
    for request in batch:
        request.answer.set_result([next(rows) for _ in request.documents])
