"""LiveSource: what brokers and followed files implement, and what they share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from time import monotonic, sleep
from typing import Any, NamedTuple, TypeVar

from spectralleader.runtime.interrupts import raise_if_interrupted
from spectralleader.sources.files.problems import Problems
from spectralleader.sources.options import Json, Say, ignore

Fields = list[bytes]  # alternating names and values
Answer = TypeVar("Answer")
LOOK = 0.2  # seconds between checks for signals
FIRST, LONGEST = 0.1, 5.0  # first and longest delay between attempts, in seconds
PATIENCE = 10.0  # seconds of retries at the first start: the address may be wrong


class MessageBatch(NamedTuple):
    """Some messages that are not decoded, and the position after them."""

    ids: list[str]  # as assigned by the broker
    payloads: list[bytes] | list[Fields]  # each is JSON, text or several fields
    after: Json  # the position after the last message
    at_end: bool = False  # whether the stream had no more messages at the moment


class LiveSource:
    """An ordered stream of messages that can be read again from a position.

    A position is plain JSON. Reading from the same position yields the same messages in the same
    order, whatever the batch sizes. A source blocks at most a fraction of a second at a time, so
    that signals are handled, and reconnects by itself. It may be opened again after it was closed.
    """

    kind = ""  # stored with positions
    unit = ""  # of the lag
    form = ""  # of its address, for --help
    name = ""  # for messages, without a password
    starts_alike = False  # see `Reader`

    @cached_property
    def problems(self) -> Problems:
        """Where messages are counted that were deleted before they were read."""
        return Problems()

    @cached_property
    def _back_off(self) -> BackOff:
        return BackOff(self.name, ignore, OSError, str)

    @property
    def n_reconnects(self) -> int:
        """How often it could be reached again."""
        return self._back_off.n_reconnects

    def open(self, position: Json | None) -> Json:
        """Connect and resume from a position (None: start); return the current position.

        Raises
        ------
        ValueError
            If the position belongs to another stream or does not exist in this one.
        """
        raise NotImplementedError

    def take(self, n: int) -> MessageBatch:
        """Return up to n of the next messages, or none if none arrived within a moment.

        It is called with the number of documents that a block lacks, so a source that is slow to
        ask fetches more of them at once.
        """
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


class BackOff:
    """Asks a broker until it answers, with growing delays; reports the first failure and its end.

    Parameters
    ----------
    name : str
        Name of the broker, for messages.
    say : callable
        Called with messages for the user.
    failure : type
        The base of the exceptions of its client.
    explain : callable
        Returns why the broker cannot be reached, of such an exception; None if it will not pass.
    """

    def __init__(
        self, name: str, say: Say, failure: type[Exception], explain: Callable[[Any], str | None]
    ) -> None:
        self._name, self._say = name, say
        self._failure, self._explain = failure, explain
        # Seconds after which a failure is raised instead; limited at the first start only.
        self.patience = float("inf")
        self._step, self._since = FIRST, 0.0
        self._is_down = False
        self.n_reconnects = 0

    def ask(self, question: Callable[[], Answer]) -> Answer:
        """Return an answer of the broker, retrying while it cannot be reached.

        Raises
        ------
        ValueError
            If it refuses to answer, or once patience is exhausted.
        """
        while True:
            try:
                answer = question()
            except self._failure as error:
                if (reason := self._explain(error)) is None:
                    raise ValueError(f"{self._name} cannot be read: {error}") from error
                self.on_failure(error, reason)
            else:
                self.on_success()
                return answer

    def on_failure(self, error: Exception, reason: str) -> None:
        """Wait before the next attempt, or raise `ValueError` once patience is exhausted."""
        if not self._is_down:
            self._is_down, self._since = True, monotonic()
            if self.patience == float("inf"):
                self._say(f"{self._name} cannot be reached ({reason}); retrying")
        # The next wait counts, so that the error comes within the time and not after it.
        if monotonic() - self._since + self._step > self.patience:
            raise ValueError(
                f"{self._name} cannot be reached: {reason}; check the address, and that the server "
                "is running"
            ) from error
        pause(self._step)
        self._step = min(2 * self._step, LONGEST)

    def on_success(self) -> None:
        """Reset the delay, and retry without a limit from now on."""
        if self._is_down and self.patience == float("inf"):
            self.n_reconnects += 1
            self._say(f"{self._name} can be reached again")
        self._is_down, self._step, self.patience = False, FIRST, float("inf")
