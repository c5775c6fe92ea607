"""The kinds of objects in files, and the classes that they stand for.

An adapter needs its library, so its module is imported only if a file contains it. These modules
are part of this package: a file selects one of them, it cannot name another.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol, Self

from spectralleader import __version__
from spectralleader.checks import check_json
from spectralleader.checks.states import plain, take, text, whole
from spectralleader.documents import Documents
from spectralleader.errors import StorageError
from spectralleader.learners.protocol import Learner
from spectralleader.learners.registry import (
    STORED,
    learner_state,
    name_of,
    read_learner,
    stored_learner,
)
from spectralleader.models import TopicModel
from spectralleader.samples import SAMPLES
from spectralleader.storage.checkpoint import Checkpoint
from spectralleader.text.vocabulary import VOCABULARIES
from spectralleader.topics.text_topics import TextTopics

ADAPTERS = {"adapter/sklearn": "spectralleader.sklearn", "adapter/river": "spectralleader.river"}
CLASS = "SpectralTopics"  # in each of them
MAX_PARAMETERS = 2**20  # characters


def adapter_kind(thing: Any) -> str | None:
    """Return the name of an adapter's class in files, or None if an object is no adapter."""
    cls = type(thing)
    for kind, module in ADAPTERS.items():
        if (cls.__module__, cls.__name__) == (module, CLASS):
            return kind
    return None


def adapter_class(kind: str) -> type[Any]:
    """Return the class of an adapter; raise `StorageError` if its library is not installed."""
    try:
        cls: type[Any] = getattr(import_module(ADAPTERS[kind]), CLASS)
    except ImportError as error:
        raise StorageError(f"contains an adapter: {error}") from error
    return cls


def adapter_state(parameters: dict[str, Any], learner: Learner) -> dict[str, Any]:
    """Return the constructor's arguments and the learner as a state."""
    return {
        "parameters": check_json("parameters of an adapter to be saved", parameters),
        "learner": learner_state(learner),
    }


def read_adapter(state: dict[str, Any], names: list[str]) -> tuple[dict[str, Any], Learner]:
    """Return the constructor's arguments, which have these names, and the learner."""
    parameters = plain(state, "parameters", MAX_PARAMETERS)
    if not isinstance(parameters, dict) or set(parameters) != set(names):
        raise ValueError(f"parameters must be {', '.join(names)}")
    return parameters, read_learner(state)


class Storable(Protocol):
    """An object that can be saved: one that can be rebuilt from its state."""

    def to_state(self) -> dict[str, Any]:
        """Return the state, as arrays and plain values."""

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the object that `to_state` described; raise `ValueError` for an invalid state."""


KINDS: dict[str, type[Storable]] = {
    "text-topics": TextTopics,
    "checkpoint": Checkpoint,
    "model": TopicModel,
    "documents": Documents,
    **{f"learner/{name}": learner for name, learner in STORED.items()},
    **{f"vocabulary/{name}": vocabulary for name, vocabulary in VOCABULARIES.items()},
    **{f"sample/{name}": sample for name, sample in SAMPLES.items()},
}


FORMAT = 4  # of the files that are written and read; earlier ones were never released
LEARNER = "learner/"  # prefix of learners' names


def kind_of(thing: Any) -> str:
    """Return the name of an object's class in files; raise `TypeError` if it cannot be saved."""
    # Subclasses are not saved as their base: loading would silently return another class.
    for name, cls in KINDS.items():
        if type(thing) is cls:
            return name
    # A learner of the user's own, which must be registered to be found again.
    if isinstance(thing, Learner):
        return LEARNER + name_of(thing)
    if kind := adapter_kind(thing):
        return kind
    raise TypeError(f"a {type(thing).__name__} cannot be saved; known kinds: {', '.join(KINDS)}")


def find_kind(name: str) -> type[Storable]:
    """Return the class with this name in files; no code that a file names is imported."""
    if name in KINDS:
        return KINDS[name]
    if name.startswith(LEARNER):
        return stored_learner(name.removeprefix(LEARNER))
    if name in ADAPTERS:
        return adapter_class(name)
    raise StorageError(f"contains an object of unknown kind {name!r:.40}")


def check_header(header: dict[str, Any]) -> dict[str, Any]:
    """Return the header of a file if its format and kind are known; raise `StorageError` if not."""
    found = whole(header, "format", 1, 10**6)
    # Nothing before this format was released, so there are no migrations.
    if found < FORMAT:
        raise StorageError(
            f"has format {found}, which spectralleader {__version__} cannot read: learn it again"
        )
    if found > FORMAT:
        raise StorageError(
            f"has format {found}, spectralleader {__version__} reads {FORMAT}; it was written by "
            f"{take(header, 'library')!r:.40}: install that or a newer one"
        )
    find_kind(text(header, "kind"))
    take(header, "state")
    return header
