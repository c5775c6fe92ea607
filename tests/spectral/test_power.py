import numpy as np
import pytest
from scipy.stats import ortho_group

from spectralleader.spectral.power import power_method, random_starts


def orthogonal_tensor(k, seed):
    rng = np.random.default_rng(seed)
    values = rng.uniform(1.0, 3.0, k)
    vectors = ortho_group.rvs(k, random_state=rng) if k > 1 else np.eye(1)
    return np.einsum("i,ia,ib,ic->abc", values, *[vectors] * 3), values, vectors


@pytest.mark.parametrize("k", [1, 2, 3, 5, 10])
@pytest.mark.parametrize("seed", range(3))
def test_an_orthogonal_tensor_is_decomposed_exactly(k, seed):
    T, values, vectors = orthogonal_tensor(k, seed)
    found_values, found = power_method(T, random_starts(k, 10, seed))
    order = np.abs(found @ vectors.T).argmax(axis=1)
    assert sorted(order) == list(range(k))
    np.testing.assert_allclose(found_values, values[order], atol=1e-8)
    np.testing.assert_allclose(found, vectors[order], atol=1e-8)


def test_the_tensor_and_the_starts_are_left_as_they_were():
    T, _, _ = orthogonal_tensor(3, 0)
    starts = random_starts(3, 4, 0)
    T_before, starts_before = T.copy(), starts.copy()
    power_method(T, starts)
    np.testing.assert_array_equal(T, T_before)
    np.testing.assert_array_equal(starts, starts_before)


def test_a_zero_tensor_has_eigenvalues_zero():
    values, vectors = power_method(np.zeros((2, 2, 2)), random_starts(2, 3, 0))
    np.testing.assert_array_equal(values, 0.0)
    assert np.isfinite(vectors).all()


def test_no_direction_gives_no_component():
    values, vectors = power_method(np.zeros((0, 0, 0)), random_starts(2, 3, 0))
    assert values.shape == (0,)
    assert vectors.shape == (0, 0)
