"""TopicModel: topic weights and word distributions, and what they imply for documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spectralleader.arrays import Floats, Ints
from spectralleader.checks import check_whole
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import distributions
from spectralleader.documents import Documents, check_n_words
from spectralleader.documents.recoding import check_recoding
from spectralleader.models.likelihood import (
    find_best,
    find_shares,
    log_joint,
    log_sum,
    softmax,
    take_logs,
)

if TYPE_CHECKING:
    from spectralleader.models.tree import TopicTree

# Words in order of id, words to ids (CountVectorizer's `vocabulary_`), or ids to words (gensim).
WordNames = Sequence[str] | NDArray[Any] | Mapping[str, int] | Mapping[int, str]

SUM_TOLERANCE = 1e-6  # accepted deviation of a distribution's sum from 1
SHARED = 1000  # documents per batch in `shares`: bounds the (n_entries, K) array of assignments
# A topic with less than this fraction of an even share of the documents, 1 / K, is unused: it may
# be a copy of another one. Learners that restart dead topics use the same limit.
UNUSED = 0.02
LOGS_KEPT = 2  # keep all logarithms once this many times the vocabulary was asked for


class TopicModel(Saved):
    """A single-topic model: a document has one topic, its words are drawn from that topic.

    ``P(document) = sum_k weights[k] * prod_l topics[k, word_l]``  (method.md, eq. 1)

    Parameters
    ----------
    weights : (K,) array
        Probability of each topic (the paper's omega); sums to 1.
    topics : (K, d) array
        Word distribution of each topic (the paper's u); each row sums to 1.

    Examples
    --------
    >>> model = TopicModel([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]])
    >>> block = Documents.from_tokens([[0, 0, 0], [1]], n_words=2)
    >>> model.posterior(block).round(3).tolist()
    [[0.999, 0.001], [0.1, 0.9]]
    >>> model.log_prob(block).round(3).tolist()
    [-1.008, -0.693]
    """

    __slots__ = ("_logs", "_n_asked", "topics", "weights")
    saved = fields(
        weights=field(distributions, shape=(None,)),
        topics=field(distributions, shape=lambda known: (len(known["weights"]), None)),
    )

    weights: Floats  # (K,)
    topics: Floats  # (K, d)
    _n_asked: int  # entries of documents that logarithms were taken for, until all are kept
    _logs: tuple[Floats, Floats]  # see `logs`, once they were asked for

    def __init__(self, weights: ArrayLike, topics: ArrayLike) -> None:
        weights, topics = np.array(weights, np.float64), np.array(topics, np.float64)
        if weights.ndim != 1 or topics.ndim != 2 or not 0 < len(weights) == len(topics):
            raise ValueError(
                "a model needs weights of shape (K,) and topics of shape (K, d), "
                f"got {weights.shape} and {topics.shape}"
            )
        check_n_words(topics.shape[1])
        _check_distribution("weights", weights[None])
        _check_distribution("topics", topics)
        self._freeze(weights, topics)

    def _freeze(self, weights: Floats, topics: Floats) -> None:
        weights.setflags(write=False)
        topics.setflags(write=False)
        set_weights(self, weights)
        set_topics(self, topics)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a TopicModel is immutable; cannot set {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:  # for copy and multiprocessing; slots alone fail
        return TopicModel, (self.weights, self.topics)

    @classmethod
    def trusted(cls, weights: Floats, topics: Floats) -> TopicModel:
        """Return a model that wraps valid distributions without checking or copying them."""
        model = cls.__new__(cls)
        model._freeze(weights, topics)
        return model

    @classmethod
    def uniform(cls, n_topics: int, n_words: int) -> TopicModel:
        """Return the uninformed model: equal weights, every word equally likely."""
        if n_topics < 1:
            raise ValueError(f"a model needs at least 1 topic, got n_topics={n_topics}")
        topics = np.full((n_topics, check_n_words(n_words)), 1.0 / n_words)
        return cls(np.full(n_topics, 1.0 / n_topics), topics)

    @property
    def n_topics(self) -> int:
        """Number of topics, K."""
        return len(self.weights)

    @property
    def n_words(self) -> int:
        """Vocabulary size, d."""
        return int(self.topics.shape[1])

    @property
    def used(self) -> NDArray[np.bool_]:
        """Whether each topic is in use, (K,): its weight is at least 2 % of an even share, 1 / K.

        With few documents for the number of topics, a learner may leave topics without documents.
        Their words mean nothing.

        Examples
        --------
        >>> model = TopicModel([0.7, 0.0, 0.3], [[0.9, 0.1], [0.2, 0.8], [0.1, 0.9]])
        >>> model.used.tolist(), model.n_used
        ([True, False, True], 2)
        """
        return np.asarray(self.weights * self.n_topics >= UNUSED)

    @property
    def n_used(self) -> int:
        """Number of topics in use, see `used`."""
        return int(np.count_nonzero(self.used))

    def log_prob(self, documents: Documents) -> Floats:
        """Return the exact log-probability of each document's word sequence, shape (n_docs,).

        The empty document has log-probability 0.
        """
        log_prob = log_sum(self._log_joint(documents))
        # log(sum(weights)) is 0 only up to rounding.
        log_prob[np.diff(documents.indptr) == 0] = 0.0
        return log_prob

    def posterior(self, documents: Documents) -> Floats:
        """Return P(topic | document), shape (n_docs, K); each row sums to 1.

        A document that has probability 0 under every topic gets the topic weights.
        """
        joint = self._log_joint(documents)
        return softmax(joint, self.weights)

    def classify(self, documents: Documents) -> tuple[Ints, Floats, Floats, Floats]:
        """Return the likeliest topic of each document, its posterior, log P(document), and length.

        This is the fastest way to classify a few documents, which must be over these words.
        """
        topics, told = np.empty(documents.n_docs, np.int64), np.empty((documents.n_docs, 3))
        counted = documents.indptr, documents.words, documents.counts
        find_best(*counted, *self.logs, topics, told)
        return topics, told[:, 0], told[:, 1], told[:, 2]

    def shares(self, documents: Documents) -> Floats:
        """Return the expected proportions of topics within each document, shape (n_docs, K).

        Meant for long documents, which cover more than one topic. Each token is assigned to topics
        with ``P(topic | word) ~ share * u``, and the document's shares are the mean assignment of
        its tokens plus one pseudo-token assigned by the topic weights. The fixed point is found by
        EM (Hofmann 1999). A document without words gets the topic weights.

        Examples
        --------
        >>> model = TopicModel([0.5, 0.5], [[0.98, 0.02], [0.02, 0.98]])
        >>> block = Documents.from_tokens([[0, 0, 0, 0, 0, 0, 1, 1]], n_words=2)
        >>> model.shares(block).round(2).tolist(), model.posterior(block).round(2).tolist()
        ([[0.73, 0.27]], [[1.0, 0.0]])
        """
        self._check(documents)
        parts = [find_shares(self.weights, self.topics, part) for part in documents.blocks(SHARED)]
        return np.concatenate([np.empty((0, self.n_topics)), *parts])

    def _check(self, documents: Documents) -> None:
        """Raise unless these are `Documents` over the model's vocabulary."""
        if not isinstance(documents, Documents):
            raise TypeError(
                f"a model takes Documents, got {type(documents).__name__}; "
                "convert with Documents.from_matrix or Documents.from_tokens"
            )
        if documents.n_words != self.n_words:
            raise ValueError(
                f"the model has {self.n_words} words, the documents have {documents.n_words}; "
                "use the vocabulary that the model was learned with, and Documents.widen or "
                "TopicModel.recode if it has grown since"
            )

    def _log_joint(self, documents: Documents) -> Floats:
        """Return log P(topic) + log P(words | topic), shape (n_docs, K)."""
        self._check(documents)
        words, n_asked = documents.words, getattr(self, "_n_asked", 0)
        if n_asked >= LOGS_KEPT * self.n_words:
            return log_joint(documents.indptr, words, documents.counts, *self.logs)
        set_n_asked(self, n_asked + len(words))  # few so far: only take the logarithms of these
        logs = take_logs(self.weights, self.topics[:, words])
        places = np.arange(len(words), dtype=np.int32)
        places.setflags(write=False)  # like documents' words: one compiled kernel
        return log_joint(documents.indptr, places, documents.counts, *logs)

    @property
    def logs(self) -> tuple[Floats, Floats]:
        """The logarithms of the weights, (K,), and of the transposed topics, (d, K)."""
        if getattr(self, "_logs", None) is None:
            set_logs(self, take_logs(self.weights, self.topics))
        return self._logs

    def sample(
        self, n_docs: int, lengths: int | ArrayLike = 3, *, seed: int | np.random.Generator = 0
    ) -> tuple[Documents, Ints]:
        """Draw documents of the given length(s); return them and their topics, (n_docs,)."""
        rng = np.random.default_rng(seed)
        labels = rng.choice(self.n_topics, size=n_docs, p=self.weights)
        return self.sample_words(labels, lengths, rng), labels

    def sample_words(
        self, labels: NDArray[np.integer], lengths: int | ArrayLike, rng: np.random.Generator
    ) -> Documents:
        """Draw one document per topic in `labels`, by inverting the cumulative distribution."""
        sizes = np.broadcast_to(np.asarray(lengths, np.int64), labels.shape)
        cumulative = np.cumsum(self.topics, axis=1)
        # Exactly 1 at the end: a draw just below 1 must not fall beyond the last word.
        cumulative /= cumulative[:, -1:]
        rows = np.repeat(np.arange(len(labels)), sizes)
        uniform = rng.random(len(rows))
        words = np.empty(len(rows), np.int64)
        for topic in np.unique(labels):
            of_topic = labels[rows] == topic
            words[of_topic] = np.searchsorted(cumulative[topic], uniform[of_topic], side="right")
        return Documents.from_words(words, sizes, self.n_words)

    def distance(self, other: TopicModel) -> float:
        """Return ||M3 - M3'||_F^2 of the two third-moment tensors, in O(K^2 d) (eq. 12)."""
        if self.n_words != other.n_words:
            raise ValueError(
                f"cannot compare models over {self.n_words} and {other.n_words} words; "
                "recode one of them to the vocabulary of the other"
            )
        squared = _inner(self, self) - 2.0 * _inner(self, other) + _inner(other, other)
        # For nearly equal models, cancellation can make the difference negative.
        return max(0.0, squared)

    def norm(self) -> float:
        """Return ||M3||_F^2."""
        return _inner(self, self)

    def tree(self) -> TopicTree:
        """Return the merge tree of the topics, for reading the model with fewer topics.

        Building it takes about 30 ms for 100 topics over 5,000 words; a cut takes less than 1 ms.
        """
        from spectralleader.models.tree import TopicTree  # circular: the tree imports this module

        return TopicTree.of(self)

    def recode(self, new_ids: ArrayLike | None, n_words: int) -> TopicModel:
        """Return the model with word w renumbered to ``new_ids[w]``; -1 drops the word.

        Remaining words keep their relative probabilities; each new word has probability
        1 / n_words. With ``new_ids=None`` every word keeps its id.

        Examples
        --------
        >>> model = TopicModel([1.0], [[0.5, 0.3, 0.2]])
        >>> model.recode([1, 0, -1], n_words=2).topics.round(3).tolist()
        [[0.375, 0.625]]
        """
        ids, n_words = check_recoding(new_ids, self.n_words, n_words)
        kept = np.arange(self.n_words) if ids is None else np.flatnonzero(ids >= 0)
        topics = self.topics[:, kept]
        if len(kept) < self.n_words:
            mass = topics.sum(axis=1, keepdims=True)
            # A topic of which every word was dropped becomes uniform over the others.
            uniform = np.full(topics.shape, 1.0 / max(len(kept), 1))
            topics = np.where(mass > 0, topics / np.where(mass > 0, mass, 1.0), uniform)
        wide = np.full((self.n_topics, n_words), 1.0 / n_words)
        # Old words share the mass that new words, at 1 / n_words each, leave to them.
        wide[:, kept if ids is None else ids[kept]] = topics * (len(kept) / n_words)
        return TopicModel.trusted(self.weights, wide)

    def top_words(self, vocabulary: WordNames | None = None, n: int = 10) -> list[list[str]]:
        """Return the n most characteristic words of each topic, best first; at most d.

        Words are ranked by ``u_kw log(u_kw / u_w)``, where u_w is the mean over topics: the word's
        contribution to the divergence of the topic from the rest. That ranks both shared and rare
        words low.

        Parameters
        ----------
        vocabulary : sequence or dictionary, optional
            The words in order of their ids, such as a `Vocabulary` or scikit-learn's
            `get_feature_names_out()`, or a dictionary from words to ids (``CountVectorizer``) or
            from ids to words (gensim). If omitted, ids are returned as strings.
        n : int
            Words per topic.
        """
        n = check_whole("n", n, 1)
        words = None if vocabulary is None else names_in_order(vocabulary, self.n_words)
        tiny = np.finfo(float).tiny
        mean = np.maximum(self.weights @ self.topics, tiny)
        # 1e-9 ranks by probability where topics do not differ and the logarithm is 0.
        score = self.topics * (np.log(np.maximum(self.topics, tiny) / mean) + 1e-9)
        best = [first_of(row, n) for row in score]
        return [[str(i) if words is None else words[i] for i in row] for row in best]

    def __repr__(self) -> str:
        return f"TopicModel(n_topics={self.n_topics}, n_words={self.n_words})"


# The slots' own setters bypass `__setattr__`, and are the fastest way to: learners build a model
# per step.
set_logs, set_n_asked, set_topics, set_weights = (
    getattr(TopicModel, name).__set__ for name in TopicModel.__slots__
)


def first_of(scores: Floats, n: int) -> list[int]:
    """``np.argsort(-scores, kind="stable")[:n].tolist()``, without sorting all of them."""
    n = min(n, len(scores))
    least = np.partition(scores, len(scores) - n)[len(scores) - n]
    some = np.flatnonzero(scores >= least)  # the n best, and what equals the last of them
    found: list[int] = some[np.argsort(-scores[some], kind="stable")][:n].tolist()
    return found


def _inner(a: TopicModel, b: TopicModel) -> float:
    """Return <M3(a), M3(b)> = sum_jk a.omega_j b.omega_k (a.u_j . b.u_k)^3 (eq. 12)."""
    overlaps = a.topics @ b.topics.T
    return float(a.weights @ overlaps**3 @ b.weights)


def _check_distribution(name: str, rows: Floats) -> None:
    if not np.isfinite(rows).all() or (rows < 0).any():
        raise ValueError(f"{name} must be finite and not negative")
    sums = rows.sum(axis=1)
    worst = int(np.argmax(np.abs(sums - 1.0)))
    if abs(sums[worst] - 1.0) > SUM_TOLERANCE:
        raise ValueError(
            f"{name} must have rows that sum to 1, row {worst} sums to {sums[worst]:g}"
        )


def names_in_order(vocabulary: WordNames, n_words: int) -> Sequence[str]:
    """Return the n_words words in order of their ids.

    Raises
    ------
    ValueError
        If the number of words differs, or a dictionary has no word for an id.

    Examples
    --------
    >>> names_in_order({"sun": 1, "rain": 0}, 2), names_in_order({0: "rain", 1: "sun"}, 2)
    (['rain', 'sun'], ['rain', 'sun'])
    """
    if len(vocabulary) != n_words:
        raise ValueError(f"the vocabulary has {len(vocabulary)} words, the model {n_words}")
    if isinstance(vocabulary, np.ndarray):
        return [str(word) for word in vocabulary]
    return _by_id(vocabulary.items()) if isinstance(vocabulary, Mapping) else vocabulary


def _by_id(items: Iterable[tuple[Any, Any]]) -> list[str]:
    by_id = {word: key for key, word in items}
    # The keys were assumed to be words; if the values are not ids, the keys are.
    if not all(isinstance(i, int | np.integer) for i in by_id):
        by_id = {i: word for word, i in by_id.items()}
    if (gap := next((i for i in range(len(by_id)) if i not in by_id), None)) is not None:
        raise ValueError(f"the vocabulary has no word with id {gap}; ids must be 0, 1, 2, ...")
    return [str(by_id[i]) for i in range(len(by_id))]
