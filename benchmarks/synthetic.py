"""Synthetic documents of any shape: Zipf-like words, one topic a document."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from spectralleader import Documents
from spectralleader.arrays import Floats, Ints

SPARSITY = 0.3  # shape of the gamma factors: the smaller, the fewer words a topic uses


@dataclass(frozen=True)
class Source:
    """Draws documents from topics that are held as cumulative sums."""

    cumulative: Floats  # (K, d)

    @property
    def n_words(self) -> int:
        return self.cumulative.shape[1]

    def draw(self, lengths: Ints, rng: np.random.Generator) -> Documents:
        """Draw one document of each length, its topic uniform."""
        topics = rng.integers(len(self.cumulative), size=len(lengths))
        rows = np.repeat(np.arange(len(lengths)), lengths)
        words = self._draw_words(topics[rows], rng.random(len(rows)))
        shape = (len(lengths), self.n_words)
        return Documents.from_matrix(sp.csr_array((np.ones(len(rows)), (rows, words)), shape=shape))

    def _draw_words(self, topics: Ints, uniform: Floats) -> Ints:
        words = np.empty(len(topics), np.int64)
        for topic, row in enumerate(self.cumulative):
            here = topics == topic
            words[here] = np.searchsorted(row, uniform[here] * row[-1], side="right")
        return words


def zipf_source(n_topics: int, n_words: int, *, exponent: float, seed: int) -> Source:
    """Return topics whose words are Zipf-like (rank^-exponent) times gamma factors of their own."""
    rng = np.random.default_rng(seed)
    frequencies = np.arange(1, n_words + 1) ** -exponent
    topics = frequencies * rng.gamma(SPARSITY, size=(n_topics, n_words))
    return Source(np.cumsum(topics, axis=1))
