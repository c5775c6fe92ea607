"""RequestBatcher: concurrent requests are classified in one call."""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

from spectralleader.serve.service import read
from spectralleader.text.snapshot import Snapshot


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
