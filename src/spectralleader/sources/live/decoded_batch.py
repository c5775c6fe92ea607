"""DecodedBatch: messages are decoded in large batches and returned block by block."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from spectralleader.sources.files.text_block import TextBlock
from spectralleader.sources.live.decoding import Decoded
from spectralleader.sources.live.protocol import Json, MessageBatch

Problem = tuple[str, str, str]  # its kind, the id of the message, a detail
NO_MESSAGES = MessageBatch([], [], lambda n: None)
NONE_DECODED = Decoded(TextBlock.of([]), [])


@contextmanager
def gc_paused() -> Iterator[None]:
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


class DecodedBatch:
    """A batch of decoded messages, some of whose documents are not returned yet."""

    def __init__(
        self, messages: MessageBatch = NO_MESSAGES, decoded: Decoded = NONE_DECODED
    ) -> None:
        self._messages, (self._block, self._invalid) = messages, decoded
        self._n_returned, self._n_reported = 0, 0  # documents returned, problems reported

    @property
    def n_docs(self) -> int:
        """Number of documents left."""
        return len(self._block) - self._n_returned

    def take(self, n: int) -> tuple[TextBlock, Json, list[Problem]]:
        """Return the next n documents, the position after them, and the problems before it."""
        first, self._n_returned = self._n_returned, self._n_returned + n
        end = int(self._block.lines[self._n_returned - 1]) + 1
        block = self._block[first : self._n_returned]
        return block, self._messages.after(end), self._problems_before(end)

    def after(self) -> Json:
        """Return the position after all messages."""
        return self._messages.after(len(self._messages.ids))

    def finish(self) -> list[Problem]:
        """Return the problems of the remaining messages."""
        return self._problems_before(len(self._messages.ids))

    def _problems_before(self, end: int) -> list[Problem]:
        found = []
        while self._n_reported < len(self._invalid) and self._invalid[self._n_reported].at < end:
            at, kind, detail = self._invalid[self._n_reported]
            found.append((kind, self._messages.ids[at], detail))
            self._n_reported += 1
        return found
