"""What the spectral road does with numbers that can be followed by hand."""

import numpy as np
import pytest

from spectralleader import Documents, TopicModel
from spectralleader.spectral import algorithm1, estimate
from spectralleader.spectral.cold import Spectrum
from spectralleader.spectral.estimate import Estimate
from spectralleader.spectral.power import power_method, random_starts
from spectralleader.spectral.warm import background_share, complete, smooth_words
from tests.definitions import population_sums, residual
from tests.factories import model, warm_estimate


def test_parameters_become_a_valid_model_by_what_is_left_open(monkeypatch):
    # topics: to be flipped, to be clipped, of no mass; a weight above 1
    weights = np.array([4.0, 0.5, 0.5])
    topics = np.array([[-0.5, -0.5, 0.0], [0.9, 0.3, -0.2], [0.0, 0.0, 0.0]])
    monkeypatch.setattr(algorithm1, "parameters", lambda *args, **kwargs: (weights, topics))
    found = algorithm1.valid_model(Documents.from_tokens([[0, 0, 1], [2]], n_words=3), 3)
    unigram = (4 * np.array([1 / 3, 1 / 6, 1 / 2]) + 1 / 3) / 5
    # 4 tokens against 3 topics of 2 free parameters each
    mixed = (4 * np.array([[1 / 2, 1 / 2, 0], [3 / 4, 1 / 4, 0]]) + 6 * unigram) / 10
    np.testing.assert_allclose(found.topics, [*mixed, unigram], rtol=1e-12)
    np.testing.assert_allclose(found.weights, [2 / 3, 1 / 3, 0.0], rtol=1e-12)


def test_a_topic_that_sums_to_zero_is_not_flipped(monkeypatch):
    raw = (np.ones(1), np.array([[0.5, -0.5]]))
    monkeypatch.setattr(algorithm1, "parameters", lambda *args, **kwargs: raw)
    literal = algorithm1.valid_model(Documents.from_tokens([[0, 1]], n_words=2), 1).topics
    np.testing.assert_allclose(literal, [[5 / 6, 1 / 6]])  # 2 tokens against 1 parameter
    weights, topics = np.empty(1), np.empty((1, 2))
    complete(*raw, np.full(2, 1 / 2), 1 / 3, weights, topics)
    np.testing.assert_allclose(topics, literal)


def test_signs_of_whitened_directions_make_the_first_of_the_largest_entries_positive():
    for sign in (1.0, -1.0):
        vector = sign * np.array([0.1, -0.7, 0.7, -0.1])
        W = algorithm1.whiten(np.outer(vector, vector), 2)
        assert W.shape == (4, 1)
        np.testing.assert_allclose(W[:, 0], np.array([-0.1, 0.7, -0.7, 0.1]), rtol=1e-9)


def test_what_is_rounding_is_judged_beside_the_largest_eigenvalue():
    assert algorithm1.whiten(np.diag([1e-6, 1e-12, 1e-17]), 3).shape == (3, 2)


def test_a_vocabulary_of_one_word_has_one_topic():
    weights, topics = algorithm1.parameters(Documents.from_tokens([[0, 0, 0]], n_words=1), 1)
    np.testing.assert_allclose(weights, 1.0)
    np.testing.assert_allclose(topics, [[1.0]])


def test_one_topic_over_two_words_has_one_free_parameter():
    found = algorithm1.valid_model(Documents.from_tokens([[0, 0, 0]], n_words=2), 1)
    unigram = np.array([3.5, 0.5]) / 4
    np.testing.assert_allclose(found.topics, [(3 * np.array([1, 0]) + unigram) / 4])


def test_starts_within_a_percent_of_the_best_climb_on(monkeypatch):
    T, climbed = tensor([3.0, 2.975, 1.5], np.eye(3)), []
    monkeypatch.setattr(algorithm1, "climb", lambda T, theta: climbed.append(theta) or theta)
    algorithm1.power_iterations(T, 3, seed=4)  # 2 starts end at 3, 3 at 2.975 and 5 at 1.5
    ends, counts = np.unique(climbed[0].round(9), axis=0, return_counts=True)
    assert (ends.tolist(), counts.tolist()) == ([[0, 1, 0], [1, 0, 0]], [3, 2])


def test_a_climb_is_by_power_steps_until_all_stand_still(monkeypatch):
    T = tensor([2.0, 3.0], np.eye(2))
    theta = np.array([[1.0, 0.0], [0.6, 0.8]])
    np.testing.assert_allclose(algorithm1.climb(T, theta), [[1, 0], [0, 1]], atol=1e-12)
    monkeypatch.setattr(algorithm1, "AT_MOST", 1)
    step = np.array([2 * 0.36, 3 * 0.64])
    found = algorithm1.climb(T, theta)
    np.testing.assert_allclose(found, [[1, 0], step / np.linalg.norm(step)], rtol=1e-12)


def tensor(values, vectors):
    return np.einsum("i,ia,ib,ic->abc", np.asarray(values, float), *[np.asarray(vectors)] * 3)


def estimate_of(triples, values, vectors):
    whitening, eigenvalues = np.eye(2), np.array([3.0, 2.0])
    parts = (np.asarray(values), np.asarray(vectors), np.zeros(2))
    spectrum = Spectrum(eigenvalues, np.eye(2), np.zeros(2))
    return Estimate(TopicModel.uniform(2, 2), whitening, eigenvalues, triples, *parts, spectrum)


def test_the_residual_is_the_share_of_the_tensor_that_components_leave():
    T = tensor([3.0, 4.0], np.eye(2))  # of norm 5
    assert residual(estimate_of(T, [3.0, 4.0], np.eye(2))) == 0.0
    assert residual(estimate_of(T, [3.0, 0.0], np.eye(2))) == pytest.approx(4 / 5)
    assert residual(estimate_of(T / 100, [0.0, 0.04], np.eye(2))) == pytest.approx(3 / 5)
    assert residual(estimate_of(0 * T, [0.0, 0.0], np.eye(2))) == 0.0
    assert estimate_of(T, [3.0, 4.0], np.eye(2)).eigenvalues.tolist() == [3.0, 2.0]


def test_a_warm_estimate_starts_from_directions_of_an_earlier_one_if_there_are_as_many():
    sums, starts = population_sums(model(3, 6)), random_starts(3, 4, 0)
    first = estimate(sums, 3, power_method, starts)
    again = warm_estimate(sums, first.directions)
    np.testing.assert_allclose(again.model.topics, first.model.topics, atol=1e-9)
    np.testing.assert_allclose(again.tensor_eigenvectors, first.tensor_eigenvectors, atol=1e-9)
    assert warm_estimate(population_sums(model(2, 6)), first.directions) is None


def test_the_background_is_free_parameters_against_tokens_and_words_one_token_of_uniform():
    assert background_share(5, 500, 1000.0) == pytest.approx(2495 / 3495)
    assert background_share(1, 1, 3.0) == background_share(1, 2, 3.0) == pytest.approx(1 / 4)
    smoothed = smooth_words(np.array([2.0, 1.0, 1.0]), 3.0)
    np.testing.assert_allclose(smoothed, 3 / 4 * np.array([1 / 2, 1 / 4, 1 / 4]) + 1 / 12)
    np.testing.assert_allclose(smooth_words(np.zeros(4), 3.0), 1 / 4)
