from itertools import permutations

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from spectralleader import TopicModel
from spectralleader.learners.spectral_leader.spectral_leader import in_order
from spectralleader.models.matching import TIE, assign, best_order, cosines, put_in_order


def models(k, d, seed):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.full(d, 0.3), k), rng.dirichlet(np.full(d, 0.3), k)


@pytest.mark.parametrize(("k", "d"), [(1, 1), (2, 3), (5, 4), (20, 30), (20, 3)])
def test_no_other_matching_has_more_in_common(k, d):
    for seed in range(5):
        topics, reference = models(k, d, seed)
        similarity = cosines(topics, reference)
        order = best_order(topics, reference)
        assert sorted(order.tolist()) == list(range(k))
        best = similarity[linear_sum_assignment(similarity, maximize=True)].sum()
        found = similarity[order, range(k)].sum()
        assert best - k * TIE <= found <= best + 1e-12  # rounding


def test_cosines_are_those_of_numpy_over_the_references_words():
    topics, reference = models(4, 9, seed=0)
    sizes = np.linalg.norm(topics, axis=1)[:, None] * np.linalg.norm(reference[:, :6], axis=1)
    expected = topics[:, :6] @ reference[:, :6].T / sizes
    np.testing.assert_allclose(cosines(topics, reference[:, :6]), expected, rtol=1e-14)


def test_topics_that_were_shuffled_are_put_back():
    topics, _ = models(7, 40, seed=1)
    shuffled = np.random.default_rng(2).permutation(7)
    order = best_order(topics[shuffled], topics)
    assert (shuffled[order] == np.arange(7)).all()


def test_equal_topics_stay_where_they_are():
    topics = np.full((4, 5), 0.2)
    assert best_order(topics, topics).tolist() == [0, 1, 2, 3]


def test_a_topic_that_is_best_for_two_goes_to_one_of_them():
    reference = np.array([[0.6, 0.4, 0.0], [0.4, 0.6, 0.0]])
    topics = np.array([[0.1, 0.1, 0.8], [0.5, 0.4, 0.1]])  # the second is more like either
    assert sorted(best_order(topics, reference).tolist()) == [0, 1]


@pytest.mark.parametrize("d", [30, 20])  # of the reference
def test_a_model_is_put_in_the_best_order(d):
    topics, _ = models(6, 30, seed=3)
    weights, shuffled = np.arange(6.0), np.random.default_rng(1).permutation(6)
    ordered = np.empty(6), np.empty((6, 30))
    reference = np.ascontiguousarray(topics[:, :d])
    assert put_in_order(weights[shuffled], topics[shuffled], reference, *ordered)
    np.testing.assert_array_equal(ordered[0], weights)
    np.testing.assert_array_equal(ordered[1], topics)
    equal = np.full((4, 5), 0.2)
    ordered = np.empty(4), np.empty((4, 5))
    assert put_in_order(np.arange(4.0), equal, equal, *ordered)
    np.testing.assert_array_equal(ordered[0], np.arange(4.0))


def test_a_topic_that_two_want_goes_to_one_of_them_in_models_too():
    reference = TopicModel([0.5, 0.5], [[0.6, 0.4, 0.0], [0.4, 0.6, 0.0]])
    clash = TopicModel([0.3, 0.7], [[0.1, 0.1, 0.8], [0.5, 0.4, 0.1]])
    found, order = in_order(clash, reference), best_order(clash.topics, reference.topics)
    np.testing.assert_array_equal(found.weights, clash.weights[order])
    np.testing.assert_array_equal(found.topics, clash.topics[order])


@pytest.mark.parametrize("n", [1, 2, 5])
def test_an_assignment_has_the_largest_sum(n):
    for seed in range(5):
        gain = np.random.default_rng(seed).normal(size=(n, n)).round(seed % 3 + 1)  # some are equal
        columns = assign(gain)
        assert sorted(columns.tolist()) == list(range(n))
        best = max(gain[range(n), order].sum() for order in map(list, permutations(range(n))))
        np.testing.assert_allclose(gain[np.arange(n), columns].sum(), best, atol=1e-12)
