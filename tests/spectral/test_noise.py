"""The noise of eigenvalues: which of them can be noise, and what an estimate makes of that."""

import numpy as np
import pytest

from spectralleader import Documents, TopicModel
from spectralleader.moments import ProjectedSums
from spectralleader.spectral import estimate
from spectralleader.spectral.basis import find_basis
from spectralleader.spectral.cold import DOUBT, measure_spectrum
from spectralleader.spectral.power import power_method, random_starts
from study.sources.synthetic import hard, random_problem
from tests.definitions import population_sums


def of_documents(block, basis=None):
    projected = ProjectedSums(np.eye(block.n_words) if basis is None else basis)
    projected.update(block)
    return projected.sums


def estimated(sums, n_topics, *, noise_rank=True):
    starts = random_starts(n_topics, 10, 0)
    return estimate(sums, n_topics, power_method, starts, noise_rank=noise_rank)


def test_the_noise_is_the_scatter_of_the_pairs_of_documents():
    block, _ = hard().truth.sample(200, 4, seed=0)
    found = measure_spectrum(of_documents(block))
    X = block.as_floats().toarray()
    pairs = (np.einsum("na,nb->nab", X, X) - np.einsum("na,ab->nab", X, np.eye(3))) / 12
    for A, u, noise in zip(found.values, found.vectors.T, found.noise, strict=True):
        scatter = pairs @ u - pairs.mean(axis=0) @ u
        variance = (scatter**2).sum(axis=1).mean() / 200
        np.testing.assert_allclose(noise, np.sqrt(np.log(200) / DOUBT * variance))
        np.testing.assert_allclose(A, u @ pairs.mean(axis=0) @ u)


@pytest.mark.parametrize("n_topics", [3, 4, 5])
def test_population_moments_have_no_noise_and_an_absent_topic_is_not_invented(n_topics):
    topics = random_problem(5, 8, seed=1).truth.topics[:n_topics]
    weights = np.array([0.5, 0.0, 0.3, 0.2, 0.0])[:n_topics]
    truth = TopicModel(weights / weights.sum(), topics)
    n_present = np.count_nonzero(weights)
    for noise_rank in (True, False):
        found = estimated(population_sums(truth), n_topics, noise_rank=noise_rank)
        assert found.n_usable == found.spectrum.noise_rank == n_present
        assert found.total_weight == pytest.approx(1.0)
        assert not found.spectrum.noise.any()
        assert truth.distance(found.model) < 1e-20


def test_gaps_are_between_neighbouring_eigenvalues():
    spectrum = measure_spectrum(population_sums(hard().truth))
    np.testing.assert_allclose(spectrum.gaps, -np.diff(spectrum.values))
    assert (spectrum.gaps > 0).all()


@pytest.mark.parametrize(("n_words", "length", "most"), [(3, 3, 1), (30, 3, 8), (300, 10, 2)])
def test_eigenvalues_of_documents_without_topics_are_noise(n_words, length, most):
    # One topic: all eigenvalues but the first are noise. The level at 2,000 documents is 1.59 times
    # the noise of eq. 8b. In many words the largest eigenvalue is near 1.3 times it. The bounds:
    # of 30 runs with 3 words, none was above; of 30 with 30 words, 5.
    frequencies = np.random.default_rng(0).dirichlet(np.full(n_words, 0.5))
    truth, ranks = TopicModel([1.0], [frequencies]), []
    for seed in range(20):
        block, _ = truth.sample(2000, length, seed=seed)
        basis = find_basis(block, 5, seed=0)
        ranks.append(measure_spectrum(of_documents(block, basis)).noise_rank)
    assert min(ranks) == 1
    assert np.count_nonzero(np.array(ranks) > 1) <= most


def test_one_eigenvalue_means_word_frequencies():
    block, _ = hard().truth.sample(500, 3, seed=0)
    found = estimated(of_documents(block), 1)
    frequencies = np.bincount(block.words, block.counts, minlength=3) / block.counts.sum()
    np.testing.assert_allclose(found.model.topics[0], frequencies, atol=1e-3)
    # The paper's rule: the top eigenvector, which is not the mean of the topics.
    literal = estimated(of_documents(block), 1, noise_rank=False).model
    assert np.abs(literal.topics[0] - frequencies).max() > 0.05


def test_weights_of_the_wrong_number_of_topics_do_not_sum_to_one():
    truth = TopicModel([0.7, 0.3], [[0.9, 0.1, 0.0], [0.0, 0.1, 0.9]])
    sums = population_sums(truth)
    assert estimated(sums, 2).total_weight == pytest.approx(1.0)
    assert abs(estimated(sums, 1, noise_rank=False).total_weight - 1.0) > 0.2


def test_of_no_documents_nothing_is_measured():
    spectrum = measure_spectrum(of_documents(Documents.empty(4)))
    assert spectrum.noise_rank == 0
    assert not spectrum.noise.any()
    assert estimated(of_documents(Documents.empty(4)), 2).n_usable == 0
