"""Snapshot: topics as they were at a moment, for any number of readers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.documents import Documents
from spectralleader.models import TopicModel
from spectralleader.models.likelihood import find_best
from spectralleader.text.surprise import Past, per_word, score
from spectralleader.text.texts import Texts, take_texts
from spectralleader.text.vocabulary import Vocabulary
from spectralleader.text.words import Tokenizer


class Classified(NamedTuple):
    """What is told of each of some texts, all of shape (n_docs,)."""

    topics: Ints  # the likeliest
    probabilities: Floats  # of that
    lengths: Floats  # known words
    p_values: Floats  # see `TextTopics.p_values`


@dataclass(frozen=True, repr=False)
class Snapshot:
    """A model, its vocabulary and how texts are counted: all that reading topics takes.

    It never changes: any thread may use it while the `TextTopics` that it was taken of learns.

    Examples
    --------
    >>> from spectralleader import TextTopics
    >>> topics = TextTopics(n_topics=2)
    >>> topics.learn(["rain and wind", "a late goal"] * 9)
    >>> taken = topics.snapshot()
    >>> topics.learn(["a goal, and a snowstorm"] * 9)
    >>> taken.n_docs, "snowstorm" in taken.vocabulary, topics.n_docs
    (18, False, 27)
    >>> taken.posterior(["wind"]).shape
    (1, 2)
    """

    model: TopicModel
    vocabulary: Vocabulary
    words: Tokenizer  # what counts as a word
    n_docs: int  # texts learned
    n_empty: int  # of these, the ones without a known word
    names: tuple[str, ...] = ()  # that topics were given, "" where none was
    groups: Ints | None = None  # at a level: the topic here of each topic of the fine model
    past: Past = field(default_factory=Past)  # what p-values compare with

    def name(self, k: int) -> str:
        """Return the name that topic k was given, "" if none was."""
        return self.names[k] if k < len(self.names) else ""

    def count(self, texts: Texts) -> Documents:
        """Count the known words of texts, as the model takes them."""
        counted = self.vocabulary.count_known(take_texts(texts, self.words), self.words)
        return counted.widen(self.model.n_words)

    def log_prob(self, texts: Texts) -> Floats:
        """Return the log-probability of each text's known words, shape (n_docs,)."""
        return self.model.log_prob(self.count(texts))

    def posterior(self, texts: Texts) -> Floats:
        """Return P(topic | text), shape (n_docs, K); the weights for a text without known words."""
        return self.model.posterior(self.count(texts))

    def shares(self, texts: Texts) -> Floats:
        """Return the proportions of topics within each text, see `TopicModel.shares`."""
        return self.model.shares(self.count(texts))

    def p_values(self, texts: Texts) -> Floats:
        """Return how many of the last documents were as unlikely as each text, as a share.

        Small values are surprising: of documents like those of the past, one in a hundred has a
        p-value of 0.01 or less. The past are up to 4,000 documents, each judged before it was
        learned; a text is compared with those about as long. NaN for a text without known words,
        and as long as nothing was learned. An offline learner has no past.

        Raises
        ------
        ValueError
            If the topics are merged: the past was judged by all of them.
        """
        self._check_fine()
        return self.past.p_values(*score(self.model, self.count(texts)))

    def classify(self, texts: Texts) -> Classified:
        """Return the likeliest topic of each text with its `posterior`, and the `p_values`.

        The quickest way to ask for few texts.
        """
        self._check_fine()
        documents, model = self.count(texts), self.model
        topics, told = np.empty(documents.n_docs, np.int64), np.empty((documents.n_docs, 3))
        counted = documents.indptr, documents.words, documents.counts
        find_best(*counted, model.weights, model.topics, topics, told)
        probabilities, log_prob, lengths = told.T
        p_values = self.past.p_values(per_word(log_prob, lengths), lengths)
        return Classified(topics, probabilities, lengths, p_values)

    def _check_fine(self) -> None:
        if self.groups is not None:
            raise ValueError("p-values are of all topics, not of a level: take a snapshot()")

    def top_words(self, n: int = 10) -> list[list[str]]:
        """Return the n words that tell each topic best, see `TopicModel.top_words`."""
        if not self.vocabulary:
            return [[] for _ in range(self.model.n_topics)]
        return self.model.top_words(self.vocabulary, n)

    def __repr__(self) -> str:
        return f"Snapshot({self.model!r}, {self.vocabulary!r}, n_docs={self.n_docs})"
