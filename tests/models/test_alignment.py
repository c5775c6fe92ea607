import numpy as np
import pytest

from spectralleader import TopicModel
from spectralleader.models.alignment import best_order, compare
from tests.factories import model


@pytest.mark.parametrize("n_words", [6, 4])
def test_topics_are_compared_by_cosine_also_with_a_reference_over_fewer_words(n_words):
    topics, reference = model(4, 6, seed=1).topics, model(4, 6, seed=2).topics[:, :n_words].copy()
    sizes = np.outer(np.linalg.norm(topics, axis=1), np.linalg.norm(reference, axis=1))
    similarity, best, differ, stay = compare(topics, reference)
    cosines = topics[:, :n_words] @ reference.T / sizes
    np.testing.assert_allclose(similarity, cosines + 1e-9 * np.eye(4), rtol=1e-13)
    assert best.tolist() == similarity.argmax(axis=0).tolist()
    assert differ == (len(set(best.tolist())) == 4)
    assert stay == (best.tolist() == [0, 1, 2, 3])


def test_rows_that_are_best_of_one_column_each_differ():
    reference = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
    _, best, differ, stay = compare(reference[[1, 2, 0]].copy(), reference)
    assert (best.tolist(), differ, stay) == ([2, 0, 1], True, False)
    _, best, differ, stay = compare(reference, reference)
    assert (best.tolist(), differ, stay) == ([0, 1, 2], True, True)
    _, best, differ, stay = compare(reference[[0, 0, 0]].copy(), reference)
    assert (differ, stay) == (True, True)  # as good as any other, so nothing moves
    _, best, differ, _ = compare(np.array([[0.4, 0.4, 0.2], [0.2, 0.2, 0.6]]), reference[:2].copy())
    assert (best.tolist(), differ) == ([0, 0], False)


def test_topics_that_are_alike_stay_where_they_are():
    same = np.array([[0.7, 0.3], [0.7, 0.3], [0.7, 0.3]])
    _, best, differ, stay = compare(same, same)
    assert (best.tolist(), differ, stay) == ([0, 1, 2], True, True)


def test_a_topic_that_is_best_for_two_goes_to_one_of_them():
    reference = np.array([[0.6, 0.4, 0.0], [0.4, 0.6, 0.0]])
    topics = np.array([[0.1, 0.1, 0.8], [0.5, 0.4, 0.1]])  # the second is more like either
    order = np.empty(2, np.int64)
    best_order(topics, reference, order)
    assert sorted(order.tolist()) == [0, 1]
    aligned = TopicModel([0.3, 0.7], topics).aligned_to(TopicModel([0.5, 0.5], reference))
    assert sorted(aligned.weights.tolist()) == [0.3, 0.7]
