"""Learners by name: ours, those that installed packages offer, and the user's own.

A name that a user gives may be ``package.module:Class``, which is imported. A name in a saved file
never is: a file must not choose which code runs. It is looked up among the built-in learners, the
entry points of installed packages, and the classes that this process registered before.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np

from spectralleader.checks.states import part, text
from spectralleader.errors import StorageError
from spectralleader.learners.algorithm1 import Algorithm1
from spectralleader.learners.hedged import HedgedLeader
from spectralleader.learners.learner_base import Fixed
from spectralleader.learners.offline import BatchEM, SpectralMethod
from spectralleader.learners.protocol import Learner, Merges
from spectralleader.learners.spectral_leader.spectral_leader import SpectralLeader
from spectralleader.learners.stepwise_em import StepwiseEM
from spectralleader.learners.unigram import Unigram

DEFAULT_LEARNER = "hedged"  # default of the command line, the adapters and the demo
# Each is described by the first line of its docstring.
LEARNERS: dict[str, type[Learner]] = {
    "hedged": HedgedLeader,
    "spectral": SpectralLeader,
    "algorithm1": Algorithm1,
    "stepwise-em": StepwiseEM,
    "batch-em": BatchEM,
    "spectral-method": SpectralMethod,
    "unigram": Unigram,
}
# Learners that files may contain: these, and fixed models.
STORED = LEARNERS | {"fixed": Fixed}

GROUP = "spectralleader.learners"  # of entry points; their names are those of learners
MEMBERS = ("learn", "recode", "model", "predictive", "to_state", "from_state")
ARGUMENTS = ("n_topics", "n_words", "seed")
Class = TypeVar("Class", bound=type[Any])

_registered: dict[str, type[Learner]] = {}  # by full name, and by name of the entry point


def register_learner(learner: Class) -> Class:
    """Let files hold learners of this class, and return it, so that it can be a decorator.

    Loading a file imports nothing that the file names: register the class of your own learner
    before `load`. A learner that is chosen by its name, ``package.module:Class``, is registered
    by that.

    Raises
    ------
    ValueError
        If the class lacks a member that every learner has.

    Examples
    --------
    >>> from spectralleader import Unigram
    >>> @register_learner
    ... class Mine(Unigram):
    ...     '''Our floor under another name.'''
    >>> name_of(Mine(2)).endswith(":Mine")
    True
    """
    name = full_name(learner)
    _registered[name] = check_learner_class(learner, name)
    return learner


def find_learner(name: str) -> Callable[..., Learner]:
    """Return the class of a learner by its name, importing ``package.module:Class``.

    For names that users give. See `stored_learner` for those that files have.
    """
    if (found := _find_known(name)) is not None:
        return found
    if ":" in name:
        return register_learner(_import(name))
    raise ValueError(
        f"unknown learner {name!r}; choose one of {', '.join(LEARNERS | installed_learners())}, or "
        "your own as package.module:Class"
    )


def create_learner(name: str, n_topics: int, **parameters: Any) -> Learner:
    """Return a new learner by its name; `parameters` are those of its constructor.

    Raises
    ------
    ValueError
        If no learner has this name, or its constructor does not take a parameter; the
        message lists those it takes.

    Examples
    --------
    >>> create_learner("unigram", 1, reservoir=9)
    Traceback (most recent call last):
        ...
    ValueError: the learner 'unigram' has no parameter 'reservoir'; known are n_words, seed
    """
    make = find_learner(name)
    if unknown := refused(make, parameters):
        listed = ", ".join(sorted(set(inspect.signature(make).parameters) - {"n_topics"}))
        raise ValueError(
            f"the learner {name!r} has no parameter {unknown[0]!r}; known are {listed}"
        )
    return make(n_topics, **parameters)


def stored_learner(name: str) -> type[Learner]:
    """Return the class of a learner that a file names; nothing is imported for a file's sake.

    Except for an entry point of that name, which the user installed.
    """
    if name in STORED:
        return STORED[name]
    try:
        found = _find_known(name)
    except ValueError as error:  # an entry point that does not work
        raise StorageError(f"holds a learner {name!r}, but {error}") from error
    if found is not None:
        return found
    raise StorageError(
        f"holds a learner {name!r}, which is not known here, and no file may import code by "
        "itself: install the package that offers it or, if you trust it, name it on the command "
        f"line (--learner {name}) or call spectralleader.register_learner with the class first"
    )


def name_of(learner: Learner[Any, Any]) -> str:
    """Return the name by which files and tables call a learner's class."""
    cls = type(learner)
    for name, known in STORED.items():
        if known is cls:
            return name
    for name, entry_point in installed_learners().items():  # loads without being registered
        if entry_point.value == full_name(cls):
            return name
    for name, other in _registered.items():
        if other is cls:
            return name
    raise TypeError(
        f"a {cls.__name__} cannot be saved: it is not registered; call "
        f"spectralleader.register_learner({cls.__name__}) first"
    )


