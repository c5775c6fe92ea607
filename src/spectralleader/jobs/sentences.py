"""Sentences about a model: its events, trends and diagnosis in plain words."""

from __future__ import annotations

from spectralleader.arrays import Ints
from spectralleader.evaluation.diagnosis import CONFIDENT, Diagnosis
from spectralleader.learners.hedged import Event, HedgedLeader
from spectralleader.text.snapshot import Snapshot
from spectralleader.text.timeline import Timeline
from spectralleader.text.topics import TextTopics
from spectralleader.text.trends import (
    Trends,
    name_date,
)

# Verdicts by `Diagnosis.fit`: "fits" from the first value on, "fits roughly" from the second.
PLAUSIBLE, DOUBTFUL = 0.8, 0.5
MOST_NAMED = 10  # small topics listed
CLOSER = 1.25  # above this fit, topics overfit single documents
LONGEST_WORD = 40  # characters of a word in tables of topics
MOST_EVENTS = 5  # latest events shown
DIED = "had died"  # how `Event.what` of a restarted topic begins; files store it
MOST_SHIFTS = 3  # largest rises and falls shown


def describe_shifts(shown: Snapshot, trends: Trends | None) -> list[str]:
    """Return sentences about the topics that rose or fell most."""
    if trends is None:
        return []
    lines, words = [], shown.top_words(3)
    for shift in trends.shifts()[:MOST_SHIFTS]:
        what = shown.name(shift.topic) or " ".join(map(truncate, words[shift.topic]))
        when = name_date(shift.position, trends.width, by_time=trends.by_time)
        verb = "rose" if shift.after > shift.before else "fell"
        lines.append(
            f"Topic {shift.topic + 1} ({what}) {verb}: {shift.before:.1%} of documents before "
            f"{when}, {shift.after:.1%} since."
        )
    return lines


def describe_stale_names(topics: TextTopics, groups: Ints | None = None) -> list[str]:
    """Return warnings about names of topics that were replaced or restarted since."""
    if not isinstance(topics.learner, HedgedLeader):
        return []
    events = topics.learner.info.events
    return [
        f"The name {name.text!r} was given before {describe_topic(k, groups)} was replaced or "
        "restarted: check it."
        for name in topics.annotations.names.given
        for k in name.topics
        if any(event.n_docs >= name.n_docs and k in event.topics for event in events)
    ]


def describe_history(
    topics: TextTopics, *, recent: bool = False, groups: Ints | None = None
) -> list[str]:
    """Return sentences about the events of the topics, and about drift of the stream.

    Events are of the topics that were learned. At a level, `groups` gives the group of each.
    """
    timeline = topics.timeline
    replaced = [describe_replacement(n, timeline) for n in topics.annotations.levels.replaced[-1:]]
    if not isinstance(topics.learner, HedgedLeader):
        return replaced
    info = topics.learner.info
    lines = [describe_event(event, timeline, groups) for event in info.events[-MOST_EVENTS:]]
    lines += replaced
    if (more := len(info.events) - MOST_EVENTS) > 0:
        lines.insert(0, f"{more} earlier events are not shown.")
    if not info.is_settled and topics.n_docs > topics.n_empty:
        lines.append(
            "Topics are provisional: until 8,000 to 16,000 documents with known words are learned "
            f"(so far {topics.n_docs - topics.n_empty:,}), they may be replaced by better ones and "
            "renumbered."
        )
    if info.drifts_since is not None:
        hint = "" if recent else ": use --recent for the topics of the last documents"
        since = f"document {info.drifts_since:,}{describe_time(timeline, info.drifts_since)}"
        lines.append(f"The stream has drifted since {since}{hint}.")
    return lines


def describe_time(timeline: Timeline, number: int) -> str:
    """Return the approximate time of a document in words, or "" if unknown."""
    position = timeline.when(number)
    if position is None:
        return ""
    return f" (about {name_date(position, timeline.width, by_time=True)})"


def describe_replacement(n_docs: int, timeline: Timeline) -> str:
    """Return a sentence about the last replacement of the merge tree."""
    when = describe_time(timeline, n_docs)
    return (
        f"After {n_docs:,} documents{when} the merge tree was replaced by a better one: topics of "
        "a level may have other numbers than before."
    )


def describe_topic(k: int, groups: Ints | None) -> str:
    """Return the number by which a learned topic is read: its own, or that of its group."""
    return f"topic {k + 1}" if groups is None else f"part of topic {groups[k] + 1}"


def describe_event(event: Event, timeline: Timeline, groups: Ints | None = None) -> str:
    """Return a sentence about an event: when, which topics, what."""
    after = f"After {event.n_docs:,} documents{describe_time(timeline, event.n_docs)}"
    if not event.topics:
        return f"{after} {event.what}."
    is_one = len(event.topics) == 1
    which = describe_topic(event.topics[0], groups) if is_one else f"{len(event.topics)} topics"
    what = f"{'was' if is_one else 'were'} {event.what}"
    if event.what.startswith(DIED):
        what = "was re-initialised"
        which = f"{which}, which was unused," if groups is None else f"an unused {which}"
    return f"{after} {which} {what}; {describe_moved(event.moved)}."


def describe_moved(share: float) -> str:
    """Return how many of the remembered documents changed their topic, in words."""
    if share == 0.0:
        return "no documents moved"
    shown = f"{share:.0%}" if share >= 0.005 else "less than 1%"
    return f"{shown} of the remembered documents changed their topic"


def describe_fit(found: Diagnosis) -> str:
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
            f"(drawn from the model: {found.expected_residual:.0%})"
        )
    return (
        f"The single-topic assumption {verdict}: two halves of a document agree on its topic "
        f"{found.agreement:.0%} above chance; documents drawn from the model would agree "
        f"{found.expected_agreement:.0%}. {found.confident:.0%} of documents have a topic of "
        f"probability {CONFIDENT} or more (drawn from the model: {found.expected_confident:.0%})"
        f"{triples}.{why}"
    )


def describe_usable(found: Diagnosis, n_topics: int, small: list[int]) -> str:
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


def describe_spectrum(found: Diagnosis, n_topics: int) -> str:
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


def truncate(word: str) -> str:
    """Return a word, truncated to at most `LONGEST_WORD` characters for a table.

    Examples
    --------
    >>> truncate("rain"), len(truncate("rain" * 1000))
    ('rain', 40)
    """
    return word if len(word) <= LONGEST_WORD else word[: LONGEST_WORD - 1] + "…"


def printable(text: str) -> str:
    """Return a text in one line, without unprintable characters."""
    if not text.isprintable():  # checking a whole text takes a hundredth of the time
        text = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(text.split())
