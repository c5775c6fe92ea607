import numpy as np
import pytest

from spectralleader import BatchEM, SpectralMethod
from tests.factories import documents


@pytest.mark.parametrize("method", [BatchEM, SpectralMethod])
def test_fitting_is_learning_from_the_beginning(method):
    block = documents(60, 6)
    fitted, learned = method(3, n_words=6), method(3, n_words=6)
    fitted.learn(documents(9, 6, seed=1))
    fitted.fit(block)
    for part in block.blocks(7):
        learned.learn(part)
    np.testing.assert_array_equal(fitted.model.topics, learned.model.topics)
