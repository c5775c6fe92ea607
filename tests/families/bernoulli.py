"""A second family, whole: mixtures of Bernoulli vectors, whose attributes are there or not.

It is what docs/adding.md lists: a block, a buffer for samples, a model, a learner, and what the
laws need to know. Everything else is the library's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any, NamedTuple, Self

import numpy as np

from spectralleader import Reservoir, Window
from spectralleader.checks.saved import Saved
from spectralleader.checks.states import distributions
from spectralleader.documents.recoding import check_recoding, move_rows
from spectralleader.learners import (
    Event,
    EventKind,
    LearnerBase,
    changing,
    field,
    fields,
    floats,
    locked,
    whole,
)
from spectralleader.learners.hedged.drift import Drift
from spectralleader.learners.hedged.mixing import Mixing
from spectralleader.learners.hedged.schedule import Race, Schedule
from spectralleader.samples import BlockBuffer
from spectralleader.testing.requirements import N_WORDS, require

N_PASSES = 10  # of EM, of each fit


class Vectors(Saved):
    """A block: rows of zeros and ones, a column for each attribute."""

    saved = fields(present=field(floats, shape=(None, None), least=0.0, most=1.0))

    def __init__(self, present: Any) -> None:
        self.present = np.array(present, np.float64)
        self.present.setflags(write=False)
        self.n_docs, self.n_words = self.present.shape

    @property
    def lengths(self):
        return np.full(self.n_docs, float(self.n_words))

    @classmethod
    def empty(cls, n_words: int) -> Self:
        return cls(np.zeros((0, n_words)))

    @classmethod
    def concatenate(cls, blocks: Iterable[Vectors]) -> Self:
        return cls(np.concatenate([block.present for block in blocks]))

    def __getitem__(self, which: Any) -> Vectors:
        return Vectors(self.present[which])

    take = __getitem__

    def widen(self, n_words: int) -> Vectors:
        if n_words < self.n_words:
            raise ValueError(f"vectors of {self.n_words} attributes cannot have {n_words}")
        return self.recode(None, n_words)

    def recode(self, new_ids: Any, n_words: int) -> Vectors:
        ids, n_words = check_recoding(new_ids, self.n_words, n_words)
        return Vectors(move_rows(self.present.T, ids, n_words).T)


class VectorBuffer(BlockBuffer[Vectors]):
    takes = Vectors


class VectorReservoir(Reservoir[Vectors]):
    saved, buffer = fields(Reservoir.saved, documents=Vectors), VectorBuffer


class VectorWindow(Window[Vectors]):
    saved, buffer = fields(Window.saved, documents=Vectors), VectorBuffer


class BernoulliModel(Saved):
    """A class with its weight, then each attribute independently with its chance in the class."""

    saved = fields(
        weights=field(distributions, shape=(None,)),
        topics=field(floats, shape=(None, None), least=0.0, most=1.0),
    )

    def __init__(self, weights: Any, topics: Any) -> None:
        self.weights, self.topics = weights, topics
        self.n_topics, self.n_words = topics.shape
        self.used = weights > 0.0

    @classmethod
    def of(cls, members: Any, counts: Any) -> BernoulliModel:
        """The M-step: from (K,) members and (d, K) members that have each attribute."""
        weights = (members + 0.5) / (members + 0.5).sum()
        return cls(weights, ((counts + 0.5) / (members + 1.0)).T)

    def _joint(self, block: Vectors) -> Any:
        odds = np.log(self.topics) - np.log1p(-self.topics)
        return np.log(self.weights) + np.log1p(-self.topics).sum(axis=1) + block.present @ odds.T

    def log_prob(self, block: Vectors) -> Any:
        return np.logaddexp.reduce(self._joint(block), axis=1)

    def posterior(self, block: Vectors) -> Any:
        return np.exp(self._joint(block) - self.log_prob(block)[:, None])

    def recode(self, new_ids: Any, n_words: int) -> BernoulliModel:
        ids, n_words = check_recoding(new_ids, self.n_words, n_words)
        chances = move_rows(self.topics.T, ids, n_words).T
        return BernoulliModel(self.weights, np.where(chances > 0.0, chances, 0.5))

    def fit(self, block: Vectors) -> tuple[Any, Any]:
        """EM from this model: the members of each class, and those that have each attribute."""
        model = self
        for _ in range(N_PASSES):
            statistics = expect(model.posterior(block), block)
            model = BernoulliModel.of(*statistics)
        return statistics

    def top_words(self, vocabulary: Sequence[str], n: int) -> list[list[str]]:
        return [[vocabulary[w] for w in np.argsort(-row)[:n]] for row in self.topics]


def expect(posterior: Any, block: Vectors) -> tuple[Any, Any]:
    return posterior.sum(axis=0), block.present.T @ posterior


class Mixed(NamedTuple):
    """What predicts: the hedge's mixture of the models of both samples."""

    mixing: Mixing
    models: list[BernoulliModel]

    def log_probs(self, block: Vectors) -> Any:
        return np.stack([model.log_prob(block) for model in self.models], axis=1)

    def log_prob(self, block: Vectors) -> Any:
        return self.mixing.log_prob(self.log_probs(block))


