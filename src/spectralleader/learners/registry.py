"""Learners by name: ours, those that installed packages offer, and the user's own.

A name that a user gives may be ``package.module:Class``, which is imported. A name in a saved file
never is: a file must not choose which code runs. It is looked up among the built-in learners, the
entry points of installed packages, and the classes that this process registered before.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from spectralleader.errors import StorageError
from spectralleader.learners.algorithm1 import Algorithm1
from spectralleader.learners.fixed import Fixed
from spectralleader.learners.hedged import HedgedLeader
from spectralleader.learners.offline import BatchEM, SpectralMethod
from spectralleader.learners.protocol import Learner, Mergeable
from spectralleader.learners.spectral_leader.spectral_leader import SpectralLeader
from spectralleader.learners.stepwise_em import StepwiseEM
from spectralleader.learners.unigram import Unigram


class Entry(NamedTuple):
    """The class of a learner, with a description in one line."""

    learner: type[Learner]
    description: str


DEFAULT_LEARNER = "hedged"  # default of the command line, the adapters and the demo
LEARNERS: dict[str, Entry] = {
    "hedged": Entry(HedgedLeader, "stable topics; predicts by a mixture of experts; no tuning"),
    "spectral": Entry(SpectralLeader, "the paper's learner, fast: a model in microseconds"),
    "algorithm1": Entry(Algorithm1, "the paper's Algorithm 1 line by line; slow, for verification"),
    "stepwise-em": Entry(StepwiseEM, "online EM with decreasing step size, the paper's baseline"),
    "batch-em": Entry(BatchEM, "batch EM on all documents, best of several starts; offline"),
    "spectral-method": Entry(SpectralMethod, "the spectral method on all documents; offline"),
    "unigram": Entry(Unigram, "word frequencies without topics, the baseline"),
}
# Learners that files may contain: these, and fixed models.
STORED = LEARNERS | {"fixed": Entry(Fixed, "a fixed model, for instance from an engine")}


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
        f"unknown learner {name!r}; choose one of {', '.join(known_names())}, or your own as "
        "package.module:Class"
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
    known = inspect.signature(make).parameters
    takes_all = any(one.kind is one.VAR_KEYWORD for one in known.values())
    unknown = [parameter for parameter in parameters if parameter not in known]
    if unknown and not takes_all:
        listed = ", ".join(sorted(set(known) - {"n_topics"}))
        raise ValueError(
            f"the learner {name!r} has no parameter {unknown[0]!r}; known are {listed}"
        )
    return make(n_topics, **parameters)


def stored_learner(name: str) -> type[Learner]:
    """Return the class of a learner that a file names; nothing is imported for a file's sake.

    Except for an entry point of that name, which the user installed.
    """
    if name in STORED:
        return STORED[name].learner
    try:
        found = _find_known(name)
    except ValueError as error:  # an entry point that does not work
        raise StorageError(f"holds a learner {name!r}, but {error}") from error
    if found is not None:
        return found
    advice = "install the package that offers it"
    if ":" in name:
        advice = (
            f"no file may import code by itself, so if you trust it, name the learner on the "
            f"command line (--learner {name}) or call spectralleader.register_learner with the "
            "class first"
        )
    raise StorageError(f"holds a learner {name!r}, which is not known here; {advice}")


def name_of(learner: Learner) -> str:
    """Return the name by which files and tables call a learner's class."""
    cls = type(learner)
    for name, entry in STORED.items():
        if entry.learner is cls:
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


def is_own(name: str) -> bool:
    """Return whether a name is that of a learner that is not built in."""
    return name not in LEARNERS and (
        ":" in name or name in _registered or name in installed_learners()
    )


def known_names() -> list[str]:
    """Return all names that `find_learner` finds without an import by path."""
    return [*LEARNERS, *(name for name in installed_learners() if name not in LEARNERS)]


def installed_learners() -> dict[str, EntryPoint]:
    """Return the entry points of installed packages by name; nothing is imported."""
    return {entry_point.name: entry_point for entry_point in entry_points(group=GROUP)}


def full_name(cls: type) -> str:
    """Return ``package.module:Class``."""
    return f"{cls.__module__}:{cls.__qualname__}"


def _find_known(name: str) -> type[Learner] | None:
    """Return a class that is built in, registered or installed; built-in names come first."""
    if name in LEARNERS:
        return LEARNERS[name].learner
    if name not in _registered and (entry_point := installed_learners().get(name)) is not None:
        _registered[name] = check_learner_class(_import(entry_point.value), name)
    return _registered.get(name)


def _import(name: str) -> type[Learner]:
    """Return what ``package.module:Class`` names."""
    module, _, path = name.partition(":")
    if not all(part.isidentifier() for part in (*module.split("."), *path.split("."))):
        raise ValueError(f"a learner of your own is named package.module:Class, got {name!r}")
    try:
        found: Any = import_module(module)
    except Exception as error:  # whatever the code of a user raises
        said = f"{type(error).__name__}: {error}"
        raise ValueError(
            f"cannot import {module} for the learner {name}: {said}; run the command in the "
            "folder that holds the module, or install it"
        ) from error
    for part in path.split("."):
        if not hasattr(found, part):
            raise ValueError(f"the module {module} has no {path}, named by the learner {name}")
        found = getattr(found, part)
    return check_learner_class(found, name)


def check_learner_class(found: Any, name: str) -> type[Learner]:
    """Return a class that has the members of a learner, or say which it lacks."""
    if not isinstance(found, type):
        raise ValueError(f"{name} is not a class of learners but of type {type(found).__name__}")
    lacking = [member for member in MEMBERS if not hasattr(found, member)]
    if lacking:
        raise ValueError(f"{name} is not a learner: it lacks {', '.join(lacking)} (docs/adding.md)")
    parameters = inspect.signature(found).parameters
    takes_all = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    refused = [argument for argument in ARGUMENTS if argument not in parameters and not takes_all]
    if refused:
        raise ValueError(
            f"{name} is not a learner: its constructor does not take {', '.join(refused)} "
            "(docs/adding.md)"
        )
    return found


def settings_of(learner: Learner) -> dict[str, Any]:
    """Return what a learner must have in common with others to be merged.

    Raises
    ------
    ValueError
        If there is no sound way to merge learners of its kind.
    """
    if not isinstance(learner, Mergeable):
        known = ", ".join(name for name, entry in LEARNERS.items() if can_merge(entry.learner))
        what = f"what {type(learner).__name__} learned"
        if isinstance(learner, Fixed):
            what = "a finished model, such as an engine's,"
        raise ValueError(f"{what} cannot be merged; learners that can: {known}")
    fixed = {} if learner.grows else {"n_words": learner.n_words}
    return {"learner": type(learner).__name__, **learner.settings, **fixed}


def can_merge(learner: type[Learner]) -> bool:
    """Return whether there is a sound way to merge learners of a kind."""
    return hasattr(learner, "merge")


def merge_learners(learners: Sequence[Learner], rng: np.random.Generator) -> Learner:
    """Return one of the learners, having taken in the others; their settings are the same.

    Those that learned nothing change nothing. Growing ones are widened to the same words.
    """
    mergeable = cast("Sequence[Mergeable]", learners)
    n_words = max(learner.n_words for learner in mergeable)
    for learner in mergeable:
        if learner.n_words < n_words:
            learner.recode(None, n_words)
    first, *rest = [one for one in mergeable if not one.is_empty] or mergeable[:1]
    if rest:
        first.merge(rest, rng)
    return first
