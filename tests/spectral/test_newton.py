"""Newton's steps of the power method, against their NumPy meaning."""

import numpy as np
import pytest

from spectralleader.spectral.power import _newton_step, _reach, _solve_definite


def tensor(values, vectors):
    return np.einsum("i,ia,ib,ic->abc", np.asarray(values, float), *[np.asarray(vectors)] * 3)


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_a_definite_matrix_is_solved_from_its_lower_triangle(scale):
    rng = np.random.default_rng(0)
    half, x = rng.normal(size=(5, 5)), rng.normal(size=5)
    B = scale * (half @ half.T)
    expected = np.linalg.solve(B, x)
    assert _solve_definite(np.tril(B), x)
    np.testing.assert_allclose(x, expected, rtol=1e-8)  # of condition numbers up to 10^4


@pytest.mark.parametrize(
    "B", [np.zeros((1, 1)), np.diag([1.0, -1.0]), np.array([[1.0, 2], [2, 1]])]
)
def test_a_matrix_that_is_not_definite_is_not_solved(B):
    assert _solve_definite(B.copy(), np.ones(len(B))) is False


def newton(T, theta):
    """What is handed to the kernel, and what it returns and sets."""
    M = T @ theta
    image, B, step = M @ theta, np.zeros(M.shape), np.zeros(len(theta))
    moved = _newton_step(M, image, theta, theta @ image, B, step)
    return M, image, theta @ image, moved, step


def test_a_newton_step_solves_for_where_theta_stands_still():
    rng = np.random.default_rng(1)
    vectors = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    theta = vectors[0] + 0.05 * rng.normal(size=4)
    theta /= np.linalg.norm(theta)
    M, image, value, moved, step = newton(tensor([3.0, 2.5, 2.0, 1.0], vectors), theta)
    r = image - value * theta
    outer = np.outer(theta, r) + np.outer(r, theta) + value * np.outer(theta, theta)
    way = np.linalg.solve(value * np.eye(4) - 2 * M + 2 * outer, r)
    np.testing.assert_allclose(step, theta + way, rtol=1e-10)
    assert moved == pytest.approx(np.abs(way).max())


def test_there_is_no_newton_step_at_a_saddle():
    theta = np.array([2.0, 3.0]) / np.sqrt(13)  # between two maxima
    assert newton(tensor([3.0, 2.0], np.eye(2)), theta)[3] == np.inf


def test_how_far_a_step_goes_is_the_largest_entry_of_what_it_moves():
    unit = np.empty(2)
    assert _reach(np.array([0.0, 2.0]), np.array([0.6, 0.8]), unit) == pytest.approx(0.6)
    assert unit.tolist() == [0.0, 1.0]
    assert _reach(np.array([1.2, 1.6]), np.array([0.6, 0.8]), unit) == pytest.approx(0.0, abs=1e-15)
    assert _reach(np.zeros(2), np.array([0.6, 0.8]), unit) == np.inf
