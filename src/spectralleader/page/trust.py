"""Trust: whether to rely on topics, in sentences without technical terms."""

from __future__ import annotations

from spectralleader.evaluation.diagnosis import CONFIDENT, Diagnosis
from spectralleader.jobs.describing import SMALL, Description
from spectralleader.jobs.sentences import CLOSER, DOUBTFUL, MOST_NAMED, PLAUSIBLE
from spectralleader.learners.hedged import HedgedLeader
from spectralleader.models.model import UNUSED
from spectralleader.text.topics import TextTopics


def judge(topics: TextTopics, found: Description) -> list[str]:
    """Return sentences on whether the described topics can be relied on."""
    if found.diagnosis is None:
        lines = ["These topics cannot be checked: the model remembers no documents."]
    else:
        lines = judge_fit(found.diagnosis)
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
    if isinstance(topics.learner, HedgedLeader) and not topics.learner.info.is_settled:
        lines.append(
            "The topics may still change and get other numbers until about 10,000 documents are "
            "learned."
        )
    return lines


def judge_fit(found: Diagnosis) -> list[str]:
    """Return sentences on how well topics fit documents."""
    halves = "If a document is cut in two, its halves agree on the topic"
    if found.expected_agreement <= 0:
        return ["These topics cannot be checked: the documents are too short."]
    if found.fit > CLOSER:
        return [
            "Not yet: the topics follow single documents too closely. Learn more documents, or use "
            "fewer topics."
        ]
    if found.is_long and found.fit >= PLAUSIBLE:
        verdict = (
            "Each document has a clear main topic. Documents as long as these usually have further "
            "topics, which this page does not show."
        )
    elif found.fit >= PLAUSIBLE:
        verdict = f"Yes, they fit these documents. {halves} as often as expected."
    elif found.fit >= DOUBTFUL:
        verdict = f"Mostly. {halves} less often than expected: some documents mix topics."
    else:
        verdict = f"With caution. {halves} far less often than expected: many documents mix topics."
    clear = (
        f"{100 * found.confident:.0f} % of the documents clearly belong to one topic (with a "
        f"probability of at least {100 * CONFIDENT:.0f} %)."
    )
    return [verdict, clear]
