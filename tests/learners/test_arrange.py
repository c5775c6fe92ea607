import numpy as np
import pytest

from spectralleader import TopicModel
from spectralleader.learners.spectral_leader.arrange import arrange
from study.sources.synthetic import random_problem

MODEL = random_problem(4, 30, seed=1).truth


def shuffled(order):
    return TopicModel(MODEL.weights[order], MODEL.topics[order])


@pytest.mark.parametrize("level", [0.0, 0.125, 0.5])
def test_topics_shrink_towards_their_mean_and_the_uniform_distribution(level):
    shrunk = arrange(MODEL, None, level)
    mean = MODEL.weights @ MODEL.topics
    expected = (1 - level) * ((1 - level) * MODEL.topics + level * mean) + level / 30
    np.testing.assert_allclose(shrunk.topics, expected, rtol=1e-13)
    np.testing.assert_array_equal(shrunk.weights, MODEL.weights)


@pytest.mark.parametrize("level", [0.0, 0.25])
def test_topics_take_the_places_of_the_reference_s(level):
    put = arrange(shuffled([2, 0, 3, 1]), MODEL, level)
    expected = arrange(MODEL, None, level)
    np.testing.assert_array_equal(put.weights, expected.weights)
    np.testing.assert_allclose(put.topics, expected.topics, rtol=1e-14)


def test_a_reference_over_fewer_words_rules_out_the_others():
    wide = MODEL.recode(None, 40)
    narrow = shuffled([3, 1, 0, 2])
    ruled_out = TopicModel(narrow.weights, np.pad(narrow.topics, ((0, 0), (0, 10))))
    put = arrange(wide, narrow)
    np.testing.assert_array_equal(put.topics, wide.aligned_to(ruled_out).topics)
    np.testing.assert_array_equal(put.weights, narrow.weights)
