"""Tools for writing laws: small learners and streams, comparison of states, `require`."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from spectralleader.documents import Documents
from spectralleader.learners.protocol import Learner
from spectralleader.models import TopicModel
from spectralleader.storage.container import pack, unpack

Stream = Sequence[Documents]
N_TOPICS, N_WORDS = 3, 5  # small: every law is tried on many streams


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


@contextmanager
def unchanged(thing: Learner | Documents, message: str) -> Iterator[None]:
    """Raise unless an object has the same state after the block as before."""
    # A copy, because a state may share arrays with the object, which would hide a change.
    before = copy.deepcopy(thing.to_state())
    yield
    require(same_state(thing.to_state(), before), message)


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
    # Through bytes: what `to_state` returns may share memory with the learner.
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


# Degenerate documents over 5 words, by description.
DEGENERATE: dict[str, list[list[int]]] = {
    "an empty document": [[]],
    "one word": [[0]],
    "two words": [[0, 1]],
    "one document": [[0, 1, 2]],
    "one word only": [[2] * 50] * 20,
    "all documents equal": [[0, 1, 2]] * 20,
    "one word per document": [[i % 5] for i in range(20)],
    "as many topics as words": [[i % 5] * 3 for i in range(20)],
    "every word once": [[0, 1, 2, 3, 4]],
}


def documents(n_docs: int = 30, n_words: int = 6, *, seed: int = 0) -> Documents:
    """Return documents of 0 to 8 words from two overlapping topics."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.ones(n_words), size=2)
    chosen = topics[rng.integers(2, size=n_docs)]
    sizes = rng.integers(0, 9, size=n_docs)
    return Documents.from_tokens(
        [rng.choice(n_words, size=n, p=p) for n, p in zip(sizes, chosen, strict=True)], n_words
    )


def growing(whole: Documents, size: int) -> list[Documents]:
    """Return blocks with words numbered in order of appearance, each over the words so far."""
    words, first = np.unique(whole.words, return_index=True)
    ids = np.full(whole.n_words, -1)
    ids[words[np.argsort(first)]] = np.arange(len(words))
    # Words that never occur come last.
    ids[ids < 0] = np.arange(len(words), whole.n_words)
    stream, n_words = [], 1
    for block in whole.recode(ids, whole.n_words).blocks(size):
        n_words = max(n_words, int(block.words.max(initial=0)) + 1)
        stream.append(Documents(block.indptr, block.words, block.counts, n_words))
    return stream


def fixed_streams() -> list[list[Documents]]:
    """Return streams over 5 words: empty, with empty blocks, degenerate, of several block sizes."""
    odd = [Documents.from_tokens(tokens, 5) for tokens in DEGENERATE.values()]
    sizes = [list(documents(40, 5, seed=size).blocks(size)) for size in (1, 7, 40)]
    return [[], [Documents.empty(5), documents(9, 5)], odd, *sizes]


def growing_streams() -> list[list[Documents]]:
    """Return streams with growing vocabularies, and with blocks over fewer words than before."""
    up_and_down = [documents(6, n_words, seed=n_words) for n_words in (3, 1, 25, 8)]
    wide = [Documents.empty(4), *growing(documents(40, 20), 7)]
    return [[], up_and_down, growing(documents(60, 12), 5), wide]
