"""Unigram: the running word frequencies, the floor that every learner must clear."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.checks.saved import field, fields
from spectralleader.checks.states import floats
from spectralleader.documents import Documents
from spectralleader.learners.learner_base import LearnerBase
from spectralleader.models import TopicModel
from spectralleader.runtime.locks import changing, locked

# Symmetric around 1, so that the mixture starts near Laplace's rule. Powers of two: a grid by
# factors of four loses up to 0.15 nats per document on the first 1,000 tweets. The ends matter if
# nearly all words of a growing vocabulary are new, or if a stream uses few words of many.
DELTAS = 2.0 ** np.arange(-12, 13)


class Unigram(LearnerBase):
    """Word frequencies without topics, the baseline: all K topics are equal.

    A word seen c times among n tokens has the probability ``(c + delta) / (n + d delta)``. There is
    no smoothing to choose: delta follows from how well each of a range of values would have
    predicted every block learned so far from the other blocks (see `smooth_counts`).

    Parameters
    ----------
    n_topics : int
        Number of topics of the model, K; they are equal, with equal weights.
    n_words : int, optional
        Vocabulary size, d. If omitted, it grows with the stream.
    seed : int
        Has no effect; every learner takes one.

    Notes
    -----
    Memory: 16 d.

    Merging: exact sums.

    Examples
    --------
    >>> learner = Unigram(n_topics=2, n_words=3)
    >>> learner.learn(Documents.from_tokens([[0, 0, 0, 0], [1, 1, 1]], n_words=3))
    >>> learner.model.topics.round(2).tolist()
    [[0.46, 0.39, 0.15], [0.46, 0.39, 0.15]]
    """

    saved = fields(
        LearnerBase.saved,
        _counts=field(floats, shape=("n_words",), least=0.0),
        _blocks=field(floats, shape=("n_words",), least=0.0),
    )

    def __init__(self, n_topics: int, *, n_words: int | None = None, seed: int = 0) -> None:
        super().__init__(n_topics, n_words, seed)
        self._counts: Floats = np.zeros(self.n_words)  # tokens of each word
        self._blocks: Floats = np.zeros(self.n_words)  # blocks that had it

    def _learn(self, block: Documents) -> None:
        np.add.at(self._counts, block.words, block.counts)
        self._blocks[block.words] += 1.0  # once per block: repeated indices do not accumulate

    @property
    @locked
    def is_empty(self) -> bool:
        """Whether no word was counted yet."""
        return not self._counts.any()

    @locked
    def merge(self, others: Sequence[Self], rng: np.random.Generator) -> None:
        """Add the counts of the others."""
        with changing(self):
            for other in others:
                self._counts += other._counts
                self._blocks += other._blocks

    @property
    def model(self) -> TopicModel:
        """The smoothed word frequencies, as every topic."""
        words = smooth_counts(self._counts, self._blocks)
        topics = np.tile(words / words.sum(), (self.n_topics, 1))
        return TopicModel.trusted(np.full(self.n_topics, 1.0 / self.n_topics), topics)

    def _loaded(self) -> None:
        counts, blocks = self._counts, self._blocks
        if ((blocks > counts) | ((blocks < 1.0) & (counts > 0.0))).any():
            raise ValueError("blocks must be from 1 to counts for every word that was counted")


def smooth_counts(counts: Floats, blocks: Floats) -> Floats:
    """Return add-delta word probabilities, with delta estimated from the counts themselves.

    A mixture over `DELTAS`, which is itself an add-delta estimate. The weight of each is its
    leave-one-block-out likelihood: a word that occurred c times, in b blocks, is predicted from the
    ``c - c / b`` occurrences in the others. A word of one block is unseen when that block is left
    out, so new words are accounted for even if every word of a growing vocabulary has been seen. A
    burst within one block is no evidence that the word recurs, as it would be if single tokens were
    left out.

    Parameters
    ----------
    counts : array of shape (d,)
        How often each word occurred, c.
    blocks : array of shape (d,)
        In how many blocks, b.
    """
    n, d, seen = counts.sum(), len(counts), counts > 0
    tokens = counts[seen]
    others, which = np.unique(tokens - tokens / blocks[seen], return_inverse=True)
    # the block that is left out has n / B tokens; the most frequent word is in all B, or nearly
    n_others = n - n / max(blocks.max(), 1.0)
    log_probs = np.log((others[:, None] + DELTAS) / (n_others + d * DELTAS))
    fits = np.bincount(which, tokens, minlength=len(others)) @ log_probs
    weights = np.exp(fits - fits.max())
    per_token = weights / weights.sum() / (n + d * DELTAS)
    smoothed: Floats = counts * per_token.sum() + per_token @ DELTAS
    return smoothed


def measure_gain(model: TopicModel, documents: Documents) -> float:
    """Return how much better a model predicts documents than their own word frequencies do.

    In nats per document; negative for a model that is worse than none. Word frequencies are those
    of the other documents, plus 1/2 for every word; 0 if there are no documents.

    Examples
    --------
    >>> documents = Documents.from_tokens([[0, 0, 0], [1, 1, 1]] * 50, n_words=2)
    >>> round(measure_gain(TopicModel([0.5, 0.5], [[1.0, 0.0], [0.0, 1.0]]), documents), 2)
    1.42
    """
    if documents.n_docs == 0:
        return 0.0
    # A document is not among those that predict it: with few documents it would be half of them.
    counts, lengths = documents.counts, documents.lengths
    tokens = np.bincount(documents.words, counts, minlength=documents.n_words)
    others = lengths.sum() - lengths + 0.5 * documents.n_words
    by_entry = counts * np.log(tokens[documents.words] - counts + 0.5)
    baseline = by_entry.sum() - float(lengths @ np.log(others))
    return float((model.log_prob(documents).sum() - baseline) / documents.n_docs)
