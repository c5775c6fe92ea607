"""Answers that take long: cached while the topics change little, or computed for many requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from time import monotonic, thread_time
from typing import Any, NamedTuple

from anyio.to_thread import run_sync

from spectralleader.runtime.guard import guard_of
from spectralleader.serve.messages import Classified
from spectralleader.serve.service import RENEW, SHARE, read
from spectralleader.text.levelled_snapshot import LevelledSnapshot
from spectralleader.text.snapshot import Snapshot
from spectralleader.text.topics import TextTopics

PAUSE = 4  # as SHARE, for work that takes t seconds of CPU time and blocks nothing


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
    answer: asyncio.Future[list[Classified]]


class RequestBatcher:
    """Classifies the documents of all requests of one turn of the event loop together.

    Three more texts take a third of the time of the first, which is spent in many small calls. Each
    kernel also releases the interpreter lock, for which the learning thread competes.
    """

    def __init__(self) -> None:
        self._pending: list[PendingRequest] = []

    async def read(self, snapshot: Snapshot, documents: list[Any]) -> list[Classified]:
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
