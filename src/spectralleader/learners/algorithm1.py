"""Algorithm1: the paper's learner as printed, the oracle for the fast one."""

from __future__ import annotations

from typing import Any, Self

from numpy.typing import ArrayLike

from spectralleader.checks import check_whole
from spectralleader.checks.states import check_same, part, take, truth
from spectralleader.documents import Documents
from spectralleader.documents.recoding import check_recoding
from spectralleader.learners.protocol import (
    Predictive,
    check_block,
    check_n_topics,
    check_seed,
    check_vocabulary,
    sizes_of,
)
from spectralleader.models import TopicModel
from spectralleader.runtime.guard import Guarded, changing
from spectralleader.samples import Reservoir
from spectralleader.spectral.algorithm1 import valid_model


class Algorithm1(Guarded):  # Guarded only adds a lock: one thread at a time
    """Algorithm 1 line by line: `spectral.algorithm1` on a reservoir of the documents seen.

    Every read of `model` recomputes it from the whole reservoir, with a dense document-word matrix.
    It is meant for verification, with up to a few thousand distinct words. `SpectralLeader` returns
    the same model in microseconds, with topics in a stable order.

    Parameters
    ----------
    n_topics : int
        Number of topics, K.
    n_words : int, optional
        Vocabulary size, d. If omitted, it grows with the stream.
    reservoir_size : int
        Documents remembered (the paper's m in Algorithm 1).
    seed : int
        Seed of the reservoir and of the starts of the power method.

    Examples
    --------
    >>> learner = Algorithm1(n_topics=2, n_words=2)
    >>> learner.learn(Documents.from_tokens([[0, 0, 0], [1, 1, 1], [0, 0, 0]], n_words=2))
    >>> learner.model.weights.round(2).tolist()
    [0.33, 0.67]
    """

    def __init__(
        self,
        n_topics: int,
        *,
        n_words: int | None = None,
        reservoir_size: int = 10_000,
        seed: int = 0,
    ) -> None:
        self.n_topics, self.seed = check_n_topics(n_topics), check_seed(seed)
        self.n_words, self.grows = check_vocabulary(n_words)
        capacity = check_whole("reservoir_size", reservoir_size, 1)
        self.sample = Reservoir(capacity, n_words=self.n_words, seed=self.seed)

    @property
    def model(self) -> TopicModel:
        """The model of the current reservoir: lines 1 to 5, converted to a valid model."""
        return valid_model(self.sample.documents, self.n_topics, seed=self.seed)

    @property
    def predictive(self) -> Predictive:
        """The model."""
        return self.model

    def learn(self, documents: Documents) -> None:
        """Offer the block to the reservoir: lines 6 to 13, for one document after the other."""
        block = check_block(documents, self.n_words, grows=self.grows)
        with changing(self):
            self.sample.add(block)
            self.n_words = block.n_words

    def recode(self, new_ids: ArrayLike | None, n_words: int) -> None:
        """Renumber the words of the remembered documents; words of -1 are dropped from them."""
        ids, n_words = check_recoding(new_ids, self.n_words, n_words)
        with changing(self):
            self.sample.recode(ids, n_words)
            self.n_words = n_words

    def to_state(self) -> dict[str, Any]:
        """Return everything needed to continue."""
        fields = {name: getattr(self, name) for name in ("n_topics", "n_words", "seed", "grows")}
        return {**fields, "sample": self.sample.to_state()}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the learner that `to_state` described."""
        n_topics, n_words = sizes_of(state)
        reservoir = Reservoir.from_state(part(state, "sample"))
        check_same("n_words of the reservoir", reservoir.n_words, n_words)
        learner = cls(n_topics, n_words=n_words, seed=take(state, "seed"))
        learner.grows, learner.sample = truth(state, "grows"), reservoir
        return learner
