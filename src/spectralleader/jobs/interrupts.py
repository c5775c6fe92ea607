"""Interrupts: signals to stop between steps, never within one, which would leave it half-way."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class Terminated(KeyboardInterrupt):
    """The process was asked to end (SIGTERM), as a service or a machine that shuts down is."""


class Interrupts:
    """While it is entered, signals wait for the end of whatever is `held`.

    Ctrl-C raises KeyboardInterrupt, and a second one does not wait; other signals raise Terminated.
    A signal that is ignored stays so; and outside of the main thread, where Python has no signals,
    nothing is done.
    """

    def __init__(self, *numbers: signal.Signals) -> None:
        self._numbers = numbers or (signal.SIGINT,)
        self._n_held = 0
        self._asked: int | None = None  # the signal that waits
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in self._numbers:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)
        self._before.clear()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if not self._n_held or (self._asked and number == signal.SIGINT):
            self._asked = None
            raise self._error(number)
        self._asked = number

    @staticmethod
    def _error(number: int) -> KeyboardInterrupt:
        return KeyboardInterrupt() if number == signal.SIGINT else Terminated()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let signals wait until the end of this."""
        self._n_held += 1
        try:
            yield
        finally:
            self._n_held -= 1
        if self._asked and not self._n_held:
            number, self._asked = self._asked, None
            raise self._error(number)
