"""Ahead: messages are decoded in large batches and returned block by block."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from spectralleader.sources.files.text_block import TextBlock
from spectralleader.sources.live.decoding import Decoded
from spectralleader.sources.live.protocol import Json, Taken


@contextmanager
def collecting_later() -> Iterator[None]:
    """Pause garbage collection while messages are fetched.

    Clients create several objects per message, and scanning them repeatedly took twice as long as
    everything else.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class Ahead:
    """A batch of decoded messages, some of whose documents are not returned yet."""

    def __init__(self, taken: Taken | None = None, decoded: Decoded | None = None) -> None:
        self._taken, self._decoded = taken, decoded
        self._n_given, self._n_told = 0, 0  # documents returned, problems reported

    @property
    def n_docs(self) -> int:
        """Number of documents left."""
        return 0 if self._decoded is None else len(self._decoded.block) - self._n_given

    def take(self, n: int) -> tuple[TextBlock, Json]:
        """Return the next n documents, and the position after them."""
        assert self._taken is not None
        assert self._decoded is not None
        first, self._n_given = self._n_given, self._n_given + n
        return self._decoded.block[first : self._n_given], self._taken.after(self._end(0))

    def _end(self, n: int) -> int:
        """Return the number of messages consumed after n more documents."""
        assert self._decoded is not None
        return self._decoded.places[self._n_given + n - 1] + 1

    def problems_of(self, n: int) -> list[tuple[str, str, str]]:
        """Return the problems of messages before the end of the next n documents."""
        return self._problems_before(self._end(n))

    def after(self) -> Json:
        """Return the position after all messages."""
        assert self._taken is not None
        return self._taken.after(len(self._taken.ids))

    def finish(self) -> list[tuple[str, str, str]]:
        """Return the problems of the remaining messages."""
        return [] if self._taken is None else self._problems_before(len(self._taken.ids))

    def _problems_before(self, end: int) -> list[tuple[str, str, str]]:
        assert self._taken is not None
        assert self._decoded is not None
        found, bad = [], self._decoded.bad
        while self._n_told < len(bad) and bad[self._n_told].at < end:
            at, kind, detail = bad[self._n_told]
            found.append((kind, self._taken.ids[at], detail))
            self._n_told += 1
        return found
