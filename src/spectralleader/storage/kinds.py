"""The registry of classes that can be saved, by their name in files."""

from __future__ import annotations

from typing import Any, Protocol, Self

from spectralleader.documents import Documents
from spectralleader.errors import StorageError
from spectralleader.learners.lookup import name_of, stored_learner
from spectralleader.learners.protocol import Learner
from spectralleader.learners.registry import STORED
from spectralleader.models import TopicModel
from spectralleader.samples import SAMPLES
from spectralleader.storage.adapters import ADAPTERS, adapter_class, adapter_kind
from spectralleader.storage.checkpoint import Checkpoint
from spectralleader.text.topics import TextTopics
from spectralleader.text.vocabulary import VOCABULARIES


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
    **{f"learner/{name}": entry.learner for name, entry in STORED.items()},
    **{f"vocabulary/{name}": vocabulary for name, vocabulary in VOCABULARIES.items()},
    **{f"sample/{name}": sample for name, sample in SAMPLES.items()},
}


LEARNER = "learner/"  # prefix of learners' names


def kind_of(thing: Any) -> str:
    """Return the name of an object's class in files; raise `TypeError` if it cannot be saved."""
    for name, cls in KINDS.items():
        if type(thing) is cls:
            return name
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
