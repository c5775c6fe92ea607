import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from spectralleader.models.matching import TIE, assign, best_order, compare, put_in_order


def models(k, d, seed):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.full(d, 0.3), k), rng.dirichlet(np.full(d, 0.3), k)


@pytest.mark.parametrize(("k", "d"), [(1, 1), (2, 3), (5, 4), (20, 30), (20, 3)])
def test_no_other_matching_has_more_in_common(k, d):
    for seed in range(5):
        topics, reference = models(k, d, seed)
        similarity = compare(topics, reference, np.empty(k, np.int64)).T - TIE * np.eye(k)
        order = best_order(topics, reference)
        assert sorted(order.tolist()) == list(range(k))
        best = similarity[linear_sum_assignment(similarity, maximize=True)].sum()
        found = similarity[order, range(k)].sum()
        assert best - k * TIE <= found <= best + 1e-12  # rounding


def test_cosines_are_those_of_numpy_over_the_references_words():
    topics, reference = models(4, 9, seed=0)
    sizes = np.linalg.norm(topics, axis=1)[:, None] * np.linalg.norm(reference[:, :6], axis=1)
    expected = topics[:, :6] @ reference[:, :6].T / sizes
    few = np.ascontiguousarray(reference[:, :6])
    best = np.empty(4, np.int64)
    found = compare(topics, few, best).T
    np.testing.assert_allclose(found, expected + TIE * np.eye(4), rtol=1e-14)
    assert (best == found.argmax(axis=0)).all()


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


def test_a_model_is_put_in_the_best_order_also_where_two_want_one_topic():
    topics, _ = models(6, 30, seed=3)
    weights, shuffled = np.arange(6.0), np.random.default_rng(1).permutation(6)
    ordered = np.empty(6), np.empty((6, 30))
    put_in_order(weights[shuffled], topics[shuffled], topics, *ordered)
    np.testing.assert_array_equal(ordered[0], weights)
    np.testing.assert_array_equal(ordered[1], topics)
    reference = np.array([[0.6, 0.4, 0.0], [0.4, 0.6, 0.0]])
    clash = np.array([[0.1, 0.1, 0.8], [0.5, 0.4, 0.1]])
    ordered = np.empty(2), np.empty((2, 3))
    put_in_order(np.array([0.3, 0.7]), clash, reference, *ordered)
    order = best_order(clash, reference)
    np.testing.assert_array_equal(ordered[0], np.array([0.3, 0.7])[order])
    np.testing.assert_array_equal(ordered[1], clash[order])


@pytest.mark.parametrize("n", [1, 2, 5, 30])
def test_an_assignment_costs_as_little_as_that_of_scipy(n):
    for seed in range(20):
        cost = np.random.default_rng(seed).normal(size=(n, n)).round(seed % 3 + 1)  # some are equal
        columns = np.empty(n, np.int64)
        assign(-cost, columns)
        assert sorted(columns.tolist()) == list(range(n))
        meant = cost[linear_sum_assignment(cost)].sum()
        np.testing.assert_allclose(cost[np.arange(n), columns].sum(), meant, atol=1e-12)
