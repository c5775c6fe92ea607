"""The spectral road: exact moments in, the exact model out."""

import numpy as np
import pytest

from spectralleader import Documents, TopicModel
from spectralleader.learners.spectral_leader.spectral_leader import in_order
from spectralleader.moments import ProjectedSums
from spectralleader.spectral import estimate
from spectralleader.spectral.algorithm1 import valid_model
from spectralleader.spectral.basis import find_basis
from spectralleader.spectral.power import power_method, random_starts
from study.sources.synthetic import easy, hard, random_problem
from tests.definitions import population_sums, residual
from tests.factories import model, warm_estimate


def of_documents(block, basis=None):
    """Their sums, over words unless told a basis."""
    projected = ProjectedSums(np.eye(block.n_words) if basis is None else basis)
    projected.update(block)
    return projected.sums


def estimated(sums, n_topics, seed=0):
    info = estimate(sums, n_topics, power_method, random_starts(n_topics, 10, seed))
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
    recovered, info = estimated(population_sums(truth), truth.n_topics, seed)
    recovered = in_order(recovered, truth)
    np.testing.assert_allclose(recovered.weights, truth.weights, atol=1e-8)
    np.testing.assert_allclose(recovered.topics, truth.topics, atol=1e-8)
    assert info.n_usable == truth.n_topics
    assert residual(info) < 1e-8
    assert info.clipped.max() < 1e-8


def test_in_the_top_eigenspace_it_is_the_model_over_words_and_that_of_algorithm_1():
    block, _ = model(3, 30).sample(500, 5, seed=0)
    over_words, _ = estimated(of_documents(block), 3)
    in_basis, _ = estimated(of_documents(block, find_basis(block, 3, 0, tolerance=1e-12)), 3)
    literal = valid_model(block, 3)
    for found in (over_words, in_basis):
        np.testing.assert_allclose(found.topics, literal.topics, atol=1e-8)
        np.testing.assert_allclose(found.weights, literal.weights, atol=1e-8)


TRUTH = random_problem(3, 40, seed=2).truth
DRAWN = TRUTH.sample(600, 6, seed=0)[0]


def in_some_basis(n_docs):
    """Sums of documents in a basis that has the topics and some more directions."""
    more = np.random.default_rng(0).normal(size=(40, 5))
    basis = np.linalg.qr(np.column_stack([TRUTH.topics.T, more]))[0]
    return of_documents(DRAWN[:n_docs], basis)


def test_a_warm_estimate_is_of_the_sums_after_what_moved():
    earlier = estimate(in_some_basis(500), 3, power_method, random_starts(3, 10, 0))
    sums, wanted = in_some_basis(500), in_some_basis(600)
    found = warm_estimate(sums, earlier.directions, DRAWN[500:], n_added=100)
    expected = warm_estimate(wanted, earlier.directions)
    np.testing.assert_allclose(found.model.topics, expected.model.topics, atol=1e-10)
    np.testing.assert_allclose(sums.upper, wanted.upper, atol=1e-12)


def test_a_warm_estimate_is_the_estimate_from_these_directions():
    earlier = estimate(in_some_basis(500), 3, power_method, random_starts(3, 10, 0))
    sums = in_some_basis(600)
    fast = warm_estimate(sums, earlier.directions)
    _, W, A, *_ = estimate(sums, 3, power_method, random_starts(3, 10, 0))
    starts = (earlier.directions @ W) * A
    plain = estimate(sums, 3, power_method, starts[:, None, :])
    for name in ("triples", "tensor_eigenvalues", "tensor_eigenvectors", "clipped", "directions"):
        np.testing.assert_allclose(getattr(fast, name), getattr(plain, name), atol=1e-10)
    np.testing.assert_allclose(fast.model.weights, plain.model.weights, atol=1e-12)
    np.testing.assert_allclose(fast.model.topics, plain.model.topics, atol=1e-12)


def test_a_warm_estimate_needs_as_many_directions_as_there_were():
    earlier = estimate(in_some_basis(500), 3, power_method, random_starts(3, 10, 0))
    assert warm_estimate(in_some_basis(0), earlier.directions) is None


def test_fewer_usable_directions_than_topics_are_padded_and_told():
    # one word only: one direction; two of three topics are missing
    block = Documents.from_tokens([[0, 0, 0], [0, 0]], n_words=3)
    recovered, info = estimated(of_documents(block), 3)
    assert info.n_usable == 1
    np.testing.assert_allclose(recovered.weights, [1.0, 0.0, 0.0])
    np.testing.assert_allclose(recovered.topics[1], recovered.topics[2])


def test_asking_for_too_many_topics_gives_the_ones_there_are():
    truth = hard().truth
    recovered, info = estimated(population_sums(truth), 6)
    assert info.n_usable == 3
    assert truth.distance(recovered) < 1e-12
    np.testing.assert_allclose(recovered.weights[3:], 0.0)


def test_without_triples_the_model_is_the_unigram_model():
    block = Documents.from_tokens([[0, 1], [0, 0], [2]], n_words=4)
    recovered, info = estimated(of_documents(block), 2)
    assert info.n_usable == 0
    np.testing.assert_allclose(recovered.weights, 0.5)
    np.testing.assert_allclose(recovered.topics[0], recovered.topics[1])
    assert recovered.topics[0].argmax() == 0


def test_before_any_word_the_model_is_uniform():
    recovered, _ = estimated(of_documents(Documents.from_tokens([[], []], n_words=4)), 2)
    np.testing.assert_array_equal(recovered.topics, TopicModel.uniform(2, 4).topics)
