"""Adapters to other libraries in files: their kinds, and the state that both have in common.

An adapter needs its library, so its module is imported only if a file contains it. These modules
are part of this package: a file selects one of them, it cannot name another.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from spectralleader.checks import check_json
from spectralleader.checks.states import part, plain, text
from spectralleader.errors import StorageError
from spectralleader.learners.lookup import name_of, stored_learner
from spectralleader.learners.protocol import Learner

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
        "learner": {**learner.to_state(), "kind": name_of(learner)},
    }


def read_adapter(state: dict[str, Any], names: list[str]) -> tuple[dict[str, Any], Learner]:
    """Return the constructor's arguments, which have these names, and the learner."""
    parameters = plain(state, "parameters", MAX_PARAMETERS)
    if not isinstance(parameters, dict) or set(parameters) != set(names):
        raise ValueError(f"parameters must be {', '.join(names)}")
    stored = part(state, "learner")
    return parameters, stored_learner(text(stored, "kind")).from_state(stored)
