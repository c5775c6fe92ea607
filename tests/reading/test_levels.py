"""Topics read at a level: valid, numbered alike as the stream goes on, saved."""

import numpy as np
import pytest

from spectralleader import TextTopics, TopicModel
from spectralleader.learners.events import Event, EventKind
from spectralleader.models import TopicTree
from spectralleader.reading import levels
from spectralleader.reading.levels import Levels
from tests.factories import assert_valid, model, same_state, texts

WRITTEN, LABELS = texts(2400)


@pytest.fixture(scope="module")
def learned():
    topics = TextTopics(9, learner="hedged")
    topics.learn(WRITTEN)
    return topics


def test_a_level_is_a_snapshot_with_its_groups(learned):
    before = learned.to_state()
    for n in (1, 3, 8):
        found = learned.at(n)
        assert_valid(found.model)
        assert found.model.n_topics == n
        assert sorted(set(found.groups.tolist())) == list(range(n))
        assert learned.at(n) is found
    assert learned.at(9).groups is None
    assert same_state(learned.at(None).model.to_state(), learned.model.to_state())
    assert same_state(before, learned.to_state())


def test_recent_topics_are_merged_and_named_like_all_topics():
    topics = TextTopics(9)
    topics.learn(WRITTEN)
    topics.name(1, "the second", level=3)
    found, recent = topics.at(3, recent=True), topics.at("all", recent=True).model
    assert_valid(found.model)
    assert found.groups.tolist() == topics.at(3).groups.tolist()
    assert found.names == topics.at(3).names == ("", "the second", "")
    assert found.model.weights == pytest.approx(
        [recent.weights[found.groups == group].sum() for group in range(3)]
    )
    assert topics.at(9, recent=True).groups is topics.at(recent=True).groups is None
    assert same_state(topics.at("all", recent=True).model.to_state(), recent.to_state())


def test_recent_topics_are_read_at_the_default_level():
    topics = TextTopics("auto")
    topics.learn(WRITTEN)
    assert topics.at(recent=True).model.n_topics == topics.level() < 32
    assert topics.at("all", recent=True).model.n_topics == 32


def test_a_level_finds_the_topics_that_fewer_would(learned):
    guessed = learned.at(3).posterior(WRITTEN).argmax(axis=1)
    for label in set(LABELS):
        of_label = guessed[np.array(LABELS) == label]
        assert np.bincount(of_label).max() > 0.95 * len(of_label)


def test_learning_on_is_seen_at_a_level():
    topics = TextTopics(4, learner="stepwise-em")
    topics.learn(WRITTEN[:200])
    before = topics.at(2)
    topics.learn(WRITTEN[200:400])
    assert topics.at(2) is not before


def test_a_better_tree_replaces_one_of_few_documents():
    known = Levels()
    known.renew(model(6, 9, seed=0), 2000)
    kept = known.pairs
    known.renew(model(6, 9, seed=0), 4000)
    assert known.pairs is kept
    known.renew(model(6, 9, seed=1), 16_100)
    assert known.pairs is not kept
    assert known.due == 20_000
    assert known.replaced == ()


@pytest.mark.parametrize(("margin", "replaced"), [(0.0, [40_000]), (0.99, [])])
def test_a_later_tree_must_be_better_by_the_margin_and_is_an_event(monkeypatch, margin, replaced):
    monkeypatch.setattr(levels, "LATE", margin)
    known = Levels()
    known.renew(model(6, 9, seed=0), 20_000)
    kept = known.pairs
    known.renew(model(6, 9, seed=1), 40_000)
    assert known.replaced == tuple(replaced)
    assert (known.pairs is kept) == (not replaced)
    assert known.due == 48_827  # 16,000 times 1.25 again and again, rounded down
    assert Levels.from_state(known.to_state(), n_topics=6).replaced == tuple(replaced)


