"""LiveSource: what every broker and every followed file looks like to the reader."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

Json = Any  # plain values that JSON holds
Fields = dict[str, bytes]
Say = Callable[[str], None]


class Message(NamedTuple):
    """What a source hands out, not yet decoded."""

    id: str  # by which its sender knows it
    payload: bytes | Fields  # JSON or text; or several fields by name


class Taken(NamedTuple):
    """Some messages, and where the source is after them."""

    messages: list[Message]
    position: Json  # plain JSON: opened after it, the source goes on with the next message
    at_end: bool = False  # whether nothing more was there at the moment


class LiveSource(Protocol):
    """An ordered stream that can be read again from a position.

    The same position gives the same messages in the same order, in whatever portions they are
    taken. A source waits at most a fraction of a second at a time, so that signals are noticed,
    and reconnects on its own.
    """

    def open(self, position: Json | None) -> Json:
        """Connect, and go on after a position; None is the first start. Return where it is.

        Raises
        ------
        ValueError
            If the position is of another stream, or is not to be found in this one.
        """

    def take(self, n: int) -> Taken:
        """Return up to n of the next messages; none if none came within a moment."""

    def describe(self) -> str:
        """Return how far behind the end of the stream it is, in words."""

    def close(self) -> None:
        """Disconnect."""
