import pytest

from spectralleader.learners.fixed import Fixed
from tests.factories import documents, model


def test_a_fixed_model_does_not_learn():
    learner = Fixed(model())
    learner.learn(documents())
    assert learner.model is learner.predictive
    assert Fixed.from_state(learner.to_state()).model.distance(learner.model) == 0
    with pytest.raises(ValueError, match="one vocabulary"):
        learner.learn(documents(n_words=9))