def test_new_topics_have_a_new_tree_without_a_margin(monkeypatch):
    monkeypatch.setattr(levels, "LATE", 1.0)
    known, other = Levels(), model(6, 9, seed=1)
    known.renew(model(6, 9, seed=0), 20_000)
    known.renew(other, 21_000)
    assert known.replaced == ()
    known.renew(other, 22_000, is_new=True)
    assert known.replaced == (22_000,)
    fresh = TopicTree.of(other)
    assert [known.tree(other).lost(n) for n in (2, 3)] == [fresh.lost(n) for n in (2, 3)]


def test_topics_that_are_replaced_have_a_new_tree():
    topics = TextTopics(4, learner="hedged")
    topics.learn(WRITTEN)
    seen, renew = [], topics.annotations.levels.renew
    topics.annotations.levels.renew = lambda *_, is_new: seen.append(is_new) or renew(*_)
    topics.learner._refit.events.append(Event(7, EventKind.REPLACED, (0, 1, 2, 3), 0.5))
    topics.annotations.after_step(topics.learner, topics.n_docs)
    assert seen == [True]


def test_a_small_change_of_the_topics_leaves_the_groups():
    rng = np.random.default_rng(0)
    found, known = model(8, 30), Levels()
    known.renew(found, 1000)
    for _ in range(9):
        topics = 0.98 * found.topics + 0.02 * rng.dirichlet(np.ones(30), size=8)
        found = TopicModel(found.weights, topics)
        known.renew(found, known.due)
        assert known.tree(found).groups(3).tolist() == known.tree(model(8, 30)).groups(3).tolist()


def test_levels_resume_from_their_state(learned):
    assert learned.annotations.levels.pairs is not None
    again = TextTopics.from_state(learned.to_state())
    assert again.tree().groups(3).tolist() == learned.tree().groups(3).tolist()


@pytest.mark.parametrize("pairs", [[[0, 0], [1, 2]], [[0, 1], [1, 2]], [[0, 1], [0, 3]]])
def test_a_tree_that_is_none_is_refused(pairs):
    with pytest.raises(ValueError, match="pairs must"):
        Levels.from_state(Levels().to_state() | {"pairs": np.array(pairs)}, n_topics=3)


@pytest.mark.parametrize("name", ["timeline", "annotations", "position"])
def test_a_state_that_lacks_a_part_is_refused(learned, name):
    state = {key: value for key, value in learned.to_state().items() if key != name}
    with pytest.raises(ValueError, match=f"{name} is missing"):
        TextTopics.from_state(state)


def test_topics_of_auto_are_read_at_the_level_that_prices_suggest():
    topics = TextTopics("auto")
    topics.learn(WRITTEN[:900])
    n = topics.tree().suggested
    assert topics.learner.n_topics == topics.at("all").model.n_topics == 32
    for one in (topics, TextTopics.from_state(topics.to_state())):
        assert one.level() == one.at().model.n_topics == one.read().at().model.n_topics == n < 32
        assert one.posterior(WRITTEN[:5]).shape == one.shares(WRITTEN[:5]).shape == (5, n)
        assert len(one.top_words(3)) == one.trends().shares.shape[1] == n
        assert one.at(4).model.n_topics == 4
        assert one.at("all").model.n_topics == 32
    topics.name(n - 1, "the last")
    assert topics.at().names[n - 1] == "the last"


def test_topics_of_a_number_are_all_read_unless_a_level_is_asked_for(learned):
    assert learned.level() == learned.posterior(WRITTEN[:1]).shape[1] == 9
    assert learned.level("auto") == learned.at("auto").model.n_topics == learned.tree().suggested
    for wrong in (0, 10, "many", 1.5):
        with pytest.raises(ValueError, match="a level"):
            learned.at(wrong)
    with pytest.raises(ValueError, match="n_topics"):
        TextTopics("many")


def test_p_values_at_a_level_are_those_of_all_topics(learned):
    found = learned.at(3)
    np.testing.assert_array_equal(found.p_values(WRITTEN[:9]), learned.p_values(WRITTEN[:9]))
    np.testing.assert_array_equal(found.classify(WRITTEN[:9]).p_values, found.p_values(WRITTEN[:9]))
    best = found.posterior(WRITTEN[:9]).argmax(axis=1)
    np.testing.assert_array_equal(found.classify(WRITTEN[:9]).topics, best)
