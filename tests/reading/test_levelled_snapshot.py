"""Held: topics that are read while others go on learning."""

import pytest

from spectralleader import TextTopics
from tests.factories import texts


@pytest.fixture
def topics():
    found = TextTopics(4)
    found.learn(texts(400)[0])
    return found


def test_what_is_held_is_what_the_topics_say(topics):
    topics.name(1, "weather")
    held = topics.read()
    for level in (None, 4, 3, 1):
        ours, theirs = held.at(level), topics.at(level)
        assert ours.model.topics.tolist() == theirs.model.topics.tolist()
        assert ours.names == theirs.names
        assert held.trends(level).rows() == topics.trends(level).rows()
    assert held.at(3) is held.at(3)  # worked out once


def test_what_is_held_stays_while_others_learn(topics):
    held = topics.read()
    before = held.trends().rows(), len(held.at(None).vocabulary), held.names.given
    topics.learn(["snowstorms, entirely new words"] * 300)
    topics.name(0, "storms")
    assert (held.trends().rows(), len(held.at(None).vocabulary), held.names.given) == before
    assert "snowstorms" not in held.at(None).vocabulary
    assert held.at(2).n_docs == 400
    assert topics.trends().rows() != before[0]


def test_a_level_that_is_not_there_is_refused(topics):
    with pytest.raises(ValueError, match=r"a level, if not .auto. or .all., must be at most"):
        topics.read().at(5)
