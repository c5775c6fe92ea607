"""FinerTopics: forgetting EMs with more topics than are read, for prediction alone.

Likelihood wants more topics than people can read: on text, these few experts lower the loss more
than any number of models with K topics. Nobody reads them, so that they need neither numbers that
stay nor the best of several starts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import whole
from spectralleader.documents import Documents
from spectralleader.em.background import Background
from spectralleader.em.stacked import Stacked
from spectralleader.learners.hedged.settings import SETTINGS, Settings

MINI_BATCH = 10  # documents per step of EM: in larger ones, more is predicted before it is learned


class FinerLikelihoods(NamedTuple):
    """What `FinerTopics` predicts of a block, and learns from."""

    log_probs: Floats  # of each document by each expert, (n_docs, n_memories n_strengths)
    topic_likelihoods: Floats  # see `Stacked.evaluate`
    weights: Floats  # of the topics, (n_memories, n_topics)


class FinerTopics(Saved):
    """EMs of `Settings.n_finer` topics, one for each of `Settings.memories`."""

    saved = fields(
        n_docs=whole,
        stacked=field(
            Stacked,
            names=lambda known: finer_names(known.get("settings", SETTINGS)),
            n_topics=lambda known: known.get("settings", SETTINGS).n_finer,
        ),
    )

    def __init__(self, n_words: int, seed: int = 0, settings: Settings = SETTINGS) -> None:
        self.seed, self.n_docs, self._n_topics = seed, 0, settings.n_finer
        names, strengths = finer_names(settings), np.array(settings.strengths)
        self.stacked = Stacked(names, settings.n_finer, n_words)
        self._keep: Floats = 1.0 - 1.0 / np.array(settings.memories)
        # Responsibilities are those of the first strength: only predictions need the others.
        self._rows = [
            (strengths[:n], np.array([(e * n + s, e) for e in range(len(names)) for s in range(n)]))
            for n in (len(strengths), 1)
        ]

    def evaluate(self, block: Documents, background: Background) -> FinerLikelihoods:
        """Return the log-probability of each document by every expert."""
        return self._evaluate(block, background, self._rows[0])

    def _evaluate(
        self, block: Documents, background: Background, rows: tuple[Floats, Ints]
    ) -> FinerLikelihoods:
        weights = np.empty((len(self._keep), self._n_topics))
        log_probs, likelihoods = self.stacked.evaluate(block, background, (*rows, weights))
        return FinerLikelihoods(log_probs[:, 2:], likelihoods, weights)

    def learn(
        self, block: Documents, background: Background, likelihoods: FinerLikelihoods
    ) -> None:
        """Take steps of EM, given the likelihoods of the block before it is learned."""
        for start in range(0, block.n_docs, MINI_BATCH):
            part = block[start : start + MINI_BATCH]
            if start > 0:
                likelihoods = self._evaluate(part, background, self._rows[1])
            _, given, weights = likelihoods
            n_random = max(0, min(self._n_topics - self.n_docs, part.n_docs))
            if n_random > 0:
                # Equal topics would stay equal. As many documents as topics are distributed at
                # random, which needs no words, and they are soon forgotten.
                rng = np.random.default_rng([self.seed, self.n_docs])
                given = given[: part.n_docs].copy()
                given[:n_random] = rng.exponential(size=given[:n_random].shape)
            self.stacked.learn(part, given[: part.n_docs], weights, self._keep)
            self.n_docs += part.n_docs


def finer_names(settings: Settings) -> tuple[str, ...]:
    """Return the names of the EMs."""
    return tuple(
        f"EM of the last {memory:g}, {settings.n_finer} topics" for memory in settings.memories
    )
