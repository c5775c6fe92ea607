"""LiveSource: what every broker and every followed file looks like to the reader."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, runtime_checkable

Json = Any  # plain values that JSON holds
Fields = list[bytes]  # names and values in turn
Say = Callable[[str], None]


class Taken(NamedTuple):
    """Some messages, not yet decoded, and where the source is after each of them."""

    ids: list[str]  # by which their sender knows them
    payloads: list[bytes] | list[Fields]  # each JSON or text, or several fields
    after: Callable[[int], Json]  # the position after so many of them, asked for in order
    at_end: bool = False  # whether nothing more was there at the moment


class LiveSource(Protocol):
    """An ordered stream that can be read again from a position.

    A position is plain JSON. The same one gives the same messages in the same order, in whatever
    portions they are taken. A source waits at most a fraction of a second at a time, so that
    signals are noticed, and reconnects on its own.
    """

    def open(self, position: Json | None) -> Json:
        """Connect, and go on after a position; None is the first start. Return where it is.

        Raises
        ------
        ValueError
            If the position is of another stream, or is not to be found in this one.
        """

    def take(self, n: int, *, rest: bool) -> Taken:
        """Return up to n of the next messages; none if none came within a moment.

        At the end of the stream, `rest` asks also for what would otherwise wait for more, such as
        less than a portion of a partition. It is set where nothing is followed.
        """

    def describe(self, position: Json) -> str:
        """Return how far a position is behind the end of the stream, in words."""

    def close(self) -> None:
        """Disconnect."""


@runtime_checkable
class Watched(Protocol):
    """A source whose broker shows others how far it was learned; it reads nothing of it back."""

    def tell(self, position: Json) -> None:
        """Tell the broker of a position that was saved, without waiting for an answer."""
