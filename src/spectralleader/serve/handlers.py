"""Handlers: what is answered to each request; what takes long is cached, or computed for many.

They read what the learning thread has published, and never the learner, whose locks would make the
event loop wait for a step.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from itertools import groupby
from time import monotonic, thread_time
from typing import Any, NamedTuple
from urllib.parse import parse_qs

import msgspec
from anyio.to_thread import run_sync
from starlette.responses import FileResponse, HTMLResponse, Response, StreamingResponse

from spectralleader.page import describe_reading, policy_of, render
from spectralleader.reading.levels import ALL, AUTO
from spectralleader.reading.snapshot import Reading, Snapshot, list_topics
from spectralleader.serve import ServeOptions, messages
from spectralleader.serve.messages import RequestError, read_body, read_times, try_again
from spectralleader.serve.metrics import Metrics
from spectralleader.serve.service import Service

N_WORDS = 10  # of a topic
FEW = 20  # documents, and their characters, that are classified without another thread
SHORT = 20_000
MOST_WATCHING = 16  # live pages at the same time
BEAT = 1.0  # seconds between two events of the live page
LIVE_LEVELS = (2, 4, 8, 16)  # of the live page's slider, beside all topics and those suggested
JSON, EVENTS = "application/json", "text/event-stream"
PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"  # Prometheus asks for the version
# Only a header can forbid other sites to frame the page, and lead its visitors to click in it.
PAGE_HEADERS = {"Content-Security-Policy": f"{policy_of(live=True)}; frame-ancestors 'none'"}
Level = int | str | None  # a number of topics, auto, all, or None for the default
Show = Callable[[Reading, Level], Any]  # computes an answer
PAUSE = 4  # an answer that took t seconds of CPU time is computed again after PAUSE * t


class Request(NamedTuple):
    """What handlers read of a request."""

    path: str
    query: bytes
    body: bytes  # whole


class Handlers:
    """What answers the requests of a service: a response, or what is sent as JSON."""

    def __init__(self, service: Service, metrics: Metrics, options: ServeOptions) -> None:
        self.service, self.metrics, self.options = service, metrics, options
        self._answers, self._batcher = AnswerCache(lambda: self._topics), RequestBatcher()
        self._n_watching = 0  # open live pages

    @property
    def _topics(self) -> Reading:
        if (topics := self.service.published.topics) is None:
            raise try_again(503, "the model is not loaded yet")
        return topics

    async def topics(self, request: Request) -> Any:
        """List the topics."""
        return await self._answers.get(list_level, self._level(request))

    async def topic(self, request: Request) -> Any:
        """Show a topic and its share over time."""
        level, given = self._level(request), request.path.rpartition("/")[2]
        topics, trends = (
            await self._answers.get(list_level, level),
            await self._answers.get(list_trends, level),
        )
        n = topics["level"]
        if (number := read_number(given, n)) is None:
            raise RequestError(404, f"there is no topic {given!r:.20}; ask for one from 1 to {n}")
        over_time = [row for row in trends["trends"] if row["topic"] == number]
        return {**topics["topics"][number - 1], "trend": over_time}

    async def trends(self, request: Request) -> Any:
        """Show the shares of topics over time."""
        return await self._answers.get(list_trends, self._level(request))

    async def events(self, request: Request) -> Any:
        """Show what happened to the topics, and whether the stream drifts."""
        _ = self._topics
        now = self.service.published
        skipped = [messages.SkippedRow(*row) for row in now.skipped]
        return msgspec.structs.replace(now.events, skipped=skipped)

    async def predict(self, request: Request) -> Any:
        """Classify documents; nothing is learned."""
        level, topics = self._level(request), self._topics
        # All topics are at hand; those of a level are computed.
        is_all = level == ALL or (level is None and not topics.is_auto)
        snapshot = topics.full if is_all else await self._answers.get(Reading.at, level)
        most = self.options.max_batch
        documents, _ = read_body(request.body, messages.Documents, snapshot.words, most)
        if len(documents) <= FEW and sum(map(len, documents)) < SHORT:  # faster than another thread
            rows = await self._batcher.classify(snapshot, documents)
        else:
            rows = await run_sync(classify, snapshot, documents)
        n_topics, n_docs = snapshot.model.n_topics, snapshot.n_docs
        return {"documents": rows, "level": n_topics, "learned": n_docs}

    async def learn(self, request: Request) -> Any:
        """Have documents learned, each once.

        Answered when they are on the disk: what is accepted is learned, also after a crash. A
        request that is sent again with the same id is not learned twice.
        """
        words, most = self._topics.full.words, self.options.max_batch
        documents, body = read_body(request.body, messages.NewDocuments, words, most)
        times = read_times(body.times, len(documents))
        column = "text" if body.form == "texts" else "tokens"
        rows = [{column: given, "time": time} for given, time in zip(documents, times, strict=True)]
        if (inbox := self.service.inbox) is None:
            raise RequestError(
                409, "this service does not learn what is posted; start it without --learn or "
                "--read-only",
            )  # fmt: skip
        try:
            return messages.Receipt(*await run_sync(inbox.add, rows, body.id))
        except OSError as error:
            raise RequestError(507, f"nothing was accepted: {error}, then try again") from error

    async def model(self, request: Request) -> Any:
        """Send the model file as it was saved last."""
        path = self.service.path
        if not os.path.isfile(path):  # False, too, if its folder cannot be searched
            raise RequestError(404, "nothing is saved yet; try again after the first checkpoint")
        return FileResponse(path, media_type="application/octet-stream", filename=path.name)

    async def healthz(self, request: Request) -> Any:
        """Report that the process is alive."""
        return messages.Health("alive")

    async def readyz(self, request: Request) -> Any:
        """Report whether the service learns and answers, and if not, why."""
        problems = await run_sync(self.service.problems)  # it may wait for the disk
        # Without places, which only clients with the token may see.
        skipped = {row.reason: row.documents for row in self.service.published.skipped}
        answer = messages.Readiness(not problems, problems, skipped)
        return as_json(answer, 503 if problems else 200)

    async def show_metrics(self, request: Request) -> Any:
        """Show metrics for Prometheus."""
        return Response(await run_sync(self.metrics.text), media_type=PROMETHEUS)

    async def page(self, request: Request) -> Any:
        """Show the live page."""
        content = await self._answers.get(self._describe, ALL)
        html = await run_sync(lambda: render(content, live=True))
        return HTMLResponse(html, headers=PAGE_HEADERS)

    def _describe(self, topics: Reading, _: Level) -> dict[str, Any]:
        """Return the content of the live page, which has a slider of levels."""
        title = f"Topics of {self.service.path.name}"
        content = describe_reading(topics, title=title, levels=LIVE_LEVELS)
        return {**content, "losses": self.service.published.losses}

    async def live(self, request: Request) -> Any:
        """Send events for the live page, until it is closed."""
        _ = self._topics
        if self._n_watching >= MOST_WATCHING:
            raise try_again(429, "too many live pages")
        return StreamingResponse(self._beats(), media_type=EVENTS)

    async def _beats(self) -> AsyncIterator[str]:
        shown, service = None, self.service
        self._n_watching += 1
        try:
            while not service.ending.is_set():
                content = await self._answers.get(self._describe, ALL)
                if content is not shown:
                    shown = content
                    yield event("content", content)
                yield event("pulse", await run_sync(service.pulse))
                await asyncio.sleep(BEAT)
        finally:
            self._n_watching -= 1

    def _level(self, request: Request) -> Level:
        """Return the level that a request asks for, None for the default."""
        if not request.query:  # faster than parsing nothing
            return None
        query = parse_qs(request.query.decode("latin-1"), keep_blank_values=True)
        given = query.get("level", [None])[-1]
        if given is None or given in (AUTO, ALL):
            return given
        n = self._topics.tree.n_topics
        if (level := read_number(given, n)) is None:
            error = f"level is a number from 1 to {n}, auto or all, not {given!r:.20}"
            raise RequestError(400, error)
        return level


def list_level(topics: Reading, level: Level) -> dict[str, Any]:
    """Return the topics of a level; see `messages.Topics`."""
    view = topics.at(level)
    listed = list_topics(view, N_WORDS)
    return {"documents": view.n_docs, "level": view.model.n_topics, "topics": listed}


def list_trends(topics: Reading, level: Level) -> dict[str, Any]:
    """Return the shares of the topics of a level over time; see `messages.Trends`."""
    rows = topics.trends(level).rows()
    return {"level": topics.at(level).model.n_topics, "trends": rows}


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
    until: float  # when it expires, if there are newer topics
    n_docs: int  # learned by the topics that it was computed from

    def is_valid(self, topics: Reading) -> bool:
        """Return whether it may be given."""
        return self.n_docs == topics.full.n_docs or monotonic() < self.until


class AnswerCache:
    """Answers computed from the published topics, by what is shown of which level."""

    def __init__(self, topics: Callable[[], Reading]) -> None:
        self._topics = topics  # what is published at the moment
        self._cached: dict[tuple[Show, Level], CachedAnswer] = {}
        self._lock = asyncio.Lock()  # of the one that is being computed

    async def get(self, show: Show, level: Level) -> Any:
        """Return the cached answer; recompute it if it has expired and there are newer topics.

        The request that finds it expired recomputes it in another thread; others use the old one.
        """
        key, topics = (show, level), self._topics()
        cached = self._cached.get(key)
        if cached is None or not (cached.is_valid(topics) or self._lock.locked()):
            async with self._lock:
                # Another request may have computed it while this one waited.
                cached = self._cached.get(key)
                if cached is None or not cached.is_valid(topics):
                    cached = self._cached[key] = await run_sync(compute, show, level, topics)
        return cached.value


def compute(show: Show, level: Level, topics: Reading) -> CachedAnswer:
    """Return an answer that expires the later, the longer it took."""
    # CPU time: the thread also waits for the interpreter lock and for a core, which costs nothing
    began = thread_time()
    value = show(topics, level)
    return CachedAnswer(value, monotonic() + PAUSE * (thread_time() - began), topics.full.n_docs)


def classify(snapshot: Snapshot, documents: list[Any]) -> list[dict[str, Any]]:
    """Return the rows of `messages.Classified`."""
    return snapshot.classify(documents).rows()


class PendingRequest(NamedTuple):
    """The documents of a request, and the future that its handler awaits."""

    snapshot: Snapshot
    documents: list[Any]
    rows: asyncio.Future[list[dict[str, Any]]]


class RequestBatcher:
    """Classifies the documents of all requests of one turn of the event loop together.

    Three more texts take a third of the time of the first, which is spent in many small calls. Each
    kernel also releases the interpreter lock, for which the learning thread competes.
    """

    def __init__(self) -> None:
        self._pending: list[PendingRequest] = []

    async def classify(self, snapshot: Snapshot, documents: list[Any]) -> list[dict[str, Any]]:
        """Return the result of `classify`, computed at the end of this turn."""
        loop = asyncio.get_running_loop()
        if not self._pending:
            loop.call_soon(self._answer)
        request = PendingRequest(snapshot, documents, loop.create_future())
        self._pending.append(request)
        return await request.rows

    def _answer(self) -> None:
        # Those whose clients are gone are done.
        pending = [request for request in self._pending if not request.rows.done()]
        self._pending = []
        for _, batch in groupby(pending, key=lambda request: id(request.snapshot)):
            answer(list(batch))


def answer(batch: list[PendingRequest]) -> None:
    """Classify the documents of requests of one snapshot."""
    try:
        rows = iter(classify(batch[0].snapshot, [text for r in batch for text in r.documents]))
    except Exception as error:
        if len(batch) == 1:
            batch[0].rows.set_exception(error)
            return
        # A tokenizer may raise, for example: only the request that caused it must fail.
        for request in batch:
            answer([request])
        return
    for request in batch:
        request.rows.set_result([next(rows) for _ in request.documents])
