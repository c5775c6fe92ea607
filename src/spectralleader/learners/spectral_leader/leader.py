"""Leader: follow the leader on a sample; the stream's side of `SpectralLeader`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from spectralleader.arrays import Ints
from spectralleader.checks import check_whole
from spectralleader.checks.states import check_same, number, part, take, truth, whole
from spectralleader.documents import Documents, check_n_words
from spectralleader.documents.recoding import check_recoding
from spectralleader.learners.protocol import (
    check_block,
    check_n_topics,
    check_seed,
    check_vocabulary,
    sizes_of,
)
from spectralleader.learners.spectral_leader.order import (
    arrange,
    recode_reference,
    reference_from_state,
    reference_to_state,
)
from spectralleader.learners.spectral_leader.shrinkage import (
    CROSS_VALIDATED,
    SAFEST,
    choose_level,
    split,
)
from spectralleader.models import TopicModel
from spectralleader.runtime.guard import Guarded, changing
from spectralleader.samples import (
    SAMPLES,
    Change,
    Reservoir,
    Sample,
    sample_from_state,
    sample_to_state,
)
from spectralleader.spectral import Estimate


def next_renewal(n_docs: int) -> int:
    """Return the size of a growing sample at which the reference and the shrinkage are renewed."""
    # Doubling keeps the work per document bounded. L2 at 5/4 or 4 times differs by less than 2
    # standard errors (python -m benchmarks.constants).
    return 1 << n_docs.bit_length()


class Leader(Guarded):
    """Remembers a sample of the documents and has the model that the sample leads to.

    A model is computed when it is read, and at most once for a sample.
    """

    parameters: tuple[str, ...] = ("n_topics", "n_words", "seed")  # of the constructor

    def __init__(
        self,
        n_topics: int,
        n_words: int | None,
        seed: int,
        reservoir_size: int,
        sample: Sample | None,
        shrinkage: str | None,
    ) -> None:
        self.n_topics, self.seed = check_n_topics(n_topics), check_seed(seed)
        if shrinkage not in (None, CROSS_VALIDATED):
            raise ValueError(f"shrinkage must be None or {CROSS_VALIDATED!r}, got {shrinkage!r}")
        self.shrinkage = shrinkage
        if sample is None:
            capacity = check_whole("reservoir_size", reservoir_size, 1)
            sample = Reservoir(capacity, seed=self.seed)
        if type(sample) not in SAMPLES.values():
            raise ValueError(f"sample must be one of {list(SAMPLES)}, made before; got {sample!r}")
        self.n_words, self.grows = check_vocabulary(n_words, sample.n_words)
        if sample.n_words > self.n_words:
            raise ValueError(
                f"the sample is over {sample.n_words} words, the learner over {self.n_words}; "
                "make both with one n_words"
            )
        sample.recode(None, self.n_words)
        self.sample = sample
        self._n_left = 1  # documents that may enter before the reference is renewed
        self._reference: TopicModel | None = None  # topics are put in its order
        self._level = 0.0 if shrinkage is None else SAFEST  # how far topics are shrunk
        self._estimate: Estimate | None = None
        self._predictive: TopicModel | None = None  # its model, in order
        self._model: TopicModel | None = None  # the same, shrunk

    def _solve(self) -> Estimate:
        """Estimate the model of the sample as it is (lines 1 to 5 of Algorithm 1)."""
        raise NotImplementedError

    def _solve_without(self, parts: Sequence[Documents]) -> list[TopicModel]:
        """Estimate the model of all parts of the sample but one, for each."""
        raise NotImplementedError

    def _follow(self, change: Change) -> None:
        """Take note of what has just entered and left the sample."""

    def learn(self, documents: Documents) -> None:
        """Show the block to the sample (lines 6 to 13)."""
        block = check_block(documents, self.n_words, grows=self.grows)
        with changing(self):
            if block.n_words > self.n_words:
                self._recode(None, block.n_words)
            change = self.sample.add(block)
            if change.n_entered > 0:
                self._learn(change)

    def _learn(self, change: Change) -> None:
        """Follow a change of the sample; renew what later ones are compared with if due."""
        self._follow(change)
        self._forget()
        self._n_left -= change.n_entered
        if self._n_left <= 0:
            self._renew()

    def _renew(self) -> None:
        """Choose the shrinkage; make the model the one that later ones are put in order by.

        After the block in which a growing sample reaches a power of two, or in which as many
        documents have entered a full one as it remembers, whether or not the model was read in
        between: so it is a function of the stream and its blocks alone.
        """
        n = len(self.sample)
        if self.shrinkage is not None:
            parts = split(self.sample.documents)
            self._level = choose_level(parts, self._solve_without(parts))
        self._n_left = next_renewal(n) - n if n == self.sample.n_seen else n
        if self.info.n_usable == self.n_topics:  # else places mean nothing yet
            self._reference = self.predictive

    def _forget(self) -> None:
        """Forget what was worked out."""
        self._estimate = self._predictive = self._model = None

    def recode(self, new_ids: ArrayLike | None, n_words: int) -> None:
        """Renumber the words of the remembered documents; -1 is dropped from them."""
        n_words = check_n_words(n_words)
        self._recode(check_recoding(new_ids, self.n_words, n_words), n_words)

    def _recode(self, new_ids: Ints | None, n_words: int) -> None:
        self.sample.recode(new_ids, n_words)
        self._reference = recode_reference(self._reference, new_ids, n_words)
        self._forget()
        self.n_words = n_words

    @property
    def is_empty(self) -> bool:
        """Whether nothing was learned yet."""
        return self.sample.n_seen == 0

    @property
    def settings(self) -> dict[str, Any]:
        """What leaders must have in common to be merged."""
        own = {n: getattr(self, n) for n in self.parameters if n not in ("n_words", "seed")}
        own["shrinkage"] = self.shrinkage
        return {**own, "sample": type(self.sample).__name__, **self.sample.settings}

    def merge(self, others: Sequence[Self], rng: np.random.Generator) -> None:
        """Merge the samples; the model is estimated anew, its topics in this one's order."""
        self.sample.merge([other.sample for other in others], rng)
        self._start_anew()
        self._forget()
        self._renew()

    def _start_anew(self) -> None:
        """Take note that the sample has become another."""

    @property
    def info(self) -> Estimate:
        """The estimate behind the model, with its diagnostics."""
        if self._estimate is None:
            self._estimate = self._solve()
        return self._estimate

    def _solve_model(self, level: float) -> TopicModel:
        """Return the estimate's model, its topics in order and shrunk to a level."""
        return arrange(self.info.model, self._reference, level)

    @property
    def model(self) -> TopicModel:
        """The model of everything learned so far; shrunk, if `shrinkage` asks for it."""
        if self._model is None:
            level = self.shrinkage_level
            self._model = self.predictive if level == 0.0 else self._solve_model(level)
        return self._model

    @property
    def shrinkage_level(self) -> float:
        """How far the model's topics are shrunk: 0 not at all, see `choose_level`."""
        return self._level

    @property
    def predictive(self) -> TopicModel:
        """The model before shrinkage, which recovers moments better and predicts words worse."""
        if self._predictive is None:
            self._predictive = self._solve_model(0.0)
        return self._predictive

    def to_state(self) -> dict[str, Any]:
        """Return all that the learner needs to go on."""
        return {
            **{name: getattr(self, name) for name in self.parameters},
            "grows": self.grows,
            "sample": sample_to_state(self.sample),
            "n_left": self._n_left,
            "order": reference_to_state(self._reference),
            "shrinkage": None if self.shrinkage is None else {"level": self._level},
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Rebuild the learner that `to_state` described."""
        sizes = sizes_of(state)
        sample = sample_from_state(part(state, "sample"))
        check_same("n_words of the sample", sample.n_words, sizes[1])
        shrinkage = None if take(state, "shrinkage") is None else CROSS_VALIDATED
        given = {name: take(state, name) for name in cls.parameters}
        learner = cls(**given, sample=sample, shrinkage=shrinkage)
        learner.grows = truth(state, "grows")
        learner._n_left = whole(state, "n_left", 1)
        learner._reference = reference_from_state(part(state, "order"), *sizes)
        if shrinkage is not None:
            # files of earlier versions have no level: it is chosen again at the next renewal
            shrunk = {"level": SAFEST, **part(state, "shrinkage")}
            learner._level = number(shrunk, "level", 0.0, SAFEST)
        return learner
