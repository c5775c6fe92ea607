import numpy as np
import pytest

from spectralleader import Documents, TopicModel
from spectralleader.learners.learner_base import Fixed
from tests.factories import documents, model


def test_a_fixed_model_does_not_learn():
    learner = Fixed(model())
    learner.learn(documents())
    assert learner.model is learner.predictive
    assert Fixed.from_state(learner.to_state()).model.distance(learner.model) == 0
    with pytest.raises(ValueError, match="one vocabulary"):
        learner.learn(documents(n_words=9))


def test_a_fixed_model_can_be_recoded_and_does_not_grow():
    learner = Fixed(TopicModel([1.0], [[0.5, 0.3, 0.2]]))
    learner.recode([1, 0, -1], 2)
    np.testing.assert_allclose(learner.model.topics, [[0.375, 0.625]])
    with pytest.raises(ValueError, match="knows 2 words, the block is over 3"):
        learner.learn(Documents.empty(3))
