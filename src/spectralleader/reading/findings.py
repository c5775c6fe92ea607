"""Sentences about a model: its events, trends and diagnosis.

Most are read in a terminal; `describe_trust` has those of a page: in plain words, whether to
rely on the topics.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from spectralleader.arrays import Ints
from spectralleader.learners.events import Event, EventKind
from spectralleader.reading.diagnosis import CLOSER, CONFIDENT, Diagnosis, Verdict
from spectralleader.reading.snapshot import Reading, Snapshot
from spectralleader.reading.timeline import Timeline
from spectralleader.reading.trends import (
    Shift,
    Trends,
    merge_intervals,
    name_about,
    name_date,
    name_share,
)

if TYPE_CHECKING:
    from spectralleader.reading.description import Description

MOST_NAMED = 10  # small topics listed
LONGEST_WORD = 40  # characters of a word in tables of topics
MOST_EVENTS = 5  # latest events shown
# What happened to topics, and the number of those in use where it is the reason.
HAPPENED = {
    EventKind.REPLACED: "replaced by a newcomer",
    EventKind.RESCUED: "raced again, because only {} were in use",
    EventKind.RESTARTED: "re-initialised",
}
MOST_SHIFTS = 3  # largest rises and falls shown
# Verdicts for readers of a page, without technical terms.
HALVES = "If a document is cut in two, its halves agree on the topic"
VERDICTS = {
    Verdict.UNKNOWN: "These topics cannot be checked: the documents are too short.",
    Verdict.OVERFIT: (
        "Not yet: the topics follow single documents too closely. Learn more documents, or use "
        "fewer topics."
    ),
    Verdict.TOO_LONG: (
        "Whether each document has one topic cannot be judged by documents of this length. They "
        "usually have further topics, which this page does not show."
    ),
    Verdict.FITS: f"Yes, they fit these documents. {HALVES} as often as expected.",
    Verdict.ROUGHLY: f"Mostly. {HALVES} less often than expected: some documents mix topics.",
    Verdict.DOUBTFUL: (
        f"With caution. {HALVES} less often than expected: many documents mix topics."
    ),
}
# Shares of clear documents mean little elsewhere: long documents are clear even if they mix topics.
SHOWS_CLEAR = Verdict.FITS, Verdict.ROUGHLY


def describe_shifts(shown: Snapshot, trends: Trends | None) -> list[str]:
    """Return sentences about the topics that rose or fell most, in the intervals of a page."""
    if trends is None:
        return []
    merged, words = merge_intervals(trends), shown.top_words(3)
    # The words of an unused topic mean nothing, and its share is noise.
    shifts = [shift for shift in merged.shifts() if shown.model.used[shift.topic]]
    lines = []
    for shift in shifts[:MOST_SHIFTS]:
        what = shown.names[shift.topic] or " ".join(map(truncate, words[shift.topic]))
        lines.append(f"Topic {shift.topic + 1} ({what}) {describe_shift(shift, merged)}.")
    if (more := len(shifts) - MOST_SHIFTS) > 0:
        topics = "1 more topic" if more == 1 else f"{more} more topics"
        lines.append(f"{topics} rose or fell: see the page (spectralleader page).")
    return lines


def describe_shift(shift: Shift, trends: Trends) -> str:
    """Return how a topic's share changed, in words."""
    verb = "rose" if shift.after > shift.before else "fell"
    before, after = describe_sides(shift)
    when = name_date(shift.position, trends.width, by_time=trends.by_time)
    return f"{verb}: {before} of the documents before {when}, {after} since"


def describe_sides(shift: Shift) -> tuple[str, str]:
    """Return the shares before and after a change, as the terminal and pages show them."""
    return name_share(shift.before, shift.n_before), name_share(shift.after, shift.n_after)


