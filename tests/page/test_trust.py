"""Trust: sentences on the fit of topics, without technical terms."""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from spectralleader import TextTopics
from spectralleader.learners.hedged.alarm import Alarm
from spectralleader.reading.description import describe
from spectralleader.reading.diagnosis import Diagnosis, Spectrum, Verdict
from spectralleader.reading.findings import (
    VERDICTS,
    describe_history,
    describe_provisional,
    describe_trust,
    describe_trust_in_fit,
)
from tests.page.pages import written_topics

GOOD = Diagnosis(900, 0.9, 0.9, 0.6, 0.6, Spectrum(np.ones(3), 0.1))


@pytest.mark.parametrize(
    ("agreement", "said"),
    [(0.6, "Yes"), (0.4, "Mostly"), (0.1, "With caution"), (0.9, "Not yet")],
)
def test_the_verdict_follows_the_agreement_of_halves(agreement, said):
    assert describe_trust_in_fit(replace(GOOD, agreement=agreement))[0].startswith(said)


def test_the_share_of_clear_documents_needs_topics_that_fit():
    clear = "90 % of the documents clearly belong to one topic"
    assert describe_trust_in_fit(GOOD)[1].startswith(clear)
    assert describe_trust_in_fit(replace(GOOD, agreement=0.4))[1].startswith(clear)
    for doubt in ({"agreement": 0.1}, {"agreement": 0.9}, {"median_length": 200.0}):
        assert len(describe_trust_in_fit(replace(GOOD, **doubt))) == 1


def test_documents_that_are_too_short_are_reported():
    assert "too short" in describe_trust_in_fit(replace(GOOD, expected_agreement=0.0))[0]


def test_small_topics_and_provisional_ones_are_reported():
    topics = written_topics()
    found = describe(topics.read())
    for topic, weight in zip(found.topics, (0.005, 0.0001, *[0.1] * 7), strict=True):
        topic |= {"weight": weight, "unused": weight < 0.02 / 9}
    lines = describe_trust(found)
    assert "Few documents support these topics: 1." in lines
    assert (
        lines[-1] == describe_provisional(topics.read())[0] == describe_history(topics.read())[-1]
    )
    assert not any(term in " ".join(lines) for term in ("nats", "eigenvalue", "--recent"))


def test_the_first_sentence_tells_how_many_topics_are_in_use():
    topics = TextTopics(9)
    topics.learn(["rain and wind and snow", "a late goal wins it"] * 300)
    found = describe(topics.read())
    used = f"{topics.model.n_used} of 9 topics are in use: use "
    first = describe_trust(found)[0]
    assert first.startswith(used)
    assert first == found.findings()[0]
    unchecked = describe_trust(replace(found, reading=replace(found.reading, documents=None)))
    assert unchecked[0] == first
    assert "cannot be checked" in unchecked[1]
    assert describe_trust(describe(topics.read(), level=2))[0].startswith("Yes")


def test_long_documents_are_not_said_to_have_one_topic():
    long = replace(GOOD, median_length=200.0)
    assert "cannot be judged by documents of this length" in describe_trust_in_fit(long)[0]
    assert describe_trust_in_fit(replace(long, agreement=0.4))[0].startswith("With caution")


def test_every_verdict_of_the_terminal_has_one_of_the_page():
    assert set(VERDICTS) == set(Verdict)


def test_drift_is_reported_where_people_look_for_trust():
    topics = deepcopy(written_topics())
    found = describe(topics.read())
    assert not any("has changed" in line for line in describe_trust(found))
    topics.learner._alarm = Alarm()
    bets = topics.learner._alarm.bets
    bets.is_alarmed, bets.alarmed_since = True, 800
    topics._reading = None  # of before
    told = next(line for line in describe_trust(describe(topics.read())) if "has changed" in line)
    assert told.startswith("The stream has changed since document 801 (about ")
    assert "fit the latest ones less well" in told
