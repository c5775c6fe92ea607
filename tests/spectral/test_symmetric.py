import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spectralleader.spectral.symmetric import eigenpairs


def assert_eigenpairs(matrix):
    values, vectors = eigenpairs(matrix)
    n, scale = len(matrix), max(np.abs(matrix).max(initial=0.0), np.finfo(float).tiny)
    np.testing.assert_allclose(np.sort(values), np.linalg.eigvalsh(matrix), atol=1e-13 * n * scale)
    np.testing.assert_allclose(vectors @ vectors.T, np.eye(n), atol=1e-13 * n)
    rebuilt = (vectors.T * values) @ vectors
    np.testing.assert_allclose(rebuilt, matrix, atol=1e-13 * n * scale)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 25, 64])
def test_a_symmetric_matrix_is_taken_apart(n):
    matrix = np.random.default_rng(n).normal(size=(n, n))
    assert_eigenpairs(matrix + matrix.T)
    assert_eigenpairs((matrix + matrix.T) * 0.5 ** (np.arange(n) + np.arange(n)[:, None]))


@given(
    st.integers(1, 6).flatmap(
        lambda n: arrays(float, (n, n), elements=st.integers(-3, 3).map(float))
    )
)
def test_equal_eigenvalues_and_zeros_do_no_harm(matrix):
    assert_eigenpairs(matrix + matrix.T)
    assert_eigenpairs(np.tril(matrix) @ np.tril(matrix).T)


def test_the_matrix_is_left_as_it_was():
    matrix = np.ones((3, 3))
    eigenpairs(matrix)
    np.testing.assert_array_equal(matrix, 1.0)