def describe_stale_names(reading: Reading, groups: Ints | None = None) -> list[str]:
    """Return warnings about names of topics that were replaced or restarted since."""
    return [
        f"The name {name.text!r} was given before {describe_topic(k, groups)} was replaced or "
        "restarted: check it."
        for name in reading.names.given
        for k in name.topics
        if any(
            e.n_docs >= name.n_docs and k in e.topics and e.kind in HAPPENED
            for e in reading.report.events
        )
    ]


def describe_history(
    reading: Reading, groups: Ints | None = None, *, advises: bool = True
) -> list[str]:
    """Return sentences about the events of the topics, drift of the stream, and names to check.

    Events are of the topics that were learned. At a level, `groups` gives the group of each. In a
    terminal, the sentence on drift advises an option.
    """
    timeline, events = reading.timeline, reading.report.events
    words = reading.full.vocabulary
    lines = [describe_event(event, timeline, groups, words) for event in events[-MOST_EVENTS:]]
    lines += [describe_replacement(n, timeline) for n in reading.replaced[-1:]]
    if (more := len(events) - MOST_EVENTS) > 0:
        lines.insert(0, f"{more} earlier events are not shown.")
    lines += describe_provisional(reading)
    # Topics of the last documents have drifted already: there is nothing to advise.
    is_advised = advises and reading.whole is None
    hint = ": use --recent for the topics of the last documents" if is_advised else ""
    lines += [f"{drift}{hint}." for drift in describe_drift(reading)]
    return lines + describe_stale_names(reading, groups)


def describe_provisional(reading: Reading) -> list[str]:
    """Return a sentence if the topics are provisional, for the terminal and pages alike."""
    n_docs = reading.full.n_docs - reading.full.n_empty
    settles_at = reading.report.settles_at
    if settles_at is None or not n_docs:
        return []
    return [
        f"Topics are provisional: until {settles_at:,} documents with known words are "
        f"learned (so far {n_docs:,}), they may be replaced by better ones and renumbered."
    ]


def describe_drift(reading: Reading) -> list[str]:
    """Return a clause about drift of the stream, without a full stop, if there is any."""
    first = reading.report.drifts_since  # documents before: the first one's number from 0
    if first is None:
        return []
    when = describe_time(reading.timeline, first)
    return [f"The stream has changed since document {first + 1:,}{when}"]


def describe_time(timeline: Timeline, number: int) -> str:
    """Return the approximate time of a document in words, or "" if unknown."""
    position = timeline.when(number)
    if position is None:
        return ""
    return f" (about {name_about(position, timeline.width)})"


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


def describe_event(
    event: Event, timeline: Timeline, groups: Ints | None = None, words: Sequence[str] = ()
) -> str:
    """Return a sentence about an event: when, which topics, what; `words` are the vocabulary."""
    after = f"After {event.n_docs:,} documents{describe_time(timeline, event.n_docs)}"
    if event.kind is EventKind.CHANGED:
        return f"{after} the stream changed{describe_change(event, groups, words)}."
    if event.kind is EventKind.ENDED:
        return f"{after} the change was over: documents are like those just before them again."
    is_one = len(event.topics) == 1
    which = describe_topic(event.topics[0], groups) if is_one else f"{len(event.topics)} topics"
    what = f"{'was' if is_one else 'were'} {HAPPENED[event.kind].format(event.n_used)}"
    if event.kind is EventKind.RESTARTED:
        unused = f"which {'was' if is_one else 'were'} unused"
        is_part = is_one and groups is not None
        which = f"an unused {which}" if is_part else f"{which}, {unused},"
    return f"{after} {which} {what}; {describe_moved(event.moved)}."


def describe_change(event: Event, groups: Ints | None, words: Sequence[str]) -> str:
    """Return which words and topics are more frequent since a change of the stream."""
    more = [truncate(words[i]) for i in event.words if i < len(words)]
    # Topics of one group are named once.
    which = list(dict.fromkeys(describe_topic(k, groups) for k in event.topics))
    found = [f"more of {', '.join(more)}"] if more else []
    found += [f"more documents in {', '.join(which)}"] if which else []
    return f": {'; '.join(found)}" if found else ""


