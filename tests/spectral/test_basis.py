"""The basis, and word scaling: the model is equivariant, only the noise is not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import SpectralLeader
from spectralleader.moments import population_sums
from spectralleader.sources.synthetic import random_problem
from spectralleader.spectral import estimate
from spectralleader.spectral.basis import EXTRA, find_basis, scale_words
from spectralleader.spectral.power import power_method, random_starts
from tests.factories import documents, model


@given(
    seed=st.integers(0, 30),
    logs=st.lists(st.floats(-3.0, 3.0), min_size=6, max_size=6),
)
def test_scaled_words_give_the_population_model_back_exactly(seed, logs):
    truth = model(3, 6, seed=seed)
    scaled = population_sums(truth, np.diag(np.exp(logs)))
    found = estimate(scaled, 3, power_method, random_starts(3, 10, 0)).model.aligned_to(truth)
    np.testing.assert_allclose(found.weights, truth.weights, atol=1e-6)
    np.testing.assert_allclose(found.topics, truth.topics, atol=1e-6)


@pytest.mark.parametrize("scaling", [0.25, 0.5, 1.0])
def test_a_leader_with_scaled_words_finds_the_topics(scaling):
    problem = random_problem(4, 60, lengths=8, seed=3)
    leader = SpectralLeader(4, n_words=60, scaling=scaling)
    leader.learn(problem.truth.sample(8000, 8, seed=1)[0])
    found = leader.predictive.aligned_to(problem.truth)
    assert abs(found.topics - problem.truth.topics).sum(axis=1).max() < 0.15


def test_scales_fall_with_frequency_and_are_one_at_power_zero():
    block = documents(200, 6)
    counts = np.asarray(block.to_matrix().sum(axis=0)).ravel()
    scales = scale_words(block, 0.5)
    assert (np.diff(scales[np.argsort(counts)]) <= 0).all()
    np.testing.assert_array_equal(scale_words(block, 0.0), 1.0)


def test_rows_of_the_basis_are_scaled_and_words_never_seen_are_outside():
    block = documents(300, 40).widen(50)
    basis, scaled = find_basis(block, 3, 0), find_basis(block, 3, 0, scaling=0.5)
    assert basis.shape == scaled.shape == (50, 3 + EXTRA)
    assert (basis[40:] == 0).all()
    orthonormal = scaled / scale_words(block, 0.5)[:, None]
    np.testing.assert_allclose(orthonormal.T @ orthonormal, np.eye(3 + EXTRA), atol=1e-9)


@pytest.mark.parametrize("scaling", [-0.1, 1.5, "half", None])
def test_scaling_is_a_number_from_zero_to_one(scaling):
    with pytest.raises(ValueError, match="scaling must be a number from 0 to 1"):
        SpectralLeader(3, n_words=9, scaling=scaling)