def learner_state(learner: Learner[Any, Any]) -> dict[str, Any]:
    """Return the state of a learner with the name of its class."""
    return {**learner.to_state(), "kind": name_of(learner)}


def read_learner(state: Any, name: str = "learner") -> Any:
    """Return the learner that `learner_state` described, which is a part of a state."""
    stored = part(state, name)
    return stored_learner(text(stored, "kind")).from_state(stored)


def installed_learners() -> dict[str, EntryPoint]:
    """Return the entry points of installed packages by name; nothing is imported."""
    return {entry_point.name: entry_point for entry_point in entry_points(group=GROUP)}


def full_name(cls: type) -> str:
    """Return ``package.module:Class``."""
    return f"{cls.__module__}:{cls.__qualname__}"


def _find_known(name: str) -> type[Learner] | None:
    """Return a class that is built in, registered or installed; built-in names come first."""
    if name in LEARNERS:
        return LEARNERS[name]
    if name not in _registered and (entry_point := installed_learners().get(name)) is not None:
        _registered[name] = check_learner_class(_import(entry_point.value), name)
    return _registered.get(name)


def _import(name: str) -> type[Learner]:
    """Return what ``package.module:Class`` names."""
    module, _, path = name.partition(":")
    try:
        named = attrgetter(path)(import_module(module))
    except Exception as error:  # whatever the code of a user raises
        raise ValueError(
            f"cannot import {name}: {type(error).__name__}: {error}; a learner of your own is "
            "named package.module:Class; run the command in the folder that holds the module, or "
            "install it"
        ) from error
    return check_learner_class(named, name)


def check_learner_class(found: Any, name: str) -> type[Learner]:
    """Return a class that has the members of a learner, or say which it lacks."""
    if not isinstance(found, type):
        raise ValueError(f"{name} is not a class of learners but of type {type(found).__name__}")
    lacking = [member for member in MEMBERS if not hasattr(found, member)]
    lacking += [f"the argument {argument}" for argument in refused(found, ARGUMENTS)]
    if lacking:
        raise ValueError(f"{name} is not a learner: it lacks {', '.join(lacking)} (docs/adding.md)")
    return found


def refused(make: Callable[..., Any], arguments: Iterable[str]) -> list[str]:
    """Return the arguments of these names that a constructor does not take."""
    known = inspect.signature(make).parameters
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values())
    return [] if takes_all else [argument for argument in arguments if argument not in known]


def settings_of(learner: Learner[Any, Any]) -> dict[str, Any]:
    """Return what a learner must have in common with others to be merged.

    Raises
    ------
    ValueError
        If there is no sound way to merge learners of its kind.
    """
    if not isinstance(learner, Merges):
        known = ", ".join(name for name, known in LEARNERS.items() if hasattr(known, "merge"))
        who = type(learner).__name__
        raise ValueError(f"the learner {who} cannot be merged; learners that can: {known}")
    fixed = {} if learner.grows else {"n_words": learner.n_words}
    return {"learner": type(learner).__name__, **learner.settings, **fixed}


def merge_learners(learners: Sequence[Any], rng: np.random.Generator) -> Any:
    """Return one of the learners, which merge, having taken in the others of the same settings.

    Those that learned nothing change nothing. Growing ones are widened to the same words.
    """
    n_words = max(learner.n_words for learner in learners)
    for learner in learners:
        if learner.n_words < n_words:
            learner.recode(None, n_words)
    first, *rest = [one for one in learners if not one.is_empty] or learners[:1]
    if rest:
        first.merge(rest, rng)
    return first
