"""Signals: none is handled inside a step, so that none can tear one.

A Python handler may run between any two instructions, also between a kernel and the use of its
result, and one that raises there breaks a step off half-way (or the interpreter, see
docs/reliability.md). So handlers wait: in the library while `HOLD` is entered, in a command for as
long as `Interrupts` is. What takes longer than a moment calls `look` wherever it may be left.
"""

from __future__ import annotations

# `signal` wraps these functions in enumerations, at ten times the cost
import _signal  # type: ignore[import-not-found]
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn

Handler = Callable[[int, FrameType | None], Any]

# Signals that programs handle in Python, as far as the platform has them.
NAMES = ["INT", "TERM", "HUP", "QUIT", "ALRM", "VTALRM", "PROF", "XCPU", "USR1", "USR2", "CHLD"]
NUMBERS = tuple(
    int(getattr(signal, f"SIG{name}")) for name in NAMES if hasattr(signal, f"SIG{name}")
)
TO_END = (signal.SIGINT, signal.SIGTERM)
SHELL = 128  # plus the signal's number: the exit code of a process that a signal ended
SHOW_CURSOR = "\x1b[?25h"


class Terminated(KeyboardInterrupt):
    """The process was asked to end (SIGTERM), as a service or a machine that shuts down is."""


def is_main_thread() -> bool:
    """Return whether this is the thread in which Python runs signal handlers."""
    return threading.get_ident() == threading.main_thread().ident


class Hold:
    """While it is entered in the main thread, signals with a Python handler wait for its end.

    Then their handlers are called, in the order in which the signals came. Holds may be nested:
    the outermost counts. In other threads, which run no handlers, nothing is done. Entering and
    leaving takes about a microsecond.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._handlers: dict[int, Handler] = {}
        self._waiting: list[int] = []
        self._seen: tuple[Any, ...] = ()  # the handlers of all signals, the last time
        self._callable: dict[int, Handler] = {}  # those of them that run Python

    def __enter__(self) -> None:
        if is_main_thread():
            if self._depth == 0:
                self._install()
            self._depth += 1

    def __exit__(self, *_: object) -> None:
        if is_main_thread():
            self._depth -= 1
            if self._depth == 0:
                self._restore()
                if self._waiting:
                    self.deliver()

    def _install(self) -> None:
        seen = tuple(map(_signal.getsignal, NUMBERS))
        if seen != self._seen:  # hardly ever, so that this is quick
            # Not callable: the default and the ignoring handler, which run no Python, and one
            # that was not installed from Python, which could not be restored.
            found = zip(NUMBERS, seen, strict=True)
            self._callable = {number: handler for number, handler in found if callable(handler)}
            self._seen = seen
        try:
            for number, handler in self._callable.items():
                self._handlers[number] = handler
                _signal.signal(number, self._note)
        except BaseException:  # raised by a handler that was not replaced yet
            self._restore()
            raise

    def _restore(self) -> None:
        if self._handlers:
            number, handler = self._handlers.popitem()
            try:
                _signal.signal(number, handler)
            finally:  # a handler that is in its place again may raise at once
                self._restore()

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._waiting.append(number)

    def deliver(self) -> None:
        """Call the handlers of the signals that wait."""
        while self._waiting:
            number = self._waiting.pop(0)
            handler = self._handlers.get(number) or _signal.getsignal(number)
            if callable(handler):
                handler(number, sys._getframe())


HOLD = Hold()


class Interrupts:
    """While it is entered, requests to end (Ctrl-C, SIGTERM) wait until something calls `look`.

    `look` then raises KeyboardInterrupt or Terminated. A signal that is ignored stays so, and in
    other threads than the main one nothing is done. Inside of another one, the outer one counts.

    Parameters
    ----------
    *numbers : int
        Signals, SIGINT and SIGTERM if omitted.
    owns_process : bool
        Whether the process is there for this alone, as a command's is. Then a request ends it at
        once as long as nothing is `at_stake`, and a second Ctrl-C does so in any case.
    patience : float, optional
        Seconds from the first request after which the process is ended, whatever it does.
    """

    entered: Interrupts | None = None  # the outermost one

    def __init__(
        self, *numbers: int, owns_process: bool = False, patience: float | None = None
    ) -> None:
        self._numbers = numbers or TO_END
        self.owns_process, self._patience = owns_process, patience
        self._before: dict[int, Any] = {}
        self.asked: int | None = None  # the signal that waits
        self._has_raised = False
        self.at_stake = not owns_process  # whether anything would be lost

    def __enter__(self) -> Interrupts:
        if not is_main_thread():
            return self
        if Interrupts.entered is not None:
            return Interrupts.entered
        Interrupts.entered = self
        for number in self._numbers:
            if _signal.getsignal(number) not in (signal.SIG_IGN, None):
                self._before[number] = signal.signal(number, self._ask)
        return self

    def __exit__(self, *_: object) -> None:
        if Interrupts.entered is self and is_main_thread():
            Interrupts.entered = None
            if self._patience is not None:
                signal.setitimer(signal.ITIMER_REAL, 0)
            while self._before:
                signal.signal(*self._before.popitem())

    def _ask(self, number: int, frame: FrameType | None) -> None:
        is_second = self.asked is not None and number == signal.SIGINT
        if self.owns_process and (is_second or not self.at_stake):
            end_process(number)
        if self._patience is not None and self.asked is None and hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, lambda *_: end_process(number))
            signal.setitimer(signal.ITIMER_REAL, self._patience)
        self.asked = number

    def look(self) -> None:
        """Raise if the process was asked to end; once for a request."""
        if self.asked is not None and not self._has_raised:
            self._has_raised = True
            raise KeyboardInterrupt if self.asked == signal.SIGINT else Terminated


def look() -> None:
    """Let signals that wait be handled now, which may raise: between kernels, and often enough."""
    if HOLD._waiting and is_main_thread():
        HOLD.deliver()
    if Interrupts.entered is not None and is_main_thread():
        Interrupts.entered.look()


@contextmanager
def raising() -> Iterator[None]:
    """Let SIGINT raise KeyboardInterrupt and SIGTERM Terminated, wherever the program is."""

    def terminate(number: int, frame: FrameType | None) -> None:
        raise Terminated

    handlers: dict[int, Any] = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: terminate,
    }
    before = {n: signal.signal(n, h) for n, h in handlers.items() if is_main_thread()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def end_process(number: int, frame: FrameType | None = None) -> NoReturn:
    """End the process at once, with the exit code that a shell has for the signal: a handler.

    For moments in which nothing can be lost. Nothing is raised: extension modules that are
    interrupted as they are imported swallow it or turn it into another error.
    """
    said = "spectralleader: stopped\n"
    if os.isatty(2):
        said = SHOW_CURSOR + said  # a progress display may have hidden it
    with suppress(OSError):  # standard error may be closed
        os.write(2, said.encode())
    os._exit(SHELL + number)
