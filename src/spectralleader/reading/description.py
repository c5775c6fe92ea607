"""Describe: a readable summary of a model, with a diagnosis of its fit."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from spectralleader.reading.diagnosis import Diagnosis, diagnose
from spectralleader.reading.findings import (
    Level,
    Readable,
    Suggested,
    describe_collapse,
    describe_fit,
    describe_gain,
    describe_history,
    describe_number,
    describe_shifts,
    describe_use,
)
from spectralleader.reading.snapshot import Reading, Snapshot, list_topics
from spectralleader.reading.trends import TimelineSample, Trends
from spectralleader.reading.typical import typical_texts, typical_words

SMALL = 0.1  # topics with less than this share of an even weight are listed as small


@dataclass(frozen=True)
class Description:
    """A readable summary of a model; each part of it is computed when it is first read."""

    reading: Reading
    shown: Snapshot  # at the level that is described
    n_words: int  # per topic
    n_typical: int  # documents per topic

    @cached_property
    def topics(self) -> list[dict[str, Any]]:
        """The rows of `list_topics`, with trends and typical documents."""
        shown, trends, n, texts = (
            self.shown,
            self.trends,
            self.n_typical,
            self.reading.timeline.texts,
        )
        columns: dict[str, list[Any]] = {}  # by topic
        if trends is None or not texts:
            columns["typical"] = typical_words(shown, self.reading.documents, n)
        if trends is not None:
            columns["trend"] = trends.shares.T.round(4).tolist()
        if trends is not None and texts:
            late = len(trends.starts) * 4 // 5  # the last fifth of the time
            for name, since in (("typical", 0), ("latest", late)):
                columns[name] = typical_texts(shown.model, self._sample, n, since=since)
        return [
            row | {name: column[k] for name, column in columns.items()}
            for k, row in enumerate(list_topics(shown, self.n_words))
        ]

    @cached_property
    def _sample(self) -> TimelineSample:
        return self.reading.sample(self.shown.model.n_topics)

    @cached_property
    def trends(self) -> Trends | None:
        """The shares over time; None of recent topics, and if no texts were sampled."""
        if self.reading.whole or not self._sample.texts:
            return None
        return self._sample.trends()

    @cached_property
    def diagnosis(self) -> Diagnosis | None:
        """The fit of the model; None if the learner remembers no documents."""
        documents = self.reading.documents
        return None if documents is None else diagnose(self.shown.model, documents)

    @cached_property
    def readable(self) -> Readable:
        """The numbers of topics."""
        model = self.shown.model
        is_equal = model.n_topics > 1 and model.tree().suggested == 1
        return Readable.of(self.shown, is_equal=is_equal)

    @property
    def n_recent(self) -> int | None:
        """The number of documents, for topics of the most recent ones."""
        documents = self.reading.documents if self.reading.whole else None
        return None if documents is None else documents.n_docs

    @property
    def level(self) -> Level | None:
        """The level that is described, for merged topics."""
        tree, n = self.reading.tree, self.shown.model.n_topics
        if self.shown.groups is None:
            return None
        is_default = self.reading.is_auto and n == self.reading.level()
        return Level(n, tree.n_topics, round(tree.lost(n), 4), is_default)

    @property
    def small(self) -> list[int]:
        """The numbers of the topics in use that few documents support."""
        least = SMALL / len(self.topics)
        return [t["topic"] for t in self.topics if t["weight"] < least and not t["unused"]]

    def findings(self) -> list[str]:
        """Return the diagnosis as sentences."""
        first = describe_collapse(self.readable)
        if self.diagnosis is None:
            who = f"the learner {self.reading.learner} remembers no documents"
            return [*first, f"No diagnosis: {who} with two or more known words."]
        return [
            *first,
            *describe_gain(self.diagnosis),
            describe_fit(self.diagnosis),
            *describe_use(self.readable, self.small),
            describe_number(self.diagnosis, self.readable, Suggested.of(self.reading)),
        ]

    @property
    def events(self) -> list[str]:
        """What happened to the topics, whether the stream drifts, and names to check."""
        return describe_history(self.reading, self.shown.groups)

    @property
    def history(self) -> list[str]:
        """What has changed, as sentences: what rose and fell, and events."""
        return describe_shifts(self.shown, self.trends) + self.events

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
            "learner": self.reading.learner,
            "documents": self.shown.n_docs,
            "documents_without_known_words": self.shown.n_empty,
            "of_the_last": self.n_recent,
            "words": self.shown.vocabulary.n_words,
            "level": self.level and self.level._asdict(),
            "topics": self.topics,
            "trends": None if self.trends is None else self.trends.rows(),
            "findings": self.findings(),
            "history": self.history,
            "diagnosis": diagnosis,
        }


def describe(
    reading: Reading, *, n_words: int = 10, n_typical: int = 3, level: int | str | None = None
) -> Description:
    """Return topics, top words, typical documents, trends and diagnosis of a model.

    Parameters
    ----------
    reading : Reading
        What `TextTopics.read` returned, of all documents or of the most recent ones.
    n_words, n_typical : int
        Words and typical documents per topic.
    level : int, "all" or "auto", optional
        Describe the topics merged to this number, see `TextTopics.at`.
    """
    return Description(reading, reading.at(level), n_words, n_typical)
