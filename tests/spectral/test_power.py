import itertools

import numpy as np
import pytest
from scipy.stats import ortho_group

from spectralleader.spectral import algorithm1
from spectralleader.spectral.power import _iterate, power_method, random_starts

NEARLY = [1.0, 0.998, 0.8]  # cubes are a tensor's eigenvalues: the first two within a percent


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


def test_slices_with_equal_diagonals_are_decomposed():
    vectors = np.array([[1.0, 1.0], [1.0, -1.0]]) / np.sqrt(2)
    T = np.array([[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]]) / np.sqrt(2)
    values, found = power_method(T, random_starts(2, 10, 0))
    np.testing.assert_allclose(values, 1.0)
    np.testing.assert_allclose(np.sort(np.abs(found @ vectors.T)), [[0, 1], [0, 1]], atol=1e-8)


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
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0)


def test_no_direction_gives_no_component():
    values, vectors = power_method(np.zeros((0, 0, 0)), random_starts(2, 3, 0))
    assert values.shape == (0,)
    assert vectors.shape == (0, 0)


@pytest.mark.parametrize("k", [3, 6])
def test_a_noisy_tensor_is_decomposed_about_as_well(k):
    # noise of 0.01 moves an eigenvector of a tensor with eigenvalues from 1 to 3 by about as much
    T, _, vectors = orthogonal_tensor(k, 1)
    noise = np.random.default_rng(0).normal(0, 0.01, T.shape)
    noisy = T + sum(noise.transpose(order) for order in itertools.permutations(range(3))) / 6
    _, found = power_method(noisy, random_starts(k, 10, 0))
    order = np.abs(found @ vectors.T).argmax(axis=1)
    np.testing.assert_allclose(found, vectors[order], atol=0.05)


def circling():
    """The tensor of nine documents of the easy problem, around whose maximum iterations circle."""
    tokens = [[1] * 3, [1] * 3, [0, 2, 2], [1, 1, 2], [1, 1, 2], [1] * 3, [1] * 3, [2] * 3]
    X = np.array([np.bincount(words, minlength=3) for words in [*tokens, [0, 0, 1]]], float)
    return algorithm1.triples(X, algorithm1.whiten(algorithm1.pairs(X), 3))


def power(T, seed):
    return power_method(T, random_starts(len(T), 10, seed))


def literal(T, seed):
    return algorithm1.power_iterations(T, len(T), seed)


@pytest.mark.parametrize("scale", [1.0, 1e-6])
@pytest.mark.parametrize("decompose", [power, literal])
def test_a_tensor_around_whose_maximum_iterations_circle_gives_that_maximum(decompose, scale):
    # plain iterations from the best start end at 1.57
    T = circling()
    values, vectors = decompose(scale * T, 9)
    image = np.einsum("abc,b,c->a", T, vectors[0], vectors[0])
    np.testing.assert_allclose(image, values[0] / scale * vectors[0], atol=1e-9)
    sphere = np.random.default_rng(0).standard_normal((10_000, 3))
    sphere /= np.linalg.norm(sphere, axis=1, keepdims=True)
    near = sphere[sphere @ vectors[0] > 0.9]
    assert values[0] > scale * np.einsum("abc,na,nb,nc->n", T, near, near, near).max()


@pytest.mark.parametrize("decompose", [power, literal])
@pytest.mark.parametrize("seed", range(4))
def test_of_starts_that_end_at_about_the_same_value_the_best_one_counts(decompose, seed):
    values, vectors = decompose(np.einsum("ia,ib,ic->abc", *[np.diag(NEARLY)] * 3), seed)
    np.testing.assert_allclose(values, np.array(NEARLY) ** 3, rtol=1e-9)
    np.testing.assert_allclose(vectors, np.eye(3), atol=1e-9)


@pytest.mark.parametrize("others", [[], [[0.0, -2.0], [20.0, -20.0]]])
def test_without_iterations_a_component_is_the_best_start_normalised(others):
    T = np.einsum("i,ia,ib,ic->abc", np.array([3.0, 2.0]), *[np.eye(2)] * 3)
    starts = np.array([[*others, [3.0, 4.0]], [[3.0, 4.0], *others]])
    values, vectors = power_method(T, starts, n_iterations=0)
    np.testing.assert_allclose(vectors[0], [0.6, 0.8])
    np.testing.assert_allclose(values[0], 3 * 0.6**3 + 2 * 0.8**3)
    if not others:  # nothing is left of the tensor in this direction
        np.testing.assert_allclose(values[1], 0.0, atol=1e-15)


def test_of_starts_with_equal_values_the_first_counts():
    T = np.einsum("ia,ib,ic->abc", *[np.eye(2)] * 3)
    starts = np.array([[[3.0, 4.0], [4.0, 3.0]]] * 2)
    _, vectors = power_method(T, starts, n_iterations=0)
    np.testing.assert_allclose(vectors[0], [0.6, 0.8])


def plain_iterations(T, theta, n):
    for _ in range(n):
        theta = np.einsum("abc,b,c->a", T, theta, theta)
        theta /= np.linalg.norm(theta)
    return np.einsum("abc,a,b,c", T, theta, theta, theta), theta


FAR = random_starts(3, 30, 9)[0]  # starts of which plain iterations from some circle for long


def test_a_single_start_goes_on_by_plain_iterations_alone():
    start = FAR[2]
    values, vectors = power_method(circling(), np.tile(start, (3, 1, 1)), n_iterations=1)
    value, theta = plain_iterations(circling(), start, 30)
    np.testing.assert_allclose(vectors[0], theta, rtol=1e-9)
    np.testing.assert_allclose(values[0], value, rtol=1e-9)


def test_starts_are_compared_by_plain_iterations_and_the_best_of_them_climbs():
    # damped, the second of these would end higher
    T, low, high = circling(), FAR[2], FAR[1]
    assert plain_iterations(T, high, 30)[0] > plain_iterations(T, low, 30)[0]
    of_high, of_low, of_both = (
        power_method(T, np.array([starts] * 3))[0][0]
        for starts in ([high, high], [low, low], [low, high])
    )
    assert of_both == of_high < of_low


@pytest.mark.parametrize("scale", [1.0, 1e-6])
def test_whatever_it_starts_from_the_best_start_climbs_until_it_stands_still(scale):
    T = scale * circling()
    for start in FAR[:10]:
        values, vectors = power_method(T, np.tile(start, (3, 2, 1)))
        image = np.einsum("abc,b,c->a", T, vectors[0], vectors[0])
        np.testing.assert_allclose(image, values[0] * vectors[0], atol=scale * 1e-9)


def near_a_maximum():
    """A tensor with a maximum at e_0 that power iterations approach by a fifth a step."""
    T = np.zeros((3, 3, 3))
    for at, value in {(0, 0, 0): 1.0, (0, 1, 1): 0.4, (0, 2, 2): 0.3, (1, 1, 2): 0.2}.items():
        for order in itertools.permutations(at):
            T[order] = value
    theta = np.array([1.0, 0.02, 0.01])
    return T, theta / np.linalg.norm(theta)


def test_near_a_maximum_four_steps_lead_there():
    T, theta = near_a_maximum()
    assert abs(plain_iterations(T, theta, 4)[1][1:]).max() > 0.005
    value = _iterate(T, theta, np.empty((8, 3)), 4, False)
    np.testing.assert_allclose(theta, [1, 0, 0], atol=1e-12)
    assert value == pytest.approx(1.0, abs=1e-15)
