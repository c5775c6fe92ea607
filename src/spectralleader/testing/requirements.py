"""Tools for writing laws: small learners and streams, comparison of states, `require`."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from typing import Any, Protocol

import numpy as np

from spectralleader.documents import Block, Documents
from spectralleader.learners.protocol import Learner, Merges
from spectralleader.models import Model, TopicModel
from spectralleader.storage.container import pack, unpack

AnyLearner = Learner[Any, Any]  # of any family, like all that follows
Stream = Sequence[Any]
N_TOPICS, N_WORDS = 3, 5  # small: every law is tried on many streams
LONGEST = 2.0**53  # words of a document, less than this


class LawError(AssertionError):
    """Raised if a learner violates a law."""


class Family(Protocol):
    """What the laws need to know of a family of models: its blocks, and when a model is valid."""

    def documents(self, n_docs: int, n_words: int, *, seed: int = 0) -> Any:
        """Return a block of random documents."""

    def growing(self, n_docs: int, n_words: int, size: int) -> Stream:
        """Return random blocks of some size, over more and more words."""

    def odd(self) -> dict[str, Any]:
        """Return blocks over `N_WORDS` words that learners may stumble over, by description."""

    def everything(self, n_words: int) -> Any:
        """Return documents over n_words words whose probabilities sum to 1."""

    def start(self, n_topics: int, n_words: int) -> Any:
        """Return a model for learners that take a `start`."""

    def require_valid(self, model: Any) -> None:
        """Raise `LawError` unless a model is valid."""


class Maker:
    """A factory of small learners of one class, by default with 3 topics and seed 0."""

    def __init__(
        self, factory: Callable[..., AnyLearner], family: Family | None = None, **settings: Any
    ) -> None:
        self.factory, self.family = factory, TOPICS if family is None else family
        self.settings = {"n_topics": N_TOPICS, "seed": 0, **settings}
        self.takes = frozenset(inspect.signature(factory).parameters)

    def __call__(self, **parameters: Any) -> AnyLearner:
        """Return a new learner."""
        return self.factory(**{**self.settings, **parameters})

    def over(self, n_words: int) -> Maker:
        """Return a maker of learners with a fixed vocabulary size."""
        return Maker(self.factory, self.family, **{**self.settings, "n_words": n_words})

    def start(self, n_words: int) -> dict[str, Any]:
        """Return the argument `start`, if the learner takes one."""
        given = "start" in self.takes
        return {"start": self.family.start(self.settings["n_topics"], n_words)} if given else {}

    def started(self, n_words: int) -> AnyLearner:
        """Return a new learner that does not begin with random topics, if it takes a start."""
        return self(n_words=n_words, **self.start(n_words))


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
def unchanged(thing: AnyLearner | Block, message: str) -> Iterator[None]:
    """Raise unless an object has the same state after the block as before."""
    # A copy, because a state may share arrays with the object, which would hide a change.
    before = copy.deepcopy(thing.to_state())
    yield
    require(same_state(thing.to_state(), before), message)


def same_model(a: Model[Any], b: Model[Any]) -> bool:
    """Return whether two models are equal bit for bit."""
    return same_state(a.to_state(), b.to_state())


def cut(block: Any, size: int) -> Stream:
    """Return consecutive blocks of some size; the last one may be shorter."""
    return [block[i : i + size] for i in range(0, block.n_docs, size)]


def taught(learner: AnyLearner, stream: Iterable[Any]) -> AnyLearner:
    """Return a learner that has learned a stream."""
    for block in stream:
        learner.learn(block)
    return learner


def reload(learner: AnyLearner) -> AnyLearner:
    """Return a learner after a round trip through a file."""
    # Through bytes: what `to_state` returns may share memory with the learner.
    content = bytearray(pack({"state": learner.to_state()}))
    return type(learner).from_state(unpack(content)["state"])


def shards(make: Maker, n: int) -> Iterator[list[AnyLearner]]:
    """Yield learners that each learned a stream of its own, if they can be merged."""
    if isinstance(make(), Merges):
        streams = (cut(make.family.documents(30, N_WORDS, seed=i), 10) for i in range(n))
        yield [taught(make.started(N_WORDS), stream) for stream in streams]


def continue_loaded(learner: AnyLearner, after: Stream) -> None:
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


class Topics:
    """The family of single-topic models, which learn from bags of words."""

    def documents(self, n_docs: int, n_words: int, *, seed: int = 0) -> Documents:
        """Return documents of 0 to 8 words from two overlapping topics."""
        rng = np.random.default_rng(seed)
        topics = rng.dirichlet(np.ones(n_words), size=2)
        chosen = topics[rng.integers(2, size=n_docs)]
        sizes = rng.integers(0, 9, size=n_docs)
        return Documents.from_tokens(
            [rng.choice(n_words, size=n, p=p) for n, p in zip(sizes, chosen, strict=True)], n_words
        )

    def growing(self, n_docs: int, n_words: int, size: int) -> Stream:
        """Return blocks in which words are numbered in order of appearance."""
        return growing(self.documents(n_docs, n_words), size)

    def odd(self) -> dict[str, Documents]:
        """Return degenerate documents, and some that are as long as can be counted."""
        found = {what: Documents.from_tokens(d, N_WORDS) for what, d in DEGENERATE.items()}
        endless = [[LONGEST - 1, 0, 0, 0, 0], [LONGEST / 2, LONGEST / 4, 1, 1, 0], [1, 1, 1, 0, 0]]
        found["documents as long as can be counted"] = Documents.from_matrix(endless * 3)
        return found

    def everything(self, n_words: int) -> Documents:
        """Return all documents of two words."""
        return Documents.from_tokens(list(product(range(n_words), repeat=2)), n_words)

    def start(self, n_topics: int, n_words: int) -> TopicModel:
        """Return a model of random topics."""
        rng = np.random.default_rng(0)
        weights = rng.dirichlet(np.full(n_topics, 5.0))
        return TopicModel(weights, rng.dirichlet(np.full(n_words, 0.3), size=n_topics))

    def require_valid(self, model: TopicModel) -> None:
        """Raise unless a model is a finite distribution without words of probability 0."""
        for name, rows in (("weights", model.weights[None]), ("topics", model.topics)):
            require(np.isfinite(rows).all(), f"{name} must be finite")
            require((rows >= 0).all(), f"{name} must not be negative, the minimum is {rows.min()}")
            # Rounding errors of sums over a million words are about 1e-11.
            away = float(np.abs(rows.sum(axis=1) - 1.0).max())
            require(away <= 1e-9, f"{name} must sum to 1, but are {away:g} off")
        require((model.topics > 0).all(), "topics must be positive: no word may have probability 0")


TOPICS = Topics()


def fixed_streams(family: Family) -> list[Stream]:
    """Return streams over 5 words: empty, with empty blocks, odd, of several block sizes."""
    draw = family.documents
    sizes = [cut(draw(40, N_WORDS, seed=size), size) for size in (1, 7, 40)]
    some = draw(9, N_WORDS)
    return [[], [some[:0], some], list(family.odd().values()), *sizes]


def growing_streams(family: Family) -> list[Stream]:
    """Return streams with growing vocabularies, and with blocks over fewer words than before."""
    up_and_down = [family.documents(6, n_words, seed=n_words) for n_words in (3, 1, 25, 8)]
    wide = [family.documents(1, 4)[:0], *family.growing(40, 20, 7)]
    return [[], up_and_down, family.growing(60, 12, 5), wide]
