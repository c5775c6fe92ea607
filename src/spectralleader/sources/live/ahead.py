"""Ahead: messages are decoded many at once, and handed out a block at a time."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from spectralleader.sources.files.text_block import TextBlock
from spectralleader.sources.live.decoding import Decoded
from spectralleader.sources.live.protocol import Json, Taken


@contextmanager
def collecting_later() -> Iterator[None]:
    """Keep the collector of garbage from looking at messages while they come, again and again.

    A client makes several objects of a message. Collecting them took twice as long as the rest.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class Ahead:
    """Messages that were decoded together, of which some documents are still to be handed out."""

    def __init__(self, taken: Taken | None = None, decoded: Decoded | None = None) -> None:
        self._taken, self._decoded = taken, decoded
        self._n_given, self._n_told = 0, 0  # documents, and problems

    @property
    def n_docs(self) -> int:
        """How many documents are left."""
        return 0 if self._decoded is None else len(self._decoded.block) - self._n_given

    def take(self, n: int) -> tuple[TextBlock, Json]:
        """Return the next n documents, and the position after them."""
        assert self._taken is not None
        assert self._decoded is not None
        first, self._n_given = self._n_given, self._n_given + n
        return self._decoded.block[first : self._n_given], self._taken.after(self._end(0))

    def _end(self, n: int) -> int:
        """Return how many messages are read once n more documents are."""
        assert self._decoded is not None
        return self._decoded.places[self._n_given + n - 1] + 1

    def problems_of(self, n: int) -> list[tuple[str, str, str]]:
        """Return what is wrong with messages before the end of the next n documents."""
        return self._problems_before(self._end(n))

    def after(self) -> Json:
        """Return the position after all messages."""
        assert self._taken is not None
        return self._taken.after(len(self._taken.ids))

    def finish(self) -> list[tuple[str, str, str]]:
        """Return what is wrong with those that are left."""
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
