import numpy as np
import pytest

from spectralleader import TextTopics, load, merge, save
from spectralleader.reading.levels import Names
from tests.factories import texts

WRITTEN, LABELS = texts(900)
EVEN = np.full(4, 0.25)


def topic_of(topics, label):
    """The topic of the texts with a label, from 0."""
    some = [text for text, one in zip(WRITTEN, LABELS, strict=True) if one == label]
    return int(np.bincount(topics.posterior(some).argmax(axis=1)).argmax())


@pytest.fixture
def topics():
    found = TextTopics(3, learner="hedged")
    found.learn(WRITTEN[:400])
    return found


def test_a_name_is_saved_and_stays_while_learning_goes_on(topics, tmp_path):
    topics.name(topic_of(topics, "weather"), "weather")
    again = load(save(topics, tmp_path / "m"))
    again.learn(WRITTEN[400:])
    assert again.at("all").names[topic_of(again, "weather")] == "weather"
    assert sum(map(bool, again.at("all").names)) == 1


def test_a_name_can_be_changed_moved_and_taken_away(topics):
    topics.name(0, "one")
    topics.name(0, " two ")
    assert topics.at("all").names == ("two", "", "")
    topics.name(1, "two")
    assert topics.at("all").names == ("", "two", "")
    topics.name(1, "")
    assert topics.at("all").names == ("", "", "")


@pytest.mark.parametrize(
    ("topic", "name", "level"),
    [(3, "a", None), (0, "a\nb", None), (0, "a" * 81, None), (2, "a", 2)],
)
def test_what_is_no_topic_or_no_name_is_refused(topics, topic, name, level):
    with pytest.raises(ValueError, match=r"must be|a name is"):
        topics.name(topic, name, level)


def test_a_group_is_named_and_known_at_other_levels_where_it_is_the_same(topics):
    groups = topics.tree().groups(2)
    both = int(np.bincount(groups).argmax())
    topics.name(both, "the rest", level=2)
    alone = int(np.flatnonzero(groups != both)[0])
    topics.name(alone, "alone")
    assert topics.at(2).names[both] == "the rest"
    assert topics.at(2).names[1 - both] == "alone"


def test_a_group_that_has_most_in_common_with_a_named_one_has_its_name():
    names = Names()
    names.give("many", [0, 1, 2], 0)
    assert names.of(np.array([0, 0, 1, 1]), EVEN) == ("many", "")
    assert names.of(np.array([0, 1, 2, 3]), EVEN) == ("", "", "", "")
    names.give("some", [0, 1], 0)
    assert names.of(np.array([0, 0, 1, 1]), EVEN) == ("some", "")


def test_merged_models_keep_the_names_of_the_first_and_alike_topics_those_of_others(topics):
    other = TextTopics(3, learner="hedged")
    other.learn(WRITTEN[400:])
    topics.name(topic_of(topics, "weather"), "weather")
    other.name(topic_of(other, "weather"), "rain")
    other.name(topic_of(other, "sport"), "sport")
    merged = merge(topics, other)
    assert merged.at("all").names[topic_of(merged, "weather")] == "weather"
    assert merged.at("all").names[topic_of(merged, "sport")] == "sport"


def test_names_of_no_topics_are_refused():
    state = [{"text": "a", "topics": np.array([2, 1]), "n_docs": 0}]
    with pytest.raises(ValueError, match="topics in order"):
        Names.from_state({"given": state}, n_topics=3)


@pytest.mark.parametrize("name", ["a" * 99, "two\nlines", None, 7])
def test_a_name_that_is_none_is_refused_and_the_topics_live_on(name):
    topics = TextTopics(2, learner="unigram")
    with pytest.raises(ValueError, match="a name is a line of at most 80 characters"):
        topics.name(0, name)
    topics.learn(["rain and wind"])
    assert topics.n_docs == 1
