"""Guard: serialises the steps and reads of an object, safe for threads and signals."""

from __future__ import annotations

import threading
from collections.abc import Callable
from copy import deepcopy
from functools import wraps
from typing import Any, ClassVar

from spectralleader.errors import BrokenError
from spectralleader.runtime.interrupts import DEFER_SIGNALS, raise_if_interrupted

BROKEN = (
    "this {} was being changed when {} was raised, and cannot be used any more; load what was "
    "saved last, or start again"
)
WAIT = 0.1  # seconds between two looks at signals, while another thread is at work
# What of a learner changes it, or reads what a change is about to replace.
DOORS = ("learn", "fit", "recode", "merge", "model", "predictive", "info", "to_state")


class Guard:
    """A reentrant lock that defers signals while it is held.

    Copies and pickles of an object get a guard of their own.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        DEFER_SIGNALS.__enter__()
        try:
            # Signals are looked at while another thread has the lock, but never between getting
            # it and the hold: the lock would stay taken.
            while not self._lock.acquire(timeout=WAIT):
                raise_if_interrupted()
        except BaseException:
            DEFER_SIGNALS.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        self._lock.release()
        DEFER_SIGNALS.__exit__()

    def __reduce__(self) -> tuple[type[Guard], tuple[()]]:
        return Guard, ()


def guard_of(thing: Any) -> Guard:
    """Return the guard of an object, which all threads share."""
    fields: dict[str, Any] = thing.__dict__
    guard: Guard = fields.get("_guard") or fields.setdefault("_guard", Guard())
    return guard


class changing:  # noqa: N801  # read as a verb: with changing(self)
    """A context manager around a change of an object, after all checks: it completes, or breaks it.

    Bad input is refused before anything changes, and signals wait for the end. What is left is what
    is unexpected, such as no more memory: every later use then raises `BrokenError`.
    """

    __slots__ = ("_thing",)

    def __init__(self, thing: Guarded) -> None:
        self._thing = thing

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None:
            self._thing._broken = repr(error)


class Guarded:
    """Lets one thread at a time through the doors that its subclasses define, unless it is broken.

    Copies and pickles are of the object as it is between two steps.
    """

    doors: ClassVar[tuple[str, ...]] = DOORS
    _broken: str | None = None  # what happened while it was being changed

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        for name in cls.doors:
            owner = next((base for base in cls.__mro__ if name in vars(base)), cls)
            # Doors of a guarded base are guarded there; those of other bases are not.
            if owner is not cls and issubclass(owner, Guarded):
                continue
            door = vars(owner).get(name)
            if isinstance(door, property) and door.fget is not None:
                setattr(cls, name, property(_guarded(door.fget), doc=door.__doc__))
            elif callable(door):
                setattr(cls, name, _guarded(door))

    def __getstate__(self) -> dict[str, Any]:
        with guard_of(self):
            return deepcopy({key: value for key, value in vars(self).items() if key != "_guard"})


def _guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def enter(self: Any, *args: Any, **keywords: Any) -> Any:
        with guard_of(self):
            if self._broken is not None:
                raise BrokenError(BROKEN.format(type(self).__name__, self._broken))
            return method(self, *args, **keywords)

    return enter
