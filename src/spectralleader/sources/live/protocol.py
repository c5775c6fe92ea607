"""LiveSource: what brokers and followed files implement, and what they share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple, TypeVar

import msgspec

from spectralleader.runtime.interrupts import raise_if_interrupted
from spectralleader.sources.files.problems import Problems
from spectralleader.sources.options import Json, Say

Fields = list[bytes]  # alternating names and values
Position = TypeVar("Position", bound=msgspec.Struct)
LOOK = 0.2  # seconds between checks for signals
FIRST, LONGEST = 0.1, 5.0  # first and longest delay between attempts, in seconds
PATIENCE = 10.0  # seconds of retries at the first start: the address may be wrong


class MessageBatch(NamedTuple):
    """A batch of messages that are not decoded, and the position after each of them."""

    ids: list[str]  # as assigned by the broker
    payloads: list[bytes] | list[Fields]  # each is JSON, text or several fields
    after: Callable[[int], Json]  # position after n of the messages; n must not decrease
    at_end: bool = False  # whether the stream had no more messages at the moment


def in_steps(advance: Callable[[int, int], Json]) -> Callable[[int], Json]:
    """Return `MessageBatch.after` for a function that passes the messages of a range.

    Each message is passed once, so that the work is linear in the batch whatever the blocks are.
    """
    n_passed = 0

    def after(n: int) -> Json:
        nonlocal n_passed
        first, n_passed = n_passed, n
        return advance(first, n)

    return after


class LiveSource:
    """An ordered stream of messages that can be read again from a position.

    A position is plain JSON. Reading from the same position yields the same messages in the same
    order, whatever the batch sizes. A source blocks at most a fraction of a second at a time, so
    that signals are handled, and reconnects by itself.
    """

    kind = ""  # stored with positions
    unit = ""  # of the lag
    form = ""  # of its address, for --help
    name = ""  # for messages, without a password
    starts_alike = False  # see `Reader`

    @cached_property
    def problems(self) -> Problems:
        """Where messages are counted that were deleted before they were read."""
        return Problems((self.name,))

    def open(self, position: Json | None) -> Json:
        """Connect and resume from a position (None: start); return the current position.

        Raises
        ------
        ValueError
            If the position belongs to another stream or does not exist in this one.
        """
        raise NotImplementedError

    def take(self, n: int) -> MessageBatch:
        """Return up to n of the next messages, or none if none arrived within a moment."""
        raise NotImplementedError

    def lag(self, position: Json) -> float | None:
        """Return how many units a position is behind the end; None if that is unknown."""

    def tell(self, position: Json) -> None:
        """Send a saved position to a broker that shows it to monitors; it is never read back."""

    def close(self) -> None:
        """Disconnect."""


def read_settings(path: str | None) -> dict[str, str]:
    """Return the settings in a file of lines name=value; those that begin with # are ignored."""
    lines = [] if path is None else Path(path).read_text(encoding="utf-8").splitlines()
    settings = [line.strip().partition("=") for line in lines if line.strip()[:1] not in ("", "#")]
    if not all(equals for _, equals, _ in settings):  # not quoted: it may be a password
        raise ValueError(f"{path} must have lines such as password=secret")
    return {name.strip(): value.strip() for name, _, value in settings}


def pause(seconds: float) -> None:
    """Sleep, but raise as soon as the program is asked to stop."""
    end = monotonic() + seconds
    while (left := end - monotonic()) > 0:
        raise_if_interrupted()
        sleep(min(LOOK, left))
    raise_if_interrupted()


def check_position(kind: type[Position], position: Json) -> Position:
    """Return a position as a `msgspec.Struct`; raise `ValueError` if it is invalid."""
    try:
        return msgspec.convert(position, kind)
    except msgspec.ValidationError as error:
        raise ValueError(f"the position in the stream is invalid: {error}") from error


class BackOff:
    """Doubles the delay between attempts, and reports the first failure and the recovery.

    Parameters
    ----------
    name : str
        Name of the broker, for messages.
    say : callable
        Called with messages for the user.
    patience : float
        Seconds after which a failure is raised instead.
    """

    def __init__(self, name: str, say: Say, patience: float = float("inf")) -> None:
        self._name, self._say, self._patience = name, say, patience
        self._step, self._since = FIRST, 0.0
        self._is_down = False

    def on_failure(self, error: Exception) -> None:
        """Wait before the next attempt, or raise `ValueError` once patience is exhausted."""
        if not self._is_down:
            self._is_down, self._since = True, monotonic()
            if self._patience == float("inf"):
                self._say(f"{self._name} cannot be reached ({error}); retrying")
        # The next wait counts, so that the error comes within the time and not after it.
        if monotonic() - self._since + self._step > self._patience:
            raise ValueError(
                f"{self._name} cannot be reached: {error}; check the address, and that the server "
                "is running"
            ) from error
        pause(self._step)
        self._step = min(2 * self._step, LONGEST)

    def on_success(self) -> None:
        """Reset the delay, and retry without a limit from now on."""
        if self._is_down and self._patience == float("inf"):
            self._say(f"{self._name} can be reached again")
        self._is_down, self._step, self._patience = False, FIRST, float("inf")
