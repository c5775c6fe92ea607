"""HardEM: each document belongs to one topic, which counts its words. A learner to copy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from spectralleader import Documents, TopicModel
from spectralleader.arrays import Floats
from spectralleader.checks.states import floats, truth
from spectralleader.documents.recoding import check_recoding, move_rows
from spectralleader.learners.protocol import (
    Predictive,
    check_block,
    check_n_topics,
    check_seed,
    check_vocabulary,
    sizes_of,
)

SMOOTHING = 0.1  # pseudo-count of each word in every topic


class HardEM:
    """The first K documents begin a topic each; every later one joins the likeliest.

    Parameters
    ----------
    n_topics : int
        Number of topics, K.
    n_words : int, optional
        Vocabulary size, d. If omitted, it grows with the stream.
    seed : int
        Has no effect; every learner takes one.
    """

    def __init__(self, n_topics: int, *, n_words: int | None = None, seed: int = 0) -> None:
        self.n_topics = check_n_topics(n_topics)
        self.n_words, self.grows = check_vocabulary(n_words)
        self.seed = check_seed(seed)
        self._members: Floats = np.zeros(self.n_topics)  # documents of each topic
        self._counts: Floats = np.zeros((self.n_words, self.n_topics))  # one row per word

    def learn(self, documents: Documents) -> None:
        """Give the documents to their likeliest topics, one after the other."""
        block = check_block(documents, self.n_words, grows=self.grows)  # before anything changes
        if block.n_words > self.n_words:
            self.recode(None, block.n_words)
        for i in range(block.n_docs):
            entries = slice(block.indptr[i], block.indptr[i + 1])
            words, counts = block.words[entries], block.counts[entries]
            if counts.size:
                topic = self._choose(words, counts)
                self._members[topic] += 1
                self._counts[words, topic] += counts

    def _choose(self, words: ArrayLike, counts: Floats) -> int:
        n_begun = int(np.count_nonzero(self._members))
        if n_begun < self.n_topics:
            return n_begun
        totals = self._counts.sum(axis=0) + SMOOTHING * self.n_words
        log_probs = np.log(self._members)
        log_probs += counts @ np.log((self._counts[words] + SMOOTHING) / totals)
        return int(np.argmax(log_probs.round(9)))  # of equals the first, however they were added

    def recode(self, new_ids: ArrayLike | None, n_words: int) -> None:
        """Renumber the words; new words have a count of zero."""
        ids, n_words = check_recoding(new_ids, self.n_words, n_words)
        self._counts = move_rows(self._counts, ids, n_words)
        self.n_words = n_words

    @property
    def model(self) -> TopicModel:
        """The topics as counted; valid from before the first document."""
        smoothed = self._counts.T + SMOOTHING
        weights = self._members + SMOOTHING
        topics = smoothed / smoothed.sum(axis=1, keepdims=True)
        return TopicModel(weights / weights.sum(), topics)

    @property
    def predictive(self) -> Predictive:
        """What predicts the next block: here the model."""
        return self.model

    def to_state(self) -> dict[str, Any]:
        """Return all that the learner needs to resume; copies, which do not change with it."""
        fields = ("n_topics", "n_words", "seed", "grows")
        arrays = {"members": self._members.copy(), "counts": self._counts.copy()}
        return {name: getattr(self, name) for name in fields} | arrays

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> HardEM:
        """Rebuild the learner that `to_state` described; a file is not trusted, so check it."""
        n_topics, n_words = sizes_of(state)
        learner = cls(n_topics, n_words=n_words, seed=state["seed"])
        learner.grows = truth(state, "grows")
        learner._members = floats(state, "members", (n_topics,), 0.0)
        learner._counts = floats(state, "counts", (n_words, n_topics), 0.0)
        return learner
