"""Exponential back-off for unreachable brokers, interruptible by signals."""

from __future__ import annotations

from time import monotonic, sleep

from spectralleader.runtime.interrupts import raise_if_interrupted
from spectralleader.sources.live.protocol import Say

LOOK = 0.2  # seconds between checks for signals
FIRST, LONGEST = 0.1, 5.0  # first and longest delay between attempts, in seconds
PATIENCE = 10.0  # seconds of retries at the first start: the address may be wrong


def pause(seconds: float) -> None:
    """Sleep, but raise as soon as the program is asked to stop."""
    end = monotonic() + seconds
    while (left := end - monotonic()) > 0:
        raise_if_interrupted()
        sleep(min(LOOK, left))
    raise_if_interrupted()


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
