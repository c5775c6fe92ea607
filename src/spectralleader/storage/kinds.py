"""Every kind of thing that can be saved, by the name it has in files."""

from __future__ import annotations

from typing import Any, Protocol, Self

from spectralleader.documents import Documents
from spectralleader.errors import StorageError
from spectralleader.learners.lookup import name_of, stored_learner
from spectralleader.learners.protocol import Learner
from spectralleader.learners.registry import STORED
from spectralleader.models import TopicModel
from spectralleader.samples import SAMPLES
from spectralleader.storage.checkpoint import Checkpoint
from spectralleader.text.topics import TextTopics
from spectralleader.text.vocabulary import VOCABULARIES


class Storable(Protocol):
    """What can be saved: anything that is its state."""

    def to_state(self) -> dict[str, Any]:
        """Return all there is to it, as arrays and plain values."""

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Rebuild what `to_state` described; a `ValueError` says what of it cannot be."""


KINDS: dict[str, type[Storable]] = {
    "text-topics": TextTopics,
    "checkpoint": Checkpoint,
    "model": TopicModel,
    "documents": Documents,
    **{f"learner/{name}": entry.learner for name, entry in STORED.items()},
    **{f"vocabulary/{name}": vocabulary for name, vocabulary in VOCABULARIES.items()},
    **{f"sample/{name}": sample for name, sample in SAMPLES.items()},
}


LEARNER = "learner/"  # before the name of a learner


def kind_of(thing: Any) -> str:
    """Return the name that a thing's kind has in files."""
    for name, cls in KINDS.items():
        if type(thing) is cls:
            return name
    if isinstance(thing, Learner):
        return LEARNER + name_of(thing)
    if advice := getattr(type(thing), "how_to_save", None):  # adapters of other libraries
        name = f"{type(thing).__module__}.{type(thing).__name__}"
        raise TypeError(f"{name} is not saved by spectralleader.save: {advice}")
    raise TypeError(f"a {type(thing).__name__} cannot be saved; known are {', '.join(KINDS)}")


def find_kind(name: str) -> type[Storable]:
    """Return the class of things that a file calls so; no code is imported for it."""
    if name in KINDS:
        return KINDS[name]
    if name.startswith(LEARNER):
        return stored_learner(name.removeprefix(LEARNER))
    raise StorageError(f"holds a {name!r:.40}, which is not known here")