RIVALS = ((1, 0),)  # the window's model against that of all


class BernoulliLeader(LearnerBase[Vectors, BernoulliModel]):
    """Classes of vectors: online EM, refitted to a reservoir; a window's model competes."""

    takes = Vectors
    saved = fields(
        LearnerBase.saved,
        _members=field(floats, shape=("n_topics",), least=0.0),
        _counts=field(floats, shape=("n_words", "n_topics"), least=0.0),
        n_docs=whole,
        reservoir_size=whole,
        _schedule=Schedule,
        sample=VectorReservoir,
        window=VectorWindow,
        _mixing=field(Mixing, n_experts=2, n_competitors=3),
        _drift=field(Drift, pairs=RIVALS),
    )

    def __init__(
        self, n_topics: int, *, n_words: int | None = None, reservoir_size: int = 500, seed: int = 0
    ) -> None:
        super().__init__(n_topics, n_words, seed)
        self._members, self._counts = np.zeros(n_topics), np.zeros((self.n_words, n_topics))
        self.n_docs, self.reservoir_size = 0, reservoir_size
        self._schedule = Schedule(n_topics, reservoir_size)
        self.sample = VectorReservoir(reservoir_size, n_words=self.n_words, seed=seed)
        self.window = VectorWindow(100, n_words=self.n_words)
        self._mixing, self._drift = Mixing(2), Drift(RIVALS)

    def _learn(self, block: Vectors) -> None:
        if block.n_docs == 0:
            return
        predicted = self.predictive.log_probs(block)
        self._mixing.update(predicted)
        self._drift.update(predicted, self.n_docs)
        self.sample.add(block)
        self.window.add(block)
        posterior = self.model.posterior(block)
        if self.n_docs == 0:  # classes begin at random, whatever the numbers of attributes
            rng = np.random.default_rng(self.seed)
            posterior = rng.dirichlet(np.ones(self.n_topics), block.n_docs)
        members, counts = expect(posterior, block)
        self._members, self._counts = self._members + members, self._counts + counts
        self.n_docs += block.n_docs
        # `bool()` is False: topics neither collapse nor fail the latest vectors.
        if isinstance(self._schedule.due(self.n_docs, None, None, bool, bool), Race):
            self._refit()

    def _refit(self) -> None:
        members, counts = self.model.fit(self.sample.documents)
        scale = self.n_docs / members.sum()
        self._members, self._counts = members * scale, counts * scale

    def _recode(self, new_ids: Any, n_words: int) -> None:
        super()._recode(new_ids, n_words)
        self.sample.recode(new_ids, n_words)
        self.window.recode(new_ids, n_words)

    @property
    def model(self) -> BernoulliModel:
        return BernoulliModel.of(self._members, self._counts)

    @property
    @locked
    def recent(self) -> BernoulliModel:
        return BernoulliModel.of(*self.model.fit(self.window.documents))

    @property
    def predictive(self) -> Mixed:
        return Mixed(self._mixing, [self.model, self.recent])

    @property
    @locked
    def drifts_since(self) -> int | None:
        return self._drift.alarmed_since if self._drift.is_alarmed else None

    settles_at = None

    @property
    @locked
    def events(self) -> list[Event]:
        return [] if self.drifts_since is None else [Event(self.drifts_since, EventKind.CHANGED)]

    @property
    @locked
    def is_empty(self) -> bool:
        return self.n_docs == 0

    @locked
    def merge(self, others: Sequence[Self], rng: np.random.Generator) -> None:
        with changing(self):
            for mine in ("sample", "window"):
                getattr(self, mine).merge([getattr(other, mine) for other in others], rng)
            self._mixing.merge([other._mixing for other in others])
            self.n_docs += sum(other.n_docs for other in others)
            self._drift = Drift(RIVALS, self.n_docs)
            self._refit()


class BernoulliFamily:
    """What the laws need to know."""

    def documents(self, n_docs: int, n_words: int, *, seed: int = 0) -> Vectors:
        rng = np.random.default_rng(seed)
        chances = rng.random((2, n_words))[rng.integers(2, size=n_docs)]
        return Vectors(rng.random((n_docs, n_words)) < chances)

    def growing(self, n_docs: int, n_words: int, size: int) -> list[Vectors]:
        sizes = np.linspace(1, n_words, max(1, n_docs // size)).astype(int).tolist()
        return [self.documents(size, n, seed=n) for n in sizes]

    def odd(self) -> dict[str, Vectors]:
        zeros, ones = np.zeros((9, N_WORDS)), np.ones((9, N_WORDS))
        return {"nothing": Vectors(zeros), "all": Vectors(ones), "one": Vectors(ones[:1])}

    def everything(self, n_words: int) -> Vectors:
        return Vectors(list(product((0, 1), repeat=n_words)))

    def start(self, n_topics: int, n_words: int) -> Any:
        raise NotImplementedError  # no learner here takes one

    def require_valid(self, model: BernoulliModel) -> None:
        require(abs(model.weights.sum() - 1.0) < 1e-9, "weights must sum to 1")
        chances = model.topics
        require(((chances > 0.0) & (chances < 1.0)).all(), "chances must be from 0 to 1, exclusive")


BERNOULLI = BernoulliFamily()
