"""The tree of topics: laws of every cut, and prices by their definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import TopicModel
from spectralleader.models import tree as tree_module
from spectralleader.models.tree import TopicTree
from tests.factories import distributions, model


@st.composite
def models(draw):
    """Any model of a few topics: certain of words, with topics of no weight, with equal ones."""
    n_topics = draw(st.integers(1, 7))
    (weights,) = draw(distributions(1, n_topics))
    return TopicModel(weights, draw(distributions(n_topics, 4)))


def entropies(found):
    """``sum_k w_k H(u_k)``: the nats that a word takes, its topic being known."""
    logs = np.log(np.where(found.topics > 0, found.topics, 1.0))
    return -found.weights @ (found.topics * logs).sum(axis=1)


@given(models())
def test_every_cut_is_a_valid_model_whose_weights_and_words_are_those_of_its_topics(given_model):
    tree = given_model.tree()
    for n in range(1, given_model.n_topics + 1):
        found, groups = tree.cut(n)
        TopicModel(found.weights, found.topics)  # which checks them
        assert sorted(set(groups.tolist())) == list(range(n))
        summed = np.bincount(groups, given_model.weights, minlength=n)
        np.testing.assert_allclose(found.weights, summed, atol=1e-12)
        mass = given_model.weights @ given_model.topics
        np.testing.assert_allclose(found.weights @ found.topics, mass, atol=1e-12)


@given(models())
def test_groups_nest_and_one_of_the_parts_keeps_the_number(given_model):
    tree = given_model.tree()
    for n in range(1, given_model.n_topics - 1):
        coarse, fine = tree.groups(n), tree.groups(n + 1)
        changed = coarse != fine
        assert set(fine[changed].tolist()) == {n}
        assert len(set(coarse[changed].tolist())) == 1
        kept, new = tree.model.weights[fine == coarse[changed][0]], tree.model.weights[changed]
        assert kept.sum() >= new.sum() - 1e-9


@given(models())
def test_prices_are_the_likelihood_lost(given_model):
    tree = given_model.tree()
    assert (tree.prices >= 0).all()
    for n in range(1, given_model.n_topics + 1):
        lost = entropies(tree.cut(n).model) - entropies(given_model)
        assert tree.lost(n) == pytest.approx(lost, abs=1e-9)


def test_with_all_topics_the_cut_is_the_model():
    found = model(5, 9)
    cut = found.tree().cut(5)
    assert cut.model is found
    assert cut.groups.tolist() == [0, 1, 2, 3, 4]
    assert cut.members(3) == [3]


@pytest.mark.parametrize("n", [0, 4, 1.5, True])
def test_a_level_is_a_whole_number_up_to_the_number_of_topics(n):
    with pytest.raises(ValueError, match="the number of groups must be"):
        model(3, 6).tree().cut(n)


def test_many_words_are_compared_by_topic_and_priced_word_by_word(monkeypatch):
    rng = np.random.default_rng(3)
    centres = np.repeat(rng.dirichlet(np.full(60, 0.1), size=3), 4, axis=0)
    topics = 0.8 * centres + 0.2 * rng.dirichlet(np.full(60, 0.3), size=12)
    found = TopicModel(rng.dirichlet(np.full(12, 9.0)), topics)
    exact = found.tree()
    monkeypatch.setattr(tree_module, "EXACT", 0)
    lumped = found.tree()
    lost = entropies(lumped.cut(3).model) - entropies(found)
    assert lumped.lost(3) == pytest.approx(lost, abs=1e-9)
    for n in (1, 2, 3):
        assert lumped.lost(n) <= 1.05 * exact.lost(n)
    first, second = (tree.groups(3).reshape(3, 4) for tree in (exact, lumped))
    assert (first == first[:, :1]).all()
    assert (second == second[:, :1]).all()


def test_a_new_tree_numbers_groups_as_the_old_one_where_they_overlap():
    rng = np.random.default_rng(0)
    topics = np.repeat(np.eye(4) * 0.9 + 0.025, 3, axis=0)
    topics = 0.95 * topics + 0.05 * rng.dirichlet(np.ones(4), size=12)
    weights = np.array([9, 2, 1, 1, 1, 1, 8, 1, 1, 1, 1, 1.0])
    before = TopicModel(weights / weights.sum(), topics).tree()
    turned = np.roll(weights, 6)  # other groups are the heavy ones now
    after = TopicModel(turned / turned.sum(), topics)
    alike, anew = TopicTree.of(after, like=before), after.tree()
    assert alike.groups(4).tolist() == before.groups(4).tolist()
    assert anew.groups(4).tolist() != before.groups(4).tolist()


def test_a_model_of_one_topic_has_a_tree():
    tree = model(1, 6).tree()
    assert tree.cut(1).groups.tolist() == [0]
    assert tree.prices.shape == (0,)
    assert repr(tree) == "TopicTree(TopicModel(n_topics=1, n_words=6))"


@pytest.mark.parametrize("n_true", [3, 5, 8])
def test_prices_suggest_the_number_of_topics_that_others_are_copies_of(n_true):
    rng = np.random.default_rng(n_true)
    centres = np.repeat(rng.dirichlet(np.full(50, 0.1), size=n_true), 4, axis=0)
    topics = 0.9 * centres + 0.1 * rng.dirichlet(np.full(50, 0.3), size=4 * n_true)
    assert TopicModel(np.full(4 * n_true, 0.25 / n_true), topics).tree().suggested == n_true


@given(models())
def test_any_model_has_a_suggested_number(given_model):
    tree = given_model.tree()
    least = 2 if tree.n_topics > 1 and tree.lost(1) > 1e-6 else 1
    assert least <= tree.suggested <= tree.n_topics


def test_where_prices_rise_slowly_most_of_what_topics_tell_is_kept():
    tree = TopicModel(np.full(32, 1 / 32), 0.5 * np.eye(32) + 0.5 / 32).tree()
    n = tree.suggested
    assert tree.lost(n) <= 0.4 * tree.lost(1) < tree.lost(n - 1)


def test_of_three_topics_the_prices_suggest_two_and_of_fewer_all():
    different = np.eye(3)
    assert TopicModel(np.full(3, 1 / 3), different).tree().suggested == 2
    copies = np.array([[0.9, 0.1], [0.88, 0.12], [0.1, 0.9]])
    assert TopicModel(np.full(3, 1 / 3), copies).tree().suggested == 2
    assert TopicModel([0.5, 0.5], np.eye(2)).tree().suggested == 2


def test_a_tree_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        model(3, 6).tree().pairs[0, 0] = 1


def test_topics_that_are_all_the_same_are_one():
    assert TopicModel(np.full(5, 0.2), np.tile([0.5, 0.3, 0.2], (5, 1))).tree().suggested == 1
