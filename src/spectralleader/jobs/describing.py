"""Describe: a readable summary of a model, with a diagnosis of its fit."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from spectralleader.documents import Documents
from spectralleader.evaluation.diagnosis import Diagnosis, diagnose
from spectralleader.jobs.learn_result import list_topics
from spectralleader.jobs.sentences import (
    Readable,
    Suggested,
    describe_collapse,
    describe_fit,
    describe_history,
    describe_number,
    describe_shifts,
    describe_stale_names,
    describe_use,
    printable,
)
from spectralleader.learners.protocol import remembered
from spectralleader.learners.registry import name_of
from spectralleader.models import TopicTree
from spectralleader.text.snapshot import Snapshot
from spectralleader.text.topics import TextTopics
from spectralleader.text.trends import (
    Document,
    Trends,
    find_trends,
    find_typical,
    name_position,
    sample_under,
)

MIN_TYPICAL = 3  # fewest words of a typical document
SMALL = 0.1  # topics with less than this share of an even weight are listed as small


@dataclass(frozen=True)
class Description:
    """A readable summary of a model."""

    learner: str
    n_docs: int
    n_empty: int
    n_words: int
    topics: list[dict[str, Any]]  # see `list_topics`; with typical documents
    diagnosis: Diagnosis | None  # None if the learner remembers no documents
    history: list[str]  # events of the topics, and whether the stream drifts
    n_recent: int | None = None  # number of documents, for topics of the most recent ones
    level: Level | None = None  # for merged topics
    trends: Trends | None = None  # None if the positions of documents are unknown
    suggested: Suggested | None = None  # after `-k auto`
    is_equal: bool = False  # whether all topics have the same words

    @property
    def readable(self) -> Readable:
        """The numbers of topics that are read, are in use and can be read."""
        n_fine = len(self.topics) if self.level is None else self.level.n_fine
        return Readable(
            len(self.topics),
            sum(not topic["unused"] for topic in self.topics),
            n_fine,
            is_merged=self.level is not None,
            is_equal=self.is_equal,
        )

    def findings(self) -> list[str]:
        """Return the diagnosis as sentences."""
        used = [topic for topic in self.topics if not topic["unused"]]
        small = [topic["topic"] for topic in used if topic["weight"] * len(self.topics) < SMALL]
        readable = self.readable
        if self.diagnosis is None:
            nothing = (
                f"No diagnosis: the learner {self.learner} remembers no documents with "
                "two or more known words."
            )
            return [*describe_collapse(readable), nothing]
        return [
            *describe_collapse(readable),
            describe_fit(self.diagnosis),
            *describe_use(readable, small),
            describe_number(self.diagnosis, readable, self.suggested),
        ]

    def summary(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        found = self.diagnosis
        spectrum = None if found is None else found.spectrum
        return {
            "learner": self.learner,
            "documents": self.n_docs,
            "documents_without_known_words": self.n_empty,
            "of_the_last": self.n_recent,
            "words": self.n_words,
            "level": self.level and self.level._asdict(),
            "topics": self.topics,
            "trends": None if self.trends is None else self.trends.rows(),
            "findings": self.findings(),
            "history": self.history,
            "diagnosis": found
            and asdict(found)
            | {
                "spectrum": spectrum
                and {
                    "eigenvalues": spectrum.eigenvalues.tolist(),
                    "noise": spectrum.noise,
                    "above_noise": spectrum.n_above,
                    "suggested_topics": spectrum.n_suggested,
                }
            },
        }


class Level(NamedTuple):
    """A level of the merge tree."""

    n_topics: int
    n_fine: int  # number of all topics
    price: float  # likelihood lost by merging, in nats per word, before any refinement
    is_default: bool  # whether it is read unless another one is asked for


def describe(
    topics: TextTopics,
    *,
    n_words: int = 10,
    n_typical: int = 3,
    recent: bool = False,
    level: int | str | None = None,
) -> Description:
    """Return topics, top words, typical documents, trends and diagnosis of a model.

    Parameters
    ----------
    n_words, n_typical : int
        Words and typical documents per topic.
    recent : bool
        Describe the topics of the most recent documents, merged by the tree of all documents.
    level : int, "all" or "auto", optional
        Describe the topics merged to this number, see `TextTopics.at`.
    """
    shown = topics.recent_at(level) if recent else topics.at(level)
    tree = TopicTree.priced(topics.recent.model, topics.tree().pairs) if recent else topics.tree()
    documents = topics.learner.window.documents if recent else remembered(topics.learner)  # type: ignore[attr-defined]
    listed = list_topics(shown, n_words)
    trends = None if recent else add_examples(topics, shown, listed, n_typical)
    if trends is None or not topics.timeline.texts:
        for k, topic in enumerate(listed):
            topic["typical"] = [] if documents is None else typical(shown, documents, k, n_typical)
    return Description(
        name_of(topics.learner),
        topics.n_docs,
        topics.n_empty,
        topics.vocabulary.n_words,
        listed,
        None if documents is None else diagnose(shown.model, documents),
        [
            *describe_shifts(shown, trends),
            *describe_history(topics, recent=recent, groups=shown.groups),
            *describe_stale_names(topics, shown.groups),
        ],
        documents.n_docs if recent and documents is not None else None,
        None if shown.groups is None else level_of(topics, shown, tree),
        trends,
        suggest(topics, tree),
        shown.model.n_topics > 1 and shown.model.tree().suggested == 1,
    )


def level_of(topics: TextTopics, shown: Snapshot, tree: TopicTree) -> Level:
    """Return the number of merged topics and the price of merging in this tree."""
    n = shown.model.n_topics
    is_default = topics.annotations.is_auto and n == topics.level()
    return Level(n, tree.n_topics, round(tree.lost(n), 4), is_default)


def suggest(topics: TextTopics, tree: TopicTree) -> Suggested | None:
    """Return the level that is read by default after ``-k auto``, and what it keeps in this tree.

    The level is that of all documents, also for the tree of the most recent ones.
    """
    if not topics.annotations.is_auto:
        return None
    n, total = topics.level(), tree.lost(1)
    return Suggested(n, 1.0 - tree.lost(n) / total if total > 0 else 1.0)


def add_examples(
    topics: TextTopics, shown: Snapshot, listed: list[dict[str, Any]], n: int
) -> Trends | None:
    """Add typical documents and trends to the listed topics; return None without a sample."""
    sampled = sample_under(shown, topics.timeline)
    if not sampled.texts:
        return None
    trends = find_trends(topics.timeline, sampled)
    late = len(trends.starts) * 4 // 5  # the last fifth of the time intervals
    for k, topic in enumerate(listed):
        topic["trend"] = trends.shares[:, k].round(4).tolist()
        if topics.timeline.texts:
            found = (
                find_typical(shown, sampled, k, n),
                find_typical(shown, sampled, k, n, since=late),
            )
            topic["typical"], topic["latest"] = (
                [as_dict(one, by_time=trends.by_time) for one in some] for some in found
            )
    return trends


def as_dict(document: Document, *, by_time: bool) -> dict[str, Any]:
    """Return a document as plain values, its text without terminal escape sequences."""
    return {
        "text": printable(document.text),
        "time": name_position(document.position, by_time=by_time),
        "probability": round(document.probability, 4),
    }


def typical(topics: Snapshot, documents: Documents, k: int, n: int) -> list[str]:
    """Return the words of the n remembered documents most typical of topic k.

    Among the documents with likeliest topic k, these have the largest P(topic | document) times
    geometric mean likelihood of a word. Documents with equal words are listed once. Words are in
    order of their probability under the topic.
    """
    documents, model = documents[documents.lengths >= MIN_TYPICAL], topics.model
    posterior = model.posterior(documents)
    is_its = posterior.argmax(axis=1) == k
    documents, posterior = documents[is_its], posterior[is_its]
    log_topic = np.log(np.maximum(model.topics[k], np.finfo(float).tiny))
    fit = np.exp((documents.as_floats() @ log_topic) / documents.lengths)
    order = np.argsort(-posterior[:, k] * fit, kind="stable")
    shown: dict[str, None] = {}
    for i in order[: 20 * n]:
        one = documents[int(i)]
        ranked = one.words[np.argsort(-model.topics[k][one.words], kind="stable")]
        shown.setdefault(" ".join(topics.vocabulary[w] for w in ranked))
        if len(shown) == n:
            break
    return list(shown)
