"""Trust: whether to rely on topics, in sentences without technical terms."""

from __future__ import annotations

from spectralleader.evaluation.diagnosis import CONFIDENT, Diagnosis, Verdict
from spectralleader.jobs.describing import SMALL, Description
from spectralleader.jobs.sentences import (
    MOST_NAMED,
    describe_collapse,
    describe_drift,
    describe_provisional,
)
from spectralleader.models.model import UNUSED
from spectralleader.text.topics import TextTopics

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


def judge(topics: TextTopics, found: Description) -> list[str]:
    """Return sentences on whether the described topics can be relied on."""
    lines = describe_collapse(found.readable)
    if found.diagnosis is None:
        lines += ["These topics cannot be checked: the model remembers no documents."]
    else:
        lines += judge_fit(found.diagnosis)
    even = 1 / len(found.topics)
    small = [
        str(one["topic"]) for one in found.topics if UNUSED * even <= one["weight"] < SMALL * even
    ]
    if small:
        more = f" and {len(small) - MOST_NAMED} more" if len(small) > MOST_NAMED else ""
        lines.append(f"Few documents support these topics: {', '.join(small[:MOST_NAMED])}{more}.")
    if topics.n_empty:
        lines.append(
            f"{topics.n_empty:,} of {topics.n_docs:,} documents contain no known word and have no "
            "topic."
        )
    hint = "these topics are of all documents, and fit the latest ones less well"
    lines += [f"{drift}: {hint}." for drift in describe_drift(topics)]
    return lines + describe_provisional(topics)


def judge_fit(found: Diagnosis) -> list[str]:
    """Return sentences on how well topics fit documents."""
    verdict = VERDICTS[found.verdict]
    if found.verdict not in SHOWS_CLEAR:
        return [verdict]
    clear = (
        f"{100 * found.confident:.0f} % of the documents clearly belong to one topic (with a "
        f"probability of at least {100 * CONFIDENT:.0f} %)."
    )
    return [verdict, clear]
