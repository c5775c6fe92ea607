"""Tools for writing laws: small learners, comparison of states and models, and `require`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from spectralleader.documents import Documents
from spectralleader.learners.protocol import Learner
from spectralleader.models import TopicModel
from spectralleader.storage.container import pack, unpack

Stream = Sequence[Documents]
N_TOPICS, N_WORDS = 3, 5


class LawError(AssertionError):
    """Raised if a learner violates a law."""


class Maker:
    """A factory of small learners of one class, by default with 3 topics and seed 0."""

    def __init__(self, factory: Callable[..., Learner], **settings: Any) -> None:
        self.factory = factory
        self.settings = {"n_topics": N_TOPICS, "seed": 0, **settings}
        self.takes = frozenset(inspect.signature(factory).parameters)

    def __call__(self, **parameters: Any) -> Learner:
        """Return a new learner."""
        return self.factory(**{**self.settings, **parameters})

    def over(self, n_words: int) -> Maker:
        """Return a maker of learners with a fixed vocabulary size."""
        return Maker(self.factory, **{**self.settings, "n_words": n_words})


def require(condition: object, message: str) -> None:
    """Raise unless a condition holds; unlike `assert`, also with `python -O`."""
    if not condition:
        raise LawError(message)


def require_refusal(call: Callable[[], object], kinds: Any, what: str) -> None:
    """Raise unless a call raises an error of one of the kinds."""
    try:
        call()
    except kinds:
        return
    raise LawError(f"{what} must be rejected, but was accepted")


def require_valid(model: TopicModel) -> None:
    """Raise unless a model is a finite distribution without words of probability 0."""
    for name, rows in (("weights", model.weights[None]), ("topics", model.topics)):
        require(np.isfinite(rows).all(), f"{name} must be finite")
        require((rows >= 0).all(), f"{name} must not be negative, the minimum is {rows.min()}")
        # Rounding errors of sums over a million words are about 1e-11.
        away = float(np.abs(rows.sum(axis=1) - 1.0).max())
        require(away <= 1e-9, f"{name} must sum to 1, but are {away:g} off")
    require((model.topics > 0).all(), "topics must be positive: no word may have probability 0")


def same_state(a: object, b: object) -> bool:
    """Return whether two states (nested dictionaries of arrays and plain values) are equal."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same_state(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(same_state(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return not isinstance(a, np.ndarray) and not isinstance(b, np.ndarray) and bool(a == b)


def same_model(a: TopicModel, b: TopicModel) -> bool:
    """Return whether two models are equal bit for bit."""
    return np.array_equal(a.weights, b.weights) and np.array_equal(a.topics, b.topics)


def taught(learner: Learner, stream: Iterable[Documents]) -> Learner:
    """Return a learner that has learned a stream."""
    for block in stream:
        learner.learn(block)
    return learner


def reload(learner: Learner) -> Learner:
    """Return a learner after a round trip through a file."""
    content = bytearray(pack({"state": learner.to_state()}))
    return type(learner).from_state(unpack(content)["state"])


def continue_loaded(learner: Learner, after: Stream) -> None:
    """Raise unless a learner and its reloaded copy continue identically."""
    loaded = reload(learner)
    require(same_model(learner.model, loaded.model), "loading changed the model")
    for block in after:
        learner.learn(block)
        loaded.learn(block)
        require(same_model(learner.model, loaded.model), "after loading, models diverge")
    require(same_state(learner.to_state(), loaded.to_state()), "after loading, states diverge")
