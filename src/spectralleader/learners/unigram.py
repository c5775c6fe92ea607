"""Unigram: the running word frequencies, the floor that every learner must clear."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from spectralleader.documents import Documents, Floats, check_n_words
from spectralleader.guard import Guarded
from spectralleader.learners.protocol import (
    Predictive,
    check_block,
    check_n_topics,
    check_seed,
    check_vocabulary,
    sizes_of,
)
from spectralleader.model import TopicModel
from spectralleader.recoding import check_recoding, move_rows
from spectralleader.spectral.recovery import smooth_words
from spectralleader.states import floats, take, truth


class Unigram(Guarded):
    """Word frequencies so far, and nothing of topics: all K topics are the same.

    A word seen c times among n words has the probability ``(c + 1/d) / (n + 1)``.

    Parameters
    ----------
    n_topics : int
        Number of topics of the model, K; they are equal, with equal weights.
    n_words : int, optional
        Vocabulary size, d. Left out, it grows with the stream.
    seed : int
        Changes nothing: here so that every learner is made alike.

    Examples
    --------
    >>> learner = Unigram(n_topics=2, n_words=2)
    >>> learner.learn(Documents.from_tokens([[0, 0, 0], [1]], n_words=2))
    >>> learner.model.topics.round(3).tolist()
    [[0.7, 0.3], [0.7, 0.3]]
    """

    def __init__(self, n_topics: int, *, n_words: int | None = None, seed: int = 0) -> None:
        self.n_topics = check_n_topics(n_topics)
        self.n_words, self.grows = check_vocabulary(n_words)
        self.seed = check_seed(seed)
        self._counts: Floats = np.zeros(self.n_words)

    def learn(self, documents: Documents) -> None:
        """Count the words of the block."""
        block = check_block(documents, self.n_words, grows=self.grows)
        if block.n_words > self.n_words:
            self.recode(None, block.n_words)
        np.add.at(self._counts, block.words, block.counts)

    def recode(self, new_ids: ArrayLike | None, n_words: int) -> None:
        """Renumber the words; new ones were seen no times."""
        n_words = check_n_words(n_words)
        ids = check_recoding(new_ids, self.n_words, n_words)
        self._counts = move_rows(self._counts, ids, n_words)
        self.n_words = n_words

    @property
    def is_empty(self) -> bool:
        """Whether no word was counted yet."""
        return not self._counts.any()

    @property
    def settings(self) -> dict[str, Any]:
        """What learners must have in common to be merged."""
        return {"n_topics": self.n_topics}

    def merge(self, others: Sequence[Self], rng: np.random.Generator) -> None:
        """Add what others counted."""
        for other in others:
            self._counts += other._counts

    @property
    def model(self) -> TopicModel:
        """The word frequencies, as every topic."""
        n_tokens = float(self._counts.sum())
        words = smooth_words(self._counts / max(n_tokens, 1.0), n_tokens)
        topics = np.tile(words / words.sum(), (self.n_topics, 1))
        return TopicModel.trusted(np.full(self.n_topics, 1.0 / self.n_topics), topics)

    @property
    def predictive(self) -> Predictive:
        """The model."""
        return self.model

    def to_state(self) -> dict[str, Any]:
        """Return all that the learner needs to go on."""
        fields = ("n_topics", "n_words", "seed", "grows")
        return {**{name: getattr(self, name) for name in fields}, "counts": self._counts.copy()}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Unigram:
        """Rebuild the learner that `to_state` described."""
        n_topics, n_words = sizes_of(state)
        counts = floats(state, "counts", (n_words,), 0.0)
        learner = cls(n_topics, n_words=n_words, seed=take(state, "seed"))
        learner.grows, learner._counts = truth(state, "grows"), counts
        return learner
