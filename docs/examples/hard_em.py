"""HardEM: each document belongs to one topic, which counts its words. A learner to copy."""

from __future__ import annotations

import numpy as np

from spectralleader import Documents, TopicModel
from spectralleader.learners import LearnerBase, field, fields, floats

SMOOTHING = 0.1  # pseudo-count of each word in every topic


class HardEM(LearnerBase):
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

    # Saved, checked when a file is loaded, and renumbered with the words.
    saved = fields(
        LearnerBase.saved,
        _members=field(floats, shape=("n_topics",), least=0.0),
        _counts=field(floats, shape=("n_words", "n_topics"), least=0.0),
    )

    def __init__(self, n_topics: int, *, n_words: int | None = None, seed: int = 0) -> None:
        super().__init__(n_topics, n_words, seed)
        self._members = np.zeros(self.n_topics)  # documents of each topic
        self._counts = np.zeros((self.n_words, self.n_topics))

    def _learn(self, block: Documents) -> None:
        for i in range(block.n_docs):
            if (document := block[i]).words.size:
                topic = self._choose(document)
                self._members[topic] += 1
                self._counts[document.words, topic] += document.counts

    def _choose(self, document: Documents) -> int:
        n_begun = int(np.count_nonzero(self._members))
        if n_begun < self.n_topics:
            return n_begun
        totals = self._counts.sum(axis=0) + SMOOTHING * self.n_words
        log_words = np.log((self._counts[document.words] + SMOOTHING) / totals)
        log_probs = np.log(self._members) + document.counts @ log_words
        return int(np.argmax(log_probs.round(9)))  # of equals the first, however they were added

    @property
    def model(self) -> TopicModel:
        """The topics as counted; valid from before the first document."""
        smoothed, weights = self._counts.T + SMOOTHING, self._members + SMOOTHING
        topics = smoothed / smoothed.sum(axis=1, keepdims=True)
        return TopicModel(weights / weights.sum(), topics)
