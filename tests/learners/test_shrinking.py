import numpy as np
import pytest

from spectralleader.learners.shrinking import shrink
from spectralleader.streams.synthetic import random_problem


@pytest.mark.parametrize("level", [0.0, 0.125, 0.5])
def test_topics_shrink_towards_their_mean_and_the_uniform_distribution(level):
    model = random_problem(4, 30, seed=1).truth
    shrunk = shrink(model, level)
    mean = model.weights @ model.topics
    expected = (1 - level) * ((1 - level) * model.topics + level * mean) + level / 30
    np.testing.assert_allclose(shrunk.topics, expected, rtol=1e-13)
    np.testing.assert_array_equal(shrunk.weights, model.weights)
