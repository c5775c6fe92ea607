"""Deferral of signals: no handler runs inside a step, so that no signal can leave one half done.

A Python handler may run between any two instructions, also between a kernel and the use of its
result, and one that raises there leaves a step half done (or crashes the interpreter, see
docs/reliability.md). So handlers are deferred: in the library while `DEFER_SIGNALS` is entered, in
a command while `Interrupts` is. Long-running code calls `raise_if_interrupted` wherever it may be
interrupted.
"""

from __future__ import annotations

# The module `signal` wraps these functions in enumerations, which is ten times slower.
import _signal  # type: ignore[import-not-found]
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn

Handler = Callable[[int, FrameType | None], Any]

# Signals whose Python handlers commonly raise; SIGALRM is for time limits, and Windows has none.
NUMBERS = tuple(
    int(getattr(signal, name)) for name in ("SIGINT", "SIGTERM", "SIGALRM") if hasattr(signal, name)
)
TO_END = (signal.SIGINT, signal.SIGTERM)
SHELL = 128  # plus the signal's number: the exit code of a process that a signal ended
SHOW_CURSOR = "\x1b[?25h"


class Terminated(KeyboardInterrupt):
    """Raised after SIGTERM, which is sent to services and at shutdown."""


def is_main_thread() -> bool:
    """Return whether this is the main thread, in which Python runs signal handlers."""
    return threading.get_ident() == threading.main_thread().ident


def terminate(number: int, frame: FrameType | None = None) -> NoReturn:
    """Raise Terminated, as `signal.default_int_handler` raises KeyboardInterrupt."""
    raise Terminated


class SignalDeferral:
    """While it is entered in the main thread, SIGINT, SIGTERM and SIGALRM are deferred.

    At the exit their Python handlers are called, once each, in the order of the signals. Deferrals
    may be nested: the outermost one counts. In other threads, which run no handlers, nothing is
    done, and handlers of other signals run wherever they find the program.

    A handler may run and raise inside this class, too. What it leaves half done is harmless:
    outside of a deferral, the handler that records signals calls the one that it replaces, and the
    next deferral restores it.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._waiting: dict[int, FrameType | None] = {}  # signals, and where they came
        self._handlers: dict[int, Handler] = {}  # those that the notes stand for

    def __enter__(self) -> None:
        if is_main_thread():
            if self._depth == 0:
                self._install()
            self._depth += 1

    def __exit__(self, *_: object) -> None:
        if is_main_thread():
            if self._depth == 1:
                self._restore()
            else:
                self._depth -= 1

    def _install(self) -> None:
        # A handler that raised in `_put_back` may have left a note: what it stands for is known.
        self._handlers = {
            number: self._handlers[number] if handler == self._note else handler
            for number in NUMBERS
            if self._must_wait(handler := _signal.getsignal(number))
        }
        try:
            for number in self._handlers:
                _signal.signal(number, self._note)
        except BaseException:  # raised by one that was not replaced yet
            self._put_back()
            raise

    @staticmethod
    def _must_wait(handler: Any) -> bool:
        """Return whether a handler might do harm in a step.

        Not the default and the ignoring one, which run no Python; nor one that was not installed
        from Python, which could not be restored; nor those of `Interrupts`, which wait themselves.
        """
        return callable(handler) and not isinstance(getattr(handler, "__self__", None), Interrupts)

    def _restore(self) -> None:
        try:
            self._depth = 0
            self._put_back()
        except BaseException:  # one that is in its place again may raise at once
            self._put_back()
            raise
        finally:
            self._deliver()

    def _put_back(self) -> None:
        for number, handler in self._handlers.items():
            if _signal.getsignal(number) == self._note:  # not changed meanwhile
                _signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._waiting.setdefault(number, frame)
        if self._depth == 0:
            self._deliver()

    def _deliver(self) -> None:
        """Call the handlers of all deferred signals, even if one of them raises."""
        while self._waiting:
            try:
                number, frame = next(iter(self._waiting.items()))
                del self._waiting[number]
            except (KeyError, StopIteration, RuntimeError):  # a signal in between delivered it
                continue
            handler = _signal.getsignal(number)
            if handler == self._note:
                handler = self._handlers[number]
            try:
                if callable(handler):
                    handler(number, frame)
            except BaseException:
                self._deliver()
                raise

    def raise_if_interrupted(self) -> None:
        """Call the handler of a deferred signal, if it only raises that the program is to end.

        All other handlers wait for the end of the deferral: they might use what is half done.
        """
        for number in TO_END if self._waiting and is_main_thread() else ():
            handler = self._handlers.get(number)
            if number in self._waiting and handler in (signal.default_int_handler, terminate):
                handler(number, self._waiting.pop(number))


DEFER_SIGNALS = SignalDeferral()


class Interrupts:
    """While it is entered, requests to end (Ctrl-C, SIGTERM) are deferred.

    The next call of `raise_if_interrupted` raises KeyboardInterrupt or Terminated. Ignored signals
    stay ignored, and in other threads than the main one nothing is done. Of nested ones, the outer
    one counts.

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

    def raise_if_interrupted(self) -> None:
        """Raise if the process was asked to end; once for a request."""
        if self.asked is not None and not self._has_raised:
            self._has_raised = True
            raise KeyboardInterrupt if self.asked == signal.SIGINT else Terminated


def raise_if_interrupted() -> None:
    """Raise if the program was asked to end: between kernels, and often enough."""
    DEFER_SIGNALS.raise_if_interrupted()
    if Interrupts.entered is not None and is_main_thread():
        Interrupts.entered.raise_if_interrupted()


@contextmanager
def raising() -> Iterator[None]:
    """Let SIGINT raise KeyboardInterrupt and SIGTERM Terminated, wherever the program is."""
    handlers = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: terminate}
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
    message = "spectralleader: stopped\n"
    if os.isatty(2):
        message = SHOW_CURSOR + message  # a progress display may have hidden it
    with suppress(OSError):  # standard error may be closed
        os.write(2, message.encode())
    os._exit(SHELL + number)
