"""Interrupts: Ctrl-C between steps, never within one, which would leave a learner half-way."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class Interrupts:
    """While it is entered, Ctrl-C waits for the end of whatever is `held`.

    A second Ctrl-C does not wait. Where Ctrl-C is ignored it stays so; and outside of the main
    thread, where Python has no signals, nothing is done.
    """

    def __init__(self) -> None:
        self._is_held = self._asked = False
        self._before: Any = None

    def __enter__(self) -> Interrupts:
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            self._before = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if not self._is_held or self._asked:
            raise KeyboardInterrupt
        self._asked = True

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let Ctrl-C wait until the end of this."""
        self._is_held = True
        try:
            yield
        finally:
            self._is_held = False
        if self._asked:
            raise KeyboardInterrupt