def describe_moved(share: float) -> str:
    """Return how many of the remembered documents changed their topic, in words."""
    if share == 0.0:
        return "no documents moved"
    # 0% would deny that any document has moved.
    shown = f"{share:.0%}" if share >= 0.005 else "less than 1%"
    return f"{shown} of the remembered documents changed their topic"


def describe_gain(found: Diagnosis) -> list[str]:
    """Return a warning about topics that predict worse than word frequencies do."""
    if found.gain >= 0.0:
        return []
    return [
        f"The topics predict these documents {-found.gain:.2f} nats each worse than word "
        "frequencies do: do not rely on them. Learn more documents, another number of topics, or "
        "use another learner."
    ]


def describe_fit(found: Diagnosis) -> str:
    """Return a verdict on the single-topic assumption, with its figures."""
    why = ""
    # Halves of long documents have enough words each to find the topic, mixed or not.
    if found.is_long:
        why = (
            f" With a median of {found.median_length:.0f} known words, halves agree even if a "
            "third of a document has another topic."
        )
    if found.is_long or found.verdict is Verdict.DOUBTFUL:
        why += " For the topics within a document, use predict --shares."
    return (
        f"The single-topic assumption {found.verdict.value}: two halves of a document agree on its "
        f"topic {found.agreement:.0%} above chance; documents drawn from the model would agree "
        f"{found.expected_agreement:.0%}. {found.confident:.0%} of documents have a topic of "
        f"probability {CONFIDENT} or more (drawn from the model: "
        f"{found.expected_confident:.0%}).{why}"
    )


class Readable(NamedTuple):
    """The numbers of topics that are read, are in use and can be read."""

    n_topics: int  # that are read
    n_used: int  # of these
    n_fine: int  # that were learned: levels up to this number can be read; 0 if none can
    is_merged: bool = False  # whether fewer topics are read than were learned
    is_equal: bool = False  # whether all topics have the same words

    @classmethod
    def of(cls, shown: Snapshot, *, is_equal: bool = False) -> Readable:
        """Return the numbers of a snapshot."""
        n, groups = shown.model.n_topics, shown.groups
        n_fine = n if groups is None else len(groups)
        return cls(n, shown.model.n_used, n_fine, groups is not None, is_equal)

    def use(self, n: int) -> str:
        """Return the options that read or learn another number of topics."""
        # Topics can be merged afterwards, but not divided.
        if n > self.n_fine:
            return f"-k {n}"
        return f"--level {n}" if self.is_merged else f"-k {n}, or --level {n} for this model"


class Level(NamedTuple):
    """A level of the merge tree."""

    n_topics: int
    n_fine: int  # number of all topics
    price: float  # likelihood lost by merging, in nats per word, before any refinement
    is_default: bool  # whether it is read unless another one is asked for


class Suggested(NamedTuple):
    """The level that the merge tree suggests."""

    n_topics: int
    kept: float  # share of the information in all topics that merging to it keeps

    @classmethod
    def of(cls, reading: Reading) -> Suggested | None:
        """Return the level that is read by default after ``-k auto``, None without that.

        It is that of all documents; what it keeps may be of the most recent ones.
        """
        if not reading.is_auto:
            return None
        n, total = reading.level(), reading.tree.lost(1)
        return cls(n, 1.0 - reading.tree.lost(n) / total if total > 0 else 1.0)


def describe_collapse(shown: Readable) -> list[str]:
    """Return the first thing to know about a model with unused topics: how many, what to do."""
    n, n_used = shown.n_topics, shown.n_used
    if n_used == n:
        return []
    # An upper bound: how many of the topics are used varies with the seed.
    use = f"{n_used} or fewer ({shown.use(n_used)})" if n_used > 1 else "-k 1"
    # Too few documents may be the cause, or sorted ones: the first subjects then come alone.
    return [
        f"{n_used} of {n} topics {'is' if n_used == 1 else 'are'} in use: use {use}; if the "
        "documents have more subjects, learn more of them, or in random order."
    ]


