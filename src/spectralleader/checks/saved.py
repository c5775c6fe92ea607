"""Saved: a class lists the fields of its state once, with their checks, and one pair uses them.

Examples
--------
>>> class Counter(Saved):
...     saved = fields(n_words=field(whole, least=1), _counts=field(floats, shape=("n_words",)))
...
...     def __init__(self, n_words: int) -> None:
...         self.n_words, self._counts = n_words, np.zeros(n_words)
>>> state = Counter(2).to_state()
>>> sorted(state), Counter.from_state(state).n_words
(['counts', 'n_words'], 2)
>>> Counter.from_state(state | {"n_words": 3})
Traceback (most recent call last):
ValueError: counts must be an array of float64 and shape (3,), got one of float64 and shape (2,)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from spectralleader.checks.states import State, floats, one_of, part, parts, take, whole

__all__ = ["Field", "Saved", "field", "fields", "floats", "whole"]  # the checks for the example


class Field(NamedTuple):
    """How a value of a state is checked and read."""

    check: Callable[..., Any]  # a function of `checks.states`, or a class with `from_state`
    limits: Mapping[str, Any]  # arguments of the check
    optional: bool  # whether it may be None
    many: bool  # whether it is a list of nested states

    def read(self, state: Any, key: str, known: Mapping[str, Any]) -> Any:
        """Return the checked value of a key; `known` are the sizes and the fields before it."""
        if self.optional and take(state, key) is None:
            return None
        limits = {name: resolve(limit, known) for name, limit in self.limits.items()}
        if isinstance(limits.get("shape"), tuple):
            limits["shape"] = tuple(known.get(size, size) for size in limits["shape"])
        if not isinstance(self.check, type):
            value = self.check(state, key, **limits)
            # The arrays of a file share its memory, and an object changes its own.
            return (
                value.copy() if isinstance(value, np.ndarray) and value.base is not None else value
            )
        # Only our own classes ask for sizes; others check what they hold by themselves.
        sizes = {**known, **limits} if issubclass(self.check, Saved) else {}
        read: Any = self.check.from_state  # type: ignore[attr-defined]
        if self.many:
            return [read(one, **sizes) for one in parts(state, key, limits.get("count"))]
        return read(part(state, key), **sizes)


def field(
    check: Callable[..., Any], *, optional: bool = False, many: bool = False, **limits: Any
) -> Field:
    """Return the field of a state that this function checks, or that is an object of this class.

    A name in a `shape`, and a limit that is a function, stand for what was read before.
    """
    return Field(check, limits, optional, many)


def fields(base: Mapping[str, Field] | None = None, /, **own: Any) -> Mapping[str, Field]:
    """Return the fields of a class by attribute, after its base's; a check may stand alone."""
    new = {name: one if isinstance(one, Field) else field(one) for name, one in own.items()}
    return {**(base or {}), **new}


def resolve(limit: Any, known: Mapping[str, Any]) -> Any:
    """Return a limit as a value."""
    return limit(known) if inspect.isfunction(limit) else limit


def by_kind(*classes: Any) -> Callable[[Any, str], Any]:
    """Return a check that reads an object of one of these classes, which its state names."""
    known = {cls.saved_as: cls for cls in classes}

    def read(state: Any, name: str) -> Any:
        stored = part(state, name)
        return known[one_of(stored, "kind", known)].from_state(stored)

    return read


class Saved:
    """An object that lists its state in `saved`: a field per attribute, in order of reading.

    The keys of the state are the attributes without underscores in front. Constructor's arguments
    are taken from the fields and from the sizes that the owner knows; the rest is set afterwards.
    All arrays are read before anything of their sizes is allocated, because a file is not trusted.
    A class that takes turns with others, see `by_kind`, has a name in files, `saved_as`.
    """

    __slots__ = ()
    saved_as: ClassVar[str] = ""
    saved: ClassVar[Mapping[str, Field]] = {}

    def to_state(self) -> State:
        """Return everything needed to continue, as arrays and plain values."""
        kind = {"kind": self.saved_as} if self.saved_as else {}
        return kind | {name.lstrip("_"): written(getattr(self, name)) for name in self.saved}

    @classmethod
    def from_state(cls, state: State, **sizes: Any) -> Self:
        """Return the object that `to_state` described; raise `ValueError` for an invalid state."""
        known = dict(sizes)
        for name, one in cls.saved.items():
            known[name] = one.read(state, name.lstrip("_"), known)
        # The constructor allocates by sizes that the arrays read so far have proved.
        arguments = inspect.signature(cls).parameters
        thing = cls(**{name: known[name] for name in arguments if name in known})
        for name in cls.saved:
            if name not in arguments:
                setattr(thing, name, known[name])
        thing._loaded()
        return thing

    def _loaded(self) -> None:
        """Raise `ValueError` unless the fields fit together, and compute what follows from them."""


def written(value: Any) -> Any:
    """Return a field as a state has it; arrays that may still change are copied."""
    if hasattr(value, "to_state"):
        return value.to_state()
    # A state must not change when the object does. What is read-only never does.
    if isinstance(value, np.ndarray):
        return value.copy() if value.flags.writeable else value
    if isinstance(value, list):
        return [written(one) for one in value]
    if isinstance(value, np.random.Generator):
        return value.bit_generator.state
    return np.array(value, np.int64) if isinstance(value, tuple) else value  # of integers
