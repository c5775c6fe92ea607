"""Snapshot and Reading: immutable topics for concurrent readers, at one level or at all."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isnan
from typing import Any, Generic, NamedTuple

from spectralleader.arrays import Floats, Ints
from spectralleader.documents import Documents
from spectralleader.em.statistics import refine
from spectralleader.learners.events import Event
from spectralleader.models import ReadableT, TopicModel, TopicTree
from spectralleader.reading.levels import N_PASSES, Names, choose_level, mark_new
from spectralleader.reading.surprise import Past, per_word, score
from spectralleader.reading.timeline import Timeline
from spectralleader.reading.trends import TimelineSample, Trends, sample_under
from spectralleader.text.texts import Texts
from spectralleader.text.vocabulary import Vocabulary
from spectralleader.text.words import Tokenizer


class Classified(NamedTuple):
    """The classification of some texts; all arrays have shape (n_docs,)."""

    topics: Ints  # likeliest topic
    probabilities: Floats  # its posterior probability
    lengths: Floats  # number of known words
    p_values: Floats  # see `TextTopics.p_values`
    names: tuple[str, ...]  # of the topics, see `Snapshot`

    def rows(self, digits: int = 4) -> list[dict[str, Any]]:
        """Return one row per text, as files and services give it; topics count from 1.

        A text without known words has no topic: its posterior is the weights of the topics.
        """
        columns = self.topics, self.probabilities, self.lengths, self.p_values
        return [
            {
                "topic": k + 1 if length else None,
                "name": (self.names[k] or None) if length else None,
                "probability": round(probability, digits) if length else None,
                "known_words": int(length),
                "p_value": None if isnan(p_value) else round(p_value, digits),
            }
            for k, probability, length, p_value in zip(*(c.tolist() for c in columns), strict=True)
        ]


@dataclass(frozen=True, repr=False)
class Snapshot(Generic[ReadableT]):
    """An immutable model with its vocabulary and tokenizer.

    Any thread can use it while the `TextTopics` that it was taken from continues to learn.

    Examples
    --------
    >>> from spectralleader import TextTopics
    >>> topics = TextTopics(n_topics=2)
    >>> topics.learn(["rain and wind", "a late goal"] * 9)
    >>> taken = topics.at()
    >>> topics.learn(["a goal, and a snowstorm"] * 9)
    >>> taken.n_docs, "snowstorm" in taken.vocabulary, topics.n_docs
    (18, False, 27)
    >>> taken.posterior(["wind"]).shape
    (1, 2)
    """

    model: ReadableT
    vocabulary: Vocabulary
    words: Tokenizer
    n_docs: int  # texts seen
    n_empty: int  # texts without a known word
    names: tuple[str, ...]  # of the topics, "" for those without a name
    groups: Ints | None = None  # at a level: the group of each topic of the full model
    past: Past = field(default_factory=Past)  # past scores, for p-values
    fine: ReadableT | None = None  # at a level: the full model, which scored the past

    def count(self, texts: Texts) -> Documents:
        """Return the known words of texts as documents for `model`."""
        return self.vocabulary.count_known(texts, self.words).widen(self.model.n_words)

    def log_prob(self, texts: Texts) -> Floats:
        """Return the log-probability of each text's known words, shape (n_docs,)."""
        return self.model.log_prob(self.count(texts))

    def posterior(self, texts: Texts) -> Floats:
        """Return P(topic | text), shape (n_docs, K); the topic weights without known words."""
        return self.model.posterior(self.count(texts))

    def shares(self, texts: Texts) -> Floats:
        """Return the topic proportions within each text, see `TopicModel.shares`."""
        return self.model.shares(self.count(texts))

    def p_values(self, texts: Texts) -> Floats:
        """Return the share of past documents that were at most as likely as each text.

        Small values are surprising: of documents like the past ones, one in a hundred has a p-value
        of 0.01 or less. The past is a sample of up to 4,000 documents, each scored before it was
        learned; a text is compared with those of similar length. NaN for a text without known
        words, before anything was learned, and with an offline learner. At a level they are those
        of the full model, which scored the past.
        """
        return self.past.p_values(*score(self.fine or self.model, self.count(texts)))

    def classify(self, texts: Texts) -> Classified:
        """Return the likeliest topic of each text with its posterior probability and p-value.

        This is the fastest way to classify a few texts.
        """
        return self.classify_counted(self.count(texts))

    def classify_counted(self, documents: Documents) -> Classified:
        """Return the classification of texts that `count` has counted."""
        topics, probabilities, log_prob, lengths = self.model.classify(documents)
        if self.fine is not None:
            log_prob = self.fine.log_prob(documents)
        p_values = self.past.p_values(per_word(log_prob, lengths), lengths)
        return Classified(topics, probabilities, lengths, p_values, self.names)

    def top_words(self, n: int = 10) -> list[list[str]]:
        """Return the n most characteristic words of each topic, see `TopicModel.top_words`."""
        if not self.vocabulary:
            return [[] for _ in range(self.model.n_topics)]
        return self.model.top_words(self.vocabulary, n)

    def __repr__(self) -> str:
        return f"Snapshot({self.model!r}, {self.vocabulary!r}, n_docs={self.n_docs})"