def describe_use(shown: Readable, small: list[int]) -> list[str]:
    """Return a sentence about topics that are all in use, and about small ones."""
    lines = [] if shown.n_used < shown.n_topics else [f"All {shown.n_topics} topics are in use."]
    if shown.n_topics == 1:  # it can be neither small nor equal to another one
        return ["The one topic is in use."]
    if shown.is_equal:
        lines = [f"All {shown.n_topics} topics are equal: learn other documents, or use -k 1."]
    if small:
        lines.append(f"Small topics (less than a tenth of an even share): {list_some(small)}.")
    return [" ".join(lines)] if lines else []


def list_some(topics: list[int]) -> str:
    """Return the numbers of topics, or of the first ones and how many more there are."""
    more = f" and {len(topics) - MOST_NAMED} more" if len(topics) > MOST_NAMED else ""
    return ", ".join(map(str, topics[:MOST_NAMED])) + more


def describe_number(found: Diagnosis, shown: Readable, suggested: Suggested | None = None) -> str:
    """Return one recommendation for the number of topics, with its reason.

    It is that of the merge tree, if topics were learned to be merged; then that of the spectrum.
    """
    n, clear = shown.n_topics, found.spectrum.n_suggested
    if found.spectrum.n_above < 2:
        return (
            "The documents show no clear topics: the eigenvalues of their word pairs are those of "
            "shuffled words. Learn more or longer documents."
        )
    if suggested is not None:
        n_suggested, kept = suggested
        is_same, how = clear == n_suggested, "" if n == n_suggested else " (--level auto)"
        also = " The spectrum suggests the same number." if is_same else ""
        return (
            f"{n_suggested} topics are suggested{how}: they keep {kept:.0%} of the information in "
            f"all {shown.n_fine} topics.{also}"
        )
    if clear is not None:
        advice = "" if clear == n else f" Use {shown.use(clear)}."
        return (
            f"The spectrum suggests {clear} topics: after {clear} eigenvalues of word pairs only "
            f"noise is left.{advice}"
        )
    is_overfit = found.fit > CLOSER
    to_compare = "To compare numbers, run spectralleader evaluate -k."
    advice = "Learn more documents, or use fewer topics." if is_overfit else to_compare
    slowly = (
        "The spectrum suggests no number of topics: the eigenvalues of word pairs decay slowly."
    )
    return f"{slowly} {advice}"


def describe_trust(described: Description) -> list[str]:
    """Return sentences on whether the described topics can be relied on."""
    reading, everything = described.reading, described.reading.full
    lines = describe_collapse(described.readable)
    if described.diagnosis is None:
        lines += ["These topics cannot be checked: the model remembers no documents."]
    else:
        worse = "They predict these documents worse than word frequencies do: do not rely on them."
        lines += [worse] if described.diagnosis.gain < 0.0 else []
        lines += describe_trust_in_fit(described.diagnosis)
    if described.small:
        lines.append(f"Few documents support these topics: {list_some(described.small)}.")
    if everything.n_empty:
        lines.append(
            f"{everything.n_empty:,} of {everything.n_docs:,} documents contain no known word and "
            "have no topic."
        )
    hint = "these topics are of all documents, and fit the latest ones less well"
    lines += [f"{drift}: {hint}." for drift in describe_drift(reading)]
    return lines + describe_provisional(reading)


def describe_trust_in_fit(diagnosis: Diagnosis) -> list[str]:
    """Return sentences on how well topics fit documents."""
    verdict = VERDICTS[diagnosis.verdict]
    if diagnosis.verdict not in SHOWS_CLEAR:
        return [verdict]
    clear = (
        f"{100 * diagnosis.confident:.0f} % of the documents clearly belong to one topic (with a "
        f"probability of at least {100 * CONFIDENT:.0f} %)."
    )
    return [verdict, clear]


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
