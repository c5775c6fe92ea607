"""Describe: a readable summary of a model, with a diagnosis of its fit."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from spectralleader.documents import Documents
from spectralleader.evaluation.diagnosis import CONFIDENT, Diagnosis, diagnose
from spectralleader.jobs.learning import list_topics
from spectralleader.learners.hedged import Event, HedgedLeader
from spectralleader.learners.lookup import name_of
from spectralleader.learners.protocol import remembered
from spectralleader.text.snapshot import Snapshot
from spectralleader.text.timeline import Timeline
from spectralleader.text.topics import TextTopics
from spectralleader.text.trends import (
    Document,
    Trends,
    find_trends,
    find_typical,
    name_date,
    name_position,
    sample_under,
)

# Verdicts by `Diagnosis.fit`: "fits" from the first value on, "fits roughly" from the second.
PLAUSIBLE, DOUBTFUL = 0.8, 0.5
MIN_TYPICAL = 3  # fewest words of a typical document
SMALL = 0.1  # topics with less than this share of an even weight are listed as small
MOST_NAMED = 10  # small topics listed
CLOSER = 1.25  # above this fit, topics overfit single documents
MOST_EVENTS = 5  # latest events shown
MOST_SHIFTS = 3  # largest rises and falls shown
LONGEST_WORD = 40  # characters of a word in tables of topics


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

    def findings(self) -> list[str]:
        """Return the diagnosis as sentences."""
        if self.diagnosis is None:
            return [f"No diagnosis: the learner {self.learner} remembers no documents."]
        least = SMALL / len(self.topics)
        small = [topic["topic"] for topic in self.topics if topic["weight"] < least]
        return [
            say_plausible(self.diagnosis),
            say_usable(self.diagnosis, len(self.topics), small),
            say_spectrum(self.diagnosis, len(self.topics)),
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
    price: float  # likelihood lost by merging, in nats per word, before refinement


def describe(
    topics: TextTopics,
    *,
    n_words: int = 10,
    n_typical: int = 3,
    recent: bool = False,
    level: int | None = None,
) -> Description:
    """Return topics, top words, typical documents, trends and diagnosis of a model.

    Parameters
    ----------
    n_words, n_typical : int
        Words and typical documents per topic.
    recent : bool
        Describe the topics of the most recent documents.
    level : int, optional
        Describe the topics merged to this number.
    """
    if recent and level is not None:
        raise ValueError("the topics of the last documents cannot be merged: omit the level")
    shown = topics.recent if recent else topics.at(level)
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
        [*say_shifts(shown, trends), *say_history(topics, recent=recent), *say_names(topics)],
        documents.n_docs if recent and documents is not None else None,
        None if shown.groups is None else level_of(topics, shown),
        trends,
    )


def level_of(topics: TextTopics, shown: Snapshot) -> Level:
    """Return the number of merged topics and the price of merging."""
    tree, n = topics.tree(), shown.model.n_topics
    return Level(n, tree.n_topics, round(tree.lost(n), 4))


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


def printable(text: str) -> str:
    """Return a text in one line, without unprintable characters."""
    if not text.isprintable():  # checking a whole text takes a hundredth of the time
        text = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(text.split())


def shorten(word: str) -> str:
    """Return a word, truncated to at most `LONGEST_WORD` characters for a table.

    Examples
    --------
    >>> shorten("rain"), len(shorten("rain" * 1000))
    ('rain', 40)
    """
    return word if len(word) <= LONGEST_WORD else word[: LONGEST_WORD - 1] + "…"


def say_shifts(shown: Snapshot, trends: Trends | None) -> list[str]:
    """Return sentences about the topics that rose or fell most."""
    if trends is None:
        return []
    lines, words = [], shown.top_words(3)
    for shift in trends.shifts()[:MOST_SHIFTS]:
        what = shown.name(shift.topic) or " ".join(map(shorten, words[shift.topic]))
        when = name_date(shift.position, trends.width, by_time=trends.by_time)
        verb = "rose" if shift.after > shift.before else "fell"
        lines.append(
            f"Topic {shift.topic + 1} ({what}) {verb}: {shift.before:.1%} of documents before "
            f"{when}, {shift.after:.1%} since."
        )
    return lines


def say_names(topics: TextTopics) -> list[str]:
    """Return warnings about names of topics that were replaced or restarted since."""
    if not isinstance(topics.learner, HedgedLeader):
        return []
    events = topics.learner.info.events
    return [
        f"The name {one.text!r} was given before topic {k + 1} was replaced or restarted: check it."
        for one in topics.reading.names.given
        for k in one.topics
        if any(event.n_docs >= one.n_docs and k in event.topics for event in events)
    ]


def say_history(topics: TextTopics, *, recent: bool = False) -> list[str]:
    """Return sentences about the events of the topics, and about drift of the stream."""
    timeline = topics.timeline
    replaced = [say_replaced(n, timeline) for n in topics.reading.levels.replaced[-1:]]
    if not isinstance(topics.learner, HedgedLeader):
        return replaced
    info = topics.learner.info
    lines = [say_event(event, timeline) for event in info.events[-MOST_EVENTS:]] + replaced
    if (more := len(info.events) - MOST_EVENTS) > 0:
        lines.insert(0, f"{more} earlier events are not shown.")
    if not info.is_settled and topics.n_docs > topics.n_empty:
        lines.append(
            "Topics are provisional: until about 10,000 documents are learned, they may be "
            "replaced by better ones and renumbered."
        )
    if info.drifts_since is not None:
        hint = "" if recent else ": use --recent for the topics of the last documents"
        since = f"document {info.drifts_since:,}{say_when(timeline, info.drifts_since)}"
        lines.append(f"The stream has drifted since {since}{hint}.")
    return lines


def say_when(timeline: Timeline, number: int) -> str:
    """Return the approximate time of a document in words, or "" if unknown."""
    position = timeline.when(number)
    if position is None:
        return ""
    return f" (about {name_date(position, timeline.width, by_time=True)})"


def say_replaced(n_docs: int, timeline: Timeline) -> str:
    """Return a sentence about the last replacement of the merge tree."""
    return (
        f"After {n_docs:,} documents{say_when(timeline, n_docs)} the merge tree was replaced by a "
        "better one: topics of a level may have other numbers than before."
    )


def say_event(event: Event, timeline: Timeline) -> str:
    """Return a sentence about an event: when, which topics, what."""
    after = f"After {event.n_docs:,} documents{say_when(timeline, event.n_docs)}"
    if not event.topics:
        return f"{after} {event.what}."
    numbers = [str(k + 1) for k in event.topics]
    which = f"topic {numbers[0]}" if len(numbers) == 1 else f"{len(numbers)} topics"
    verb = "was" if len(numbers) == 1 else "were"
    what = event.what if event.what.startswith("had") else f"{verb} {event.what}"
    return (
        f"{after} {which} {what}; {event.moved:.0%} of the remembered documents changed their "
        "topic."
    )


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


def say_plausible(found: Diagnosis) -> str:
    """Return a verdict on the single-topic assumption, with its figures."""
    verdict, closer = "is doubtful", found.fit > CLOSER
    if found.expected_agreement <= 0 or closer:
        verdict = "cannot be judged"
    elif found.fit >= DOUBTFUL:
        verdict = "fits roughly" if found.fit < PLAUSIBLE else "fits"
    why = ""
    if closer:
        why = " Topics overfit single documents: learn more documents, or use fewer topics."
    triples = ""
    if found.residual is not None and found.expected_residual is not None:
        triples = (
            f"; topics leave {found.residual:.0%} of the word triples unexplained "
            f"({found.expected_residual:.0%})"
        )
    return (
        f"The single-topic assumption {verdict}: two halves of a document agree on its topic "
        f"{found.agreement:.0%} above chance; documents drawn from the model would agree "
        f"{found.expected_agreement:.0%}. {found.confident:.0%} of documents have a topic of "
        f"probability {CONFIDENT} or more ({found.expected_confident:.0%}){triples}.{why}"
    )


def say_usable(found: Diagnosis, n_topics: int, small: list[int]) -> str:
    """Return a sentence about how many of the topics are in use."""
    if found.n_usable < n_topics:
        return (
            f"The spectral method distinguishes only {found.n_usable} of {n_topics} topics in the "
            "remembered documents: learn more or longer documents, or use fewer topics."
        )
    if n_topics == 1:
        return "The one topic is in use."
    if small:
        which = ", ".join(map(str, small[:MOST_NAMED]))
        more = f" and {len(small) - MOST_NAMED} more" if len(small) > MOST_NAMED else ""
        return (
            f"All {n_topics} topics are in use; small ones (less than a tenth of an even share): "
            f"{which}{more}."
        )
    return f"All {n_topics} topics are in use."


def say_spectrum(found: Diagnosis, n_topics: int) -> str:
    """Return a sentence about the number of topics that the spectrum suggests."""
    spectrum = found.spectrum
    above = f"{'at least ' if spectrum.is_cut else ''}{spectrum.n_above}"
    if spectrum.n_above < 2:
        return "The spectrum shows no topics: words occur together only by chance."
    if spectrum.n_suggested is not None:
        return (
            f"The spectrum suggests {spectrum.n_suggested} topics: after them the eigenvalues of "
            f"word pairs drop by half or more ({above} are above noise)."
        )
    room = "the documents support more topics"
    if spectrum.n_above <= n_topics:
        room = f"word pairs do not distinguish more than {spectrum.n_above} topics"
    return (
        f"The spectrum suggests no number of topics: its eigenvalues decay slowly, and {above} "
        f"are above noise; {room}."
    )
