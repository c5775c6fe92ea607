import numpy as np

from spectralleader import Algorithm1, SpectralMethod
from spectralleader.learners.spectral_leader.spectral_leader import in_order
from study.sources.synthetic import hard
from tests.factories import documents


def test_it_is_algorithm_1_on_all_documents():
    block = documents(200, 6)
    method, learner = SpectralMethod(3, n_words=6).fit(block), Algorithm1(3, n_words=6)
    learner.learn(block)
    found = in_order(method.model, learner.model)
    np.testing.assert_allclose(found.topics, learner.model.topics, atol=1e-8)
    np.testing.assert_allclose(found.weights, learner.model.weights, atol=1e-8)


def test_it_recovers_the_hard_problem():
    block, _ = hard().truth.sample(20_000, 3, seed=0)
    # a squared error of order parameters / documents, 8 / 20,000, of which M3 sees a part
    assert hard().truth.distance(SpectralMethod(3, n_words=3).fit(block).model) < 4e-4
