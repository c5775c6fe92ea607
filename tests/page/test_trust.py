"""Trust: sentences on the fit of topics, without technical terms."""

from dataclasses import replace

import numpy as np
import pytest

from spectralleader.evaluation.diagnosis import Diagnosis, Spectrum
from spectralleader.jobs.describing import describe
from spectralleader.page.trust import judge, judge_fit
from tests.page.pages import written_topics

GOOD = Diagnosis(900, 3, 0.9, 0.9, 0.6, 0.6, 0.1, 0.1, Spectrum(np.ones(3), 0.1))


@pytest.mark.parametrize(
    ("agreement", "said"),
    [(0.6, "Yes"), (0.4, "Mostly"), (0.1, "With caution"), (0.9, "Not yet")],
)
def test_the_verdict_follows_the_agreement_of_halves(agreement, said):
    assert judge_fit(replace(GOOD, agreement=agreement))[0].startswith(said)


def test_documents_that_are_too_short_are_reported():
    assert "too short" in judge_fit(replace(GOOD, expected_agreement=0.0))[0]


def test_small_topics_and_provisional_ones_are_reported():
    topics = written_topics()
    found = describe(topics)
    for topic, weight in zip(found.topics, (0.005, 0.0001, *[0.1] * 7), strict=True):
        topic["weight"] = weight
    lines = judge(topics, found)
    assert "Few documents support these topics: 1." in lines
    assert any("10,000" in line for line in lines)
    missing = judge(topics, replace(found, diagnosis=None))
    assert "cannot be checked" in missing[0]
    assert not any(term in " ".join(lines) for term in ("nats", "eigenvalue", "--recent"))


def test_long_documents_are_not_said_to_have_one_topic():
    assert "further topics" in judge_fit(replace(GOOD, median_length=200.0))[0]
