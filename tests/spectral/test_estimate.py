"""The spectral road: exact moments in, the exact model out."""

import numpy as np
import pytest

from spectralleader import Documents, TopicModel
from spectralleader.moments import EmpiricalMoments, PopulationMoments, means
from spectralleader.sources.synthetic import easy, hard
from spectralleader.spectral import estimate
from spectralleader.spectral.power import power_method, random_starts
from tests.factories import model


def estimated(moments, n_topics, seed=0):
    info = estimate(moments, n_topics, power_method, random_starts(n_topics, 10, seed))
    return info.model, info


@pytest.mark.parametrize(
    "truth",
    [
        pytest.param(easy().truth, id="easy"),
        pytest.param(hard().truth, id="hard"),
        pytest.param(model(2, 3), id="K=2, d=3"),
        pytest.param(model(5, 50), id="K=5, d=50"),
        pytest.param(model(10, 50), id="K=10, d=50"),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_population_moments_give_the_model_back(truth, seed):
    recovered, info = estimated(PopulationMoments(truth), truth.n_topics, seed)
    recovered = recovered.aligned_to(truth)
    np.testing.assert_allclose(recovered.weights, truth.weights, atol=1e-8)
    np.testing.assert_allclose(recovered.topics, truth.topics, atol=1e-8)
    assert info.n_usable == truth.n_topics
    assert info.residual < 1e-8
    assert info.clipped.max() < 1e-8


def test_a_large_vocabulary_takes_another_road_to_the_same_model(monkeypatch):
    block, _ = model(3, 30).sample(500, 5, seed=0)
    dense, _ = estimated(EmpiricalMoments(block), 3)
    monkeypatch.setattr(means, "DENSE_LIMIT", 2)
    matrix_free, _ = estimated(EmpiricalMoments(block), 3)
    np.testing.assert_allclose(matrix_free.topics, dense.topics, atol=1e-8)


def test_fewer_usable_directions_than_topics_are_padded_and_told():
    # one word only: one direction; two of three topics are missing
    block = Documents.from_tokens([[0, 0, 0], [0, 0]], n_words=3)
    recovered, info = estimated(EmpiricalMoments(block), 3)
    assert info.n_usable == 1
    np.testing.assert_allclose(recovered.weights, [1.0, 0.0, 0.0])
    np.testing.assert_allclose(recovered.topics[1], recovered.topics[2])


def test_asking_for_too_many_topics_gives_the_ones_there_are():
    truth = hard().truth
    recovered, info = estimated(PopulationMoments(truth), 6)
    assert info.n_usable == 3
    assert truth.distance(recovered) < 1e-12
    np.testing.assert_allclose(recovered.weights[3:], 0.0)


def test_without_triples_the_model_is_the_unigram_model():
    block = Documents.from_tokens([[0, 1], [0, 0], [2]], n_words=4)
    recovered, info = estimated(EmpiricalMoments(block), 2)
    assert info.n_usable == 0
    np.testing.assert_allclose(recovered.weights, 0.5)
    np.testing.assert_allclose(recovered.topics[0], recovered.topics[1])
    assert recovered.topics[0].argmax() == 0


def test_before_any_word_the_model_is_uniform():
    recovered, _ = estimated(EmpiricalMoments(Documents.from_tokens([[], []], n_words=4)), 2)
    np.testing.assert_array_equal(recovered.topics, TopicModel.uniform(2, 4).topics)
