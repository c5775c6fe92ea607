"""Answers that take long: cached while the topics change little, or computed for many requests."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Hashable
from time import monotonic, thread_time
from typing import Any, NamedTuple

from spectralleader.runtime.guard import guard_of
from spectralleader.serve.service import RENEW, SHARE, read
from spectralleader.text.snapshot import LevelledSnapshot, Snapshot
from spectralleader.text.topics import TextTopics

PAUSE = 4  # as SHARE, for work that takes t seconds of CPU time and blocks nothing


class CachedAnswer(NamedTuple):
    """An answer with its expiry."""

    value: Any
    until: float  # when it expires, if there are newer documents
    n_docs: int  # learned when it was computed


class AnswerCache:
    """Answers computed from topics that continue to learn, by request."""

    def __init__(self) -> None:
        self._cached: dict[Hashable, CachedAnswer] = {}
        self._lock = threading.Lock()

    def get(
        self, key: Hashable, topics: TextTopics, read: Callable[[LevelledSnapshot], Any]
    ) -> Any:
        """Return the cached answer; recompute it if it has expired and there are newer documents.

        The thread that finds it expired recomputes it, while others use the old one. Learning only
        waits for the copy of the topics, at most a twentieth of the time.
        """
        cached = self._cached.get(key)
        if self.has(key, topics) or not self._lock.acquire(blocking=cached is None):
            return self._cached[key].value
        try:
            if not self.has(key, topics):
                self._cached[key] = make(topics, read)
            return self._cached[key].value
        finally:
            self._lock.release()

    def has(self, key: Hashable, topics: TextTopics) -> bool:
        """Return whether a valid answer is cached."""
        cached = self._cached.get(key)
        if cached is None:
            return False
        return monotonic() < cached.until or cached.n_docs == topics.n_docs


def make(topics: TextTopics, read: Callable[[LevelledSnapshot], Any]) -> CachedAnswer:
    """Copy the topics, which blocks learning, and compute the answer, which does not."""
    with guard_of(topics):
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
        pending, self._pending = self._pending, []
        for snapshot in {id(request.snapshot): request.snapshot for request in pending}.values():
            batch = [r for r in pending if r.snapshot is snapshot and not r.answer.done()]
            try:
                rows = iter(read(snapshot, [text for r in batch for text in r.documents]))
            except Exception:  # of a tokenizer, say: only the request that caused it must fail
                for request in batch:
                    answer_alone(request)
                continue
            for request in batch:
                request.answer.set_result([next(rows) for _ in request.documents])


def answer_alone(request: PendingRequest) -> None:
    """Classify the documents of one request."""
    try:
        request.answer.set_result(read(request.snapshot, request.documents))
    except Exception as error:
        request.answer.set_exception(error)
