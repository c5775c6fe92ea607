"""Locks: one thread at a time changes or reads an object, safe for threads and signals."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from copy import deepcopy
from functools import wraps
from typing import Any, TypeVar, cast

from spectralleader.errors import BrokenError
from spectralleader.runtime.interrupts import DEFER_SIGNALS, raise_if_interrupted

BROKEN = (
    "this {} was being changed when {} was raised, and cannot be used any more; load what was "
    "saved last, or start again"
)
WAIT = 0.1  # seconds between two looks at signals, while another thread is at work
Method = TypeVar("Method", bound=Callable[..., Any])


class StepLock:
    """A reentrant lock that defers signals while it is held.

    Copies and pickles of an object get a lock of their own.
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

    def __reduce__(self) -> tuple[type[StepLock], tuple[()]]:
        return StepLock, ()


def lock_of(thing: Any) -> StepLock:
    """Return the lock of an object, which all threads share."""
    fields: dict[str, Any] = thing.__dict__
    # Both are atomic, so that two threads that come first get the same lock.
    lock: StepLock = fields.get("_step_lock") or fields.setdefault("_step_lock", StepLock())
    return lock


def locked(method: Method) -> Method:
    """Let one thread at a time into the locked methods of an object, unless it is broken.

    For methods of a `ThreadSafe` class that change it, or that read what a change replaces. For a
    property, it stands below ``@property``.

    Raises
    ------
    BrokenError
        When the method is called after a change of the object was broken off.
    """

    @wraps(method)
    def enter(self: Any, *args: Any, **keywords: Any) -> Any:
        with lock_of(self):
            if self._broken is not None:
                raise BrokenError(BROKEN.format(type(self).__name__, self._broken))
            return method(self, *args, **keywords)

    cast(Any, enter).is_locked = True
    return cast(Method, enter)


def is_locked(member: Any) -> bool:
    """Return whether a member of a class is a locked method, or a property locked throughout."""
    if isinstance(member, property):
        return all(map(is_locked, filter(None, (member.fget, member.fset))))
    return getattr(member, "is_locked", False)


class ThreadSafe:
    """An object whose `locked` methods exclude each other.

    What overrides a locked method or property is locked as well, also in other people's subclasses
    and if it comes from a mixin. Copies and pickles are of the object as it is between two steps.
    """

    _broken: str | None = None  # what happened while it was being changed

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        members = (member for base in cls.__mro__ for member in vars(base).items())
        for name in {name for name, member in members if is_locked(member)}:
            member = inspect.getattr_static(cls, name)
            if isinstance(member, property) and not is_locked(member):
                entered = member.getter(locked(member.fget)) if member.fget else member
                setattr(cls, name, entered.setter(locked(member.fset)) if member.fset else entered)
            elif inspect.isfunction(member) and not is_locked(member):
                setattr(cls, name, locked(member))

    def __getstate__(self) -> dict[str, Any]:
        with lock_of(self):
            return deepcopy(vars(self))


class changing:  # noqa: N801  # read as a verb: with changing(self)
    """A context manager around a change of an object, after all checks: it completes, or breaks it.

    Bad input is refused before anything changes, and signals wait for the end. What is left is what
    is unexpected, such as no more memory: every later use then raises `BrokenError`.
    """

    __slots__ = ("_thing",)

    def __init__(self, thing: ThreadSafe) -> None:
        self._thing = thing

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None:
            self._thing._broken = repr(error)
