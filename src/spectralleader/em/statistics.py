"""Sufficient statistics: the E-step adds to them, and the M-step computes a model from them.

One iteration of EM is `expect`, then the statistics' `maximise`. Smoothing s is a pseudo-count
beside the statistics of a mean document, that is a prior: an iteration never lowers

    mean_i log P(document_i) + s (sum_k log omega_k + sum_kw log u_kw).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import LARGEST, floats, number
from spectralleader.documents import Documents
from spectralleader.documents.recoding import move_rows
from spectralleader.em.columns import (
    WEIGHT,
    Columns,
    Smoothing,
    add_document,
    e_step,
    m_step,
    work_space,
)
from spectralleader.models import TopicModel
from spectralleader.models.matching import best_order
from spectralleader.runtime.compiled import in_place

SMALLEST_SCALE = 1e-100  # below this the lazy factor is multiplied out, before it underflows


# The bounds hold for scaled values, but the arrays are saved unscaled.
UNSCALED: dict[str, Any] = {
    "least": 0.0,
    "most": lambda known: known.get("most", LARGEST) / known["scale"],
}


class Statistics(Saved):
    """Expected numbers of documents and words of each topic.

    A document with counts c and topic posterior r contributes r and c (x) r. The sums decay lazily:
    their values are ``scale`` times the arrays, so that forgetting is one multiplication and adding
    a block only touches the rows of its words.

    Smoothing is a pseudo-count for every entry. It is an argument of the M-step instead of a part
    of the sums, in which it would decay.

    Examples
    --------
    >>> statistics = Statistics.zero(n_topics=2, n_words=2)
    >>> statistics.add(Documents.from_tokens([[0, 0, 0], [1]], n_words=2), np.eye(2))
    >>> statistics.maximise(smoothing=1e-9).topics.round(3).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    __slots__ = ("_room", "n_words", "scale", "totals")
    saved = fields(
        scale=field(number, least=SMALLEST_SCALE, most=1.0),
        totals=field(floats, shape=(2, "n_topics"), **UNSCALED),
        words=field(floats, shape=("n_words", "n_topics"), **UNSCALED),
    )

    totals: Floats  # (2, K): documents of each topic, and their words, which is words.sum(axis=0)
    n_words: int
    scale: float
    _room: Floats  # (d or more, K): the words, and zero rows preallocated for new words

    def __init__(self, totals: Floats, words: Floats, scale: float = 1.0) -> None:
        self.totals, self._room, self.scale = totals, words, scale
        self.n_words = len(words)

    @property
    def words(self) -> Floats:
        """Expected word counts of each topic, (d, K); one row per word, for locality."""
        return self._room[: self.n_words]

    @property
    def columns(self) -> Columns:
        """All topics as columns, as kernels take them: views, without the scale."""
        return Columns(self.words, self.totals, 0, self.totals.shape[1])

    @classmethod
    def zero(cls, n_topics: int, n_words: int) -> Statistics:
        """Return the statistics of no documents."""
        return cls(np.zeros((2, n_topics)), np.zeros((n_words, n_topics)))

    @classmethod
    def one_document(cls, model: TopicModel, length: float) -> Statistics:
        """Return the expected contribution of one document of this length under a model."""
        words = length * (model.weights[:, None] * model.topics).T
        return cls(np.stack([model.weights, words.sum(axis=0)]), np.ascontiguousarray(words))

    def copy(self) -> Statistics:
        """Return an independent copy."""
        return Statistics(self.totals.copy(), self.words.copy(), self.scale)

    def of_words(self, ids: Ints) -> Statistics:
        """Return a copy of the statistics of some words, with scale 1."""
        return Statistics(self.scale * self.totals, self.scale * self.words[ids])

    def add(self, documents: Documents, posterior: Floats, gain: float = 1.0) -> None:
        """Add the statistics of documents times `gain`; a negative gain removes them."""
        arrays = documents.indptr, documents.words, documents.counts
        add_block(*arrays, posterior * (gain / self.scale), tuple(self.columns))

    def blend(self, other: Statistics, step: float) -> None:
        """Become ``(1 - step) * self + step * other``."""
        self.decay(1.0 - step)
        # After `decay`, which changes our scale and may multiply it out.
        factor = step * other.scale / self.scale
        self.totals += factor * other.totals
        self._room[: self.n_words] += factor * other.words

    def decay(self, keep: float) -> None:
        """Multiply everything by a factor from 0 to 1."""
        self.scale *= keep
        if self.scale < SMALLEST_SCALE:
            self.totals *= self.scale
            self._room *= self.scale
            self.scale = 1.0

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words, see `Learner.recode`; new words have count 0.

        Documents keep their topics, even if these were determined by dropped words.
        """
        if new_ids is not None:
            self._room = move_rows(self.words, new_ids, n_words)
            # Only if words were dropped: a mere renumbering leaves the totals bit-identical.
            if (new_ids < 0).any():
                self.totals = np.stack([self.totals[0], self._room.sum(axis=0)])
        elif n_words > len(self._room):  # double the room: amortised growth
            self._room = move_rows(self.words, None, 2 * n_words)
        self.n_words = n_words

    def reorder(self, order: Ints) -> Statistics:
        """Return a copy with the topics in another order."""
        totals, words = self.totals[:, order], self.words[:, order]
        return Statistics(np.ascontiguousarray(totals), np.ascontiguousarray(words), self.scale)

    def posterior(self, documents: Documents, smoothing: float) -> Floats:
        """E-step: return ``self.maximise(smoothing).posterior(documents)``, (n_docs, K).

        Only the words of the documents are read; the (K, d) model is not computed.
        """
        # Ratios do not change if counts and pseudo-counts are both divided by the scale.
        K, n_words, pseudo = self.totals.shape[1], float(self.n_words), smoothing / self.scale
        # A `Smoothing`: one pseudo-count for each word of a topic, and one for each topic.
        smoothed = (_even(self.n_words), n_words, n_words * pseudo, K * pseudo, False)
        arrays, out = (
            (documents.indptr, documents.words, documents.counts),
            np.empty((documents.n_docs, K)),
        )
        respond_to_block(*arrays, tuple(self.columns), smoothed, work_space(K), out)
        return out

    def maximise(self, smoothing: float) -> TopicModel:
        """M-step: return the maximum a posteriori model, with pseudo-counts as the prior."""
        # As in `posterior`: dividing the pseudo-count avoids multiplying the arrays by the scale.
        pseudo = smoothing / self.scale
        return mode(self.totals[0] + pseudo, self.words, pseudo)

    def _loaded(self) -> None:
        slack = 1e-3 * (1.0 / self.scale + self.words.sum(axis=0))  # far above rounding
        if (np.abs(self.totals[1] - self.words.sum(axis=0)) > slack).any():
            raise ValueError("totals must be the sums of the words")


def mode(weights: Floats, words: Floats, background: Floats | float) -> TopicModel:
    """M-step: return the model with these weights, (K,), and words, (d, K), plus the background.

    The background is a number of words in every topic, for all words alike or (d,); eq. 27 before
    both are divided by their sums.
    """
    topics = np.add(words.T, background, order="C")
    topics /= topics.sum(axis=1, keepdims=True)
    return TopicModel.trusted(weights / weights.sum(), topics)


def read_off(columns: Columns, smoothing: Smoothing, scale: float = 1.0) -> TopicModel:
    """M-step: return the model of `scale` times the statistics in the columns, smoothed."""
    K, topics = columns.n_topics, slice(columns.first, columns.first + columns.n_topics)
    n_docs = scale * columns.totals[0, topics]
    # A topic without documents is closed, as in `columns.m_step`.
    weights = np.where(n_docs > 0.0, n_docs + smoothing.weight / K, 0.0)
    weights = weights if weights.any() else np.ones(K)
    background = smoothing.strength * (smoothing.seen / smoothing.n_seen)
    return mode(weights, scale * columns.words[:, topics], background)


def match(statistics: Statistics, reference: Statistics) -> Ints:
    """Return the order of topics that best matches the reference, by the cosine of their words."""
    tiny = 1e-100  # avoids 0 / 0 for a topic without words
    topics, wanted = (np.ascontiguousarray(s.words.T) + tiny for s in (statistics, reference))
    return best_order(topics, wanted)


def with_words(documents: Documents) -> Documents:
    """Return the documents that have words: empty ones would decay the topics to uniform."""
    is_empty = documents.indptr[1:] == documents.indptr[:-1]
    # `count_nonzero`, because `any` takes twice the time, at every block.
    return documents if np.count_nonzero(is_empty) == 0 else documents[~is_empty]


@lru_cache(maxsize=4)  # a vocabulary that grows has many sizes
def _even(n_words: int) -> Floats:
    """Return ones: the frequencies towards which a pseudo-count for every word smooths."""
    return np.ones(n_words)


@in_place
def add_block(
    indptr: Ints,
    words: WordIds,
    counts: Floats,
    shares: Floats,
    topics: tuple[Any, ...],
) -> None:
    """``totals += [1, lengths] @ shares; words += X.T @ shares``, X being the documents.

    The columns are given as a plain tuple, as in `passes.visit_changes`.
    """
    columns = Columns(*topics)
    for i in range(len(shares)):
        add_document(indptr[i], indptr[i + 1], words, counts, shares[i], 1.0, columns)


@in_place
def respond_to_block(
    indptr: Ints,
    words: WordIds,
    counts: Floats,
    topics: tuple[Any, ...],
    smoothing: tuple[Any, ...],
    work: Floats,
    out: Floats,
) -> None:
    """``out[:] = softmax(log weights + X @ log topics)`` of the smoothed statistics."""
    slope, offset, prior, logs = work[0], work[1], work[2], work[4]
    word_probs = m_step(Columns(*topics), Smoothing(*smoothing), 1.0, slope, offset, prior)
    for i in range(len(out)):
        row = out[i : i + 1]
        e_step(indptr[i], indptr[i + 1], words, counts, word_probs, prior, row, logs)


def expect(documents: Documents, model: TopicModel) -> Statistics:
    """E-step: return the mean expected statistics of the documents (at least one)."""
    statistics = Statistics.zero(model.n_topics, model.n_words)
    statistics.add(documents, model.posterior(documents), 1.0 / documents.n_docs)
    return statistics


def em_step(documents: Documents, model: TopicModel, smoothing: float) -> TopicModel:
    """Return the model after one iteration of EM on the documents (at least one)."""
    return expect(documents, model).maximise(smoothing)


def log_prior(model: TopicModel, smoothing: float) -> float:
    """Return the log-prior of a model, s (sum_k log omega_k + sum_kw log u_kw)."""
    with np.errstate(divide="ignore"):  # a given start may have words of probability 0: -inf
        return smoothing * float(np.log(model.weights).sum() + np.log(model.topics).sum())


def objective(documents: Documents, model: TopicModel, smoothing: float) -> float:
    """Return the objective of EM: the mean log-probability of documents plus the log-prior."""
    return float(model.log_prob(documents).mean()) + log_prior(model, smoothing)


# Words of background in each topic, per known word; the likelihood of election tweets at 8 topics
# is flat from 0.1 to 1.
BACKGROUND = 0.3
# Share of the documents that each topic of the start counts as, in every M-step. The start is an
# average over the stream; the documents are a sample of it that changes, and each pass amplifies
# the change. The smallest share with which election tweets keep the bound of 2 % at 16 topics: mean
# churn of three seeds 0.021 with 1/16, 0.019 with 1/12, 0.016 with 1/8 (health tweets at 8 topics:
# 0.037, 0.034 and 0.031). Each step loses 0.1 % of the likelihood; docs/decisions.md has the trade.
PRIOR = 1 / 12


def refine(model: TopicModel, documents: Documents, n_passes: int) -> TopicModel:
    """Return the model after passes of EM: the posterior mode, with the start as the prior.

    Topics are smoothed with the word frequencies of the start.

    Examples
    --------
    >>> model = TopicModel([0.5, 0.5], [[0.6, 0.4], [0.4, 0.6]])
    >>> block = Documents.from_tokens([[0, 0, 0, 0], [1, 1, 1, 1]] * 9, n_words=2)
    >>> refine(model, block, n_passes=5).topics.round(2).tolist()
    [[0.94, 0.06], [0.06, 0.94]]
    """
    # Computed once: all passes increase the same posterior, whose prior is the start.
    prior = _prior(model, documents)
    for _ in range(n_passes if documents.n_docs else 0):
        statistics = prior.copy()
        statistics.add(documents, model.posterior(documents))
        # No smoothing here: the prior contains background for every word, so that no entry is 0.
        model = mode(statistics.totals[0], statistics.words, 0.0)
    return model


def _prior(model: TopicModel, documents: Documents) -> Statistics:
    """Return the start as statistics: documents of its topics, and background in each."""
    K = model.n_topics
    background = BACKGROUND * model.n_words * (model.weights @ model.topics)
    prior = Statistics.zero(K, model.n_words)
    # Weights have no such prior: a weight is the share of the documents, which people count.
    prior.totals[0] = WEIGHT / K
    # as many words in each topic: a small one moves least, as it has the fewest documents
    prior.words[:] = (PRIOR * float(documents.lengths.sum()) * model.topics + background).T
    return prior