class Report(NamedTuple):
    """What a learner reported by the time of a reading, if it reports anything."""

    events: tuple[Event, ...] = ()
    drifts_since: int | None = None  # documents before the drift
    settles_at: int | None = None  # documents with words; None if the topics are settled


@dataclass(frozen=True, repr=False)
class Reading:
    """All that people read of a model: its topics at every level and over time, and its events.

    It never changes, so that any thread can read it while another one learns. Levels are computed
    when they are asked for. See `TextTopics.read`.
    """

    full: Snapshot  # all topics
    tree: TopicTree
    documents: Documents | None  # that the learner remembers, of those that the topics are of
    names: Names
    timeline: Timeline
    learner: str  # its name
    report: Report
    replaced: tuple[int, ...]  # documents at each late replacement of the tree
    is_auto: bool  # whether the default level is the suggested one
    whole: TopicTree | None = None  # of the topics of all documents, where these are recent ones
    _views: dict[int, Snapshot] = field(default_factory=dict, compare=False)  # levels read so far

    def level(self, level: int | str | None = None) -> int:
        """Return how many topics are read at a level, recent ones as many as of all documents."""
        return choose_level(level, self.whole or self.tree, is_auto=self.is_auto)

    def at(self, level: int | str | None = None) -> Snapshot:
        """Return the topics merged to a level, see `TextTopics.at`."""
        n = self.level(level)
        if n == self.tree.n_topics:
            return self.full
        if n not in self._views:
            self._views[n] = self._cut(n)
        return self._views[n]

    def _cut(self, level: int) -> Snapshot:
        (model, groups), fine = self.tree.cut(level), self.full.model
        names = self.names.of(groups, (self.whole or self.tree).model.weights)
        if self.whole is not None:
            names = mark_new(names, model, self.whole.cut(level).model)
        elif self.documents is not None:
            model = refine(model, self.documents, N_PASSES)
        return replace(self.full, model=model, names=names, groups=groups, fine=fine)

    @cached_property
    def _sample(self) -> TimelineSample:
        """The timeline's sample under all topics, whose words are counted once for all levels."""
        return sample_under(self.full, self.timeline)

    def sample(self, level: int | str | None = None) -> TimelineSample:
        """Return the sampled texts, with their topics at a level."""
        return self._sample.under(self.at(level).model)

    def trends(self, level: int | str | None = None) -> Trends:
        """Return the share of each topic over time, at a level; see `TextTopics.trends`."""
        return self.sample(level).trends()

    def recent(self, model: TopicModel, documents: Documents | None) -> Reading:
        """Return the reading of recent topics, numbered and named like those of all documents.

        They are merged by the same tree, and not refined. A topic that is like none of all
        documents is named "new".
        """
        names = mark_new(self.full.names, model, self.full.model)
        # Past scores are those of the topics of all documents, so p-values are not available.
        full = replace(self.full, model=model, names=names, past=Past())
        tree = TopicTree.priced(model, self.tree.pairs)
        return replace(self, full=full, tree=tree, documents=documents, whole=self.tree, _views={})


def list_topics(topics: Snapshot[Any], n_words: int) -> list[dict[str, Any]]:
    """Return the topics as plain values: number (from 1), name, weight, use, words."""
    model, used = topics.model, topics.model.used.tolist()
    return [
        {
            "topic": k + 1,
            "name": topics.names[k] or None,
            "weight": float(model.weights[k]),
            "unused": not used[k],
            "words": [
                {"word": word, "probability": float(model.topics[k, i])}
                for word, i in zip(words, topics.vocabulary.find(words).tolist(), strict=True)
            ],
        }
        for k, words in enumerate(topics.top_words(n_words))
    ]
