import numpy as np

from spectralleader import TopicModel
from spectralleader.learners.spectral_leader.spectral_leader import in_order
from spectralleader.models.matching import best_order
from study.sources.synthetic import random_problem

MODEL = random_problem(4, 30, seed=1).truth


def shuffled(order):
    return TopicModel(MODEL.weights[order], MODEL.topics[order])


def test_topics_take_the_places_of_the_reference_s():
    put = in_order(shuffled([2, 0, 3, 1]), MODEL)
    np.testing.assert_array_equal(put.weights, MODEL.weights)
    np.testing.assert_array_equal(put.topics, MODEL.topics)
    assert in_order(MODEL, None) is MODEL


def test_a_reference_over_fewer_words_rules_out_the_others():
    wide = MODEL.recode(None, 40)
    narrow = shuffled([3, 1, 0, 2])
    ruled_out = TopicModel(narrow.weights, np.pad(narrow.topics, ((0, 0), (0, 10))))
    put = in_order(wide, narrow)
    order = best_order(wide.topics, ruled_out.topics)
    np.testing.assert_array_equal(put.topics, wide.topics[order])
    np.testing.assert_array_equal(put.weights, narrow.weights)
