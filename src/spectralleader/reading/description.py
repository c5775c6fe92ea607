"""Describe: a readable summary of a model, with a diagnosis of its fit; trends as a table."""

from __future__ import annotations

import csv
import json
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, TextIO

import numpy as np

from spectralleader.documents import Documents
from spectralleader.learners.protocol import remembered
from spectralleader.learners.registry import name_of
from spectralleader.models import TopicTree
from spectralleader.reading.diagnosis import Diagnosis, diagnose
from spectralleader.reading.findings import (
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
from spectralleader.reading.snapshot import Snapshot, list_topics
from spectralleader.reading.trends import (
    Document,
    Trends,
    find_trends,
    find_typical,
    most_typical,
    name_position,
    sample_under,
    typicality,
)
from spectralleader.topics.text_topics import TextTopics

MIN_TYPICAL = 3  # fewest words of a typical document
COLUMNS = ("time", "topic", "share", "error", "documents")  # of trends
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
    shifts: list[str]  # what rose and fell
    events: list[str]  # of the topics; whether the stream drifts; names to check
    readable: Readable  # numbers of topics
    n_recent: int | None = None  # number of documents, for topics of the most recent ones
    level: Level | None = None  # for merged topics
    trends: Trends | None = None  # None if the positions of documents are unknown
    suggested: Suggested | None = None  # after `-k auto`

    @property
    def small(self) -> list[int]:
        """The numbers of the topics in use that few documents support."""
        least = SMALL / len(self.topics)
        return [t["topic"] for t in self.topics if t["weight"] < least and not t["unused"]]

    def findings(self) -> list[str]:
        """Return the diagnosis as sentences."""
        readable = self.readable
        first = describe_collapse(readable)
        if self.diagnosis is None:
            who = f"the learner {self.learner} remembers no documents"
            return [*first, f"No diagnosis: {who} with two or more known words."]
        return [
            *first,
            describe_fit(self.diagnosis),
            *describe_use(readable, self.small),
            describe_number(self.diagnosis, readable, self.suggested),
        ]

    @property
    def history(self) -> list[str]:
        """What has changed, as sentences."""
        return self.shifts + self.events

    def summary(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        diagnosis = None
        if self.diagnosis is not None:
            spectrum = self.diagnosis.spectrum
            diagnosis = asdict(self.diagnosis) | {
                "spectrum": {
                    "eigenvalues": spectrum.eigenvalues.tolist(),
                    "noise": spectrum.noise,
                    "above_noise": spectrum.n_above,
                    "suggested_topics": spectrum.n_suggested,
                }
            }
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
            "diagnosis": diagnosis,
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
    # Recent topics are merged as those of all documents are, so that their numbers agree.
    tree = TopicTree.priced(topics.recent.model, topics.tree().pairs) if recent else topics.tree()
    is_equal = shown.model.n_topics > 1 and shown.model.tree().suggested == 1
    documents = remembered(topics.learner, recent=recent)
    listed = list_topics(shown, n_words)
    trends = None if recent else add_examples(topics, shown, listed, n_typical)
    if trends is None or not topics.timeline.texts:
        for topic, typical in zip(listed, typical_words(shown, documents, n_typical), strict=True):
            topic["typical"] = typical
    return Description(
        name_of(topics.learner),
        topics.n_docs,
        topics.n_empty,
        topics.vocabulary.n_words,
        listed,
        None if documents is None else diagnose(shown.model, documents),
        describe_shifts(shown, trends),
        describe_history(topics, recent=recent, groups=shown.groups)
        + describe_stale_names(topics, shown.groups),
        Readable.of(shown, is_equal=is_equal),
        documents.n_docs if recent and documents is not None else None,
        None if shown.groups is None else level_of(topics, shown, tree),
        trends,
        suggest(topics, tree),
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
    examples = {"typical": 0, "latest": late} if topics.timeline.texts else {}
    for k, topic in enumerate(listed):
        topic["trend"] = trends.shares[:, k].round(4).tolist()
    for kind, since in examples.items():
        for topic, some in zip(
            listed, find_typical(shown.model, sampled, n, since=since), strict=True
        ):
            topic[kind] = [as_dict(document, by_time=trends.by_time) for document in some]
    return trends


def as_dict(document: Document, *, by_time: bool) -> dict[str, Any]:
    """Return a document as plain values, its text without terminal escape sequences."""
    return {
        "text": printable(document.text),
        "time": name_position(document.position, by_time=by_time),
        "probability": round(document.probability, 4),
    }


def typical_words(shown: Snapshot, documents: Documents | None, n: int) -> list[list[str]]:
    """Return the words of the n remembered documents most typical of each topic, if any.

    Words are in order of their probability under the topic.
    """
    if documents is None:
        return [[]] * shown.model.n_topics
    # Documents of a word or two are typical of any topic that has these words.
    documents, model = documents[documents.lengths >= MIN_TYPICAL], shown.model
    posterior = model.posterior(documents)
    best, scores = posterior.argmax(axis=1), typicality(model, documents, posterior)
    listed = []
    for k, topic in enumerate(model.topics):
        # Of its own topic only, however well a document fits another one.
        typical = [documents[i].words for i in most_typical(documents, scores * (best == k), n)]
        ranked = [words[np.argsort(-topic[words], kind="stable")] for words in typical]
        listed.append([" ".join(shown.vocabulary[w] for w in words) for words in ranked])
    return listed


def write_trends(
    topics: TextTopics, file: TextIO, level: int | str | None = None, format: str = "csv"
) -> int:
    """Write one line per time interval and topic, as CSV or JSON lines; return their number.

    If any topic has a name, names are a column; a missing name is null, in CSV empty.
    """
    names = topics.at(level).names
    rows = topics.trends(level).rows()
    if any(names):
        rows = [{**row, "name": names[row["topic"] - 1] or None} for row in rows]
    if format == "jsonl":
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        return len(rows)
    # Nobody needs a column of empty names.
    columns = [*COLUMNS, "name"] if any(names) else COLUMNS
    writer = csv.DictWriter(file, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return len(rows)
