"""LiveSource: the interface of brokers and followed files to the reader."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, runtime_checkable

Json = Any  # plain values that JSON can represent
Fields = list[bytes]  # alternating names and values
Say = Callable[[str], None]
STARTS = ("earliest", "latest")
WAIT = 1.0  # default seconds until an incomplete block is returned at the end of the stream


class LiveSettings(NamedTuple):
    """How a live source is read; see `open_source`."""

    block: int = 100  # documents per block
    follow: bool = True  # whether to wait for new messages at the end
    start: str = "earliest"  # where to start without a position
    strict: bool = False  # raise at invalid or deleted messages, instead of reporting them
    format: str | None = None  # of files
    say: Say = lambda line: None  # called with messages for the user
    wait: float = WAIT

    def check(self) -> None:
        """Raise if a setting is invalid."""
        if self.start not in STARTS:
            raise ValueError(f"start must be one of {', '.join(STARTS)}, got {self.start!r}")
        if self.block < 1:
            raise ValueError(f"block must be at least 1, got {self.block}")
        if not self.wait >= 0:
            raise ValueError(f"wait must be at least 0 seconds, got {self.wait}")


class MessageBatch(NamedTuple):
    """A batch of messages that are not decoded, and the position after each of them."""

    ids: list[str]  # as assigned by the broker
    payloads: list[bytes] | list[Fields]  # each is JSON, text or several fields
    after: Callable[[int], Json]  # position after n of the messages; n must not decrease
    at_end: bool = False  # whether the stream had no more messages at the moment


class LiveSource(Protocol):
    """An ordered stream that can be read again from a position.

    A position is plain JSON. Reading from the same position yields the same messages in the same
    order, whatever the batch sizes. A source blocks at most a fraction of a second at a time, so
    that signals are handled, and reconnects by itself.
    """

    def open(self, position: Json | None) -> Json:
        """Connect and resume from a position (None: start); return the current position.

        Raises
        ------
        ValueError
            If the position belongs to another stream or does not exist in this one.
        """

    def take(self, n: int, *, rest: bool) -> MessageBatch:
        """Return up to n of the next messages, or none if none arrived within a moment.

        With `rest`, also return messages at the end of the stream that would otherwise wait for
        more, such as an incomplete portion of a partition.
        """

    def describe(self, position: Json) -> str:
        """Return the lag of a position behind the end of the stream, in words."""

    def close(self) -> None:
        """Disconnect."""


@runtime_checkable
class Watched(Protocol):
    """A source whose broker shows the learned position to monitors; it is never read back."""

    def tell(self, position: Json) -> None:
        """Send a saved position to the broker, without waiting for an answer."""
