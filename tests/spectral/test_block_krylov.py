import numpy as np
import pytest

from spectralleader import Documents
from spectralleader.spectral import block_krylov
from spectralleader.spectral.basis import EXTRA, find_basis
from spectralleader.spectral.block_krylov import _orthonormal, top_subspace


def symmetric(values, seed=0):
    rng = np.random.default_rng(seed)
    vectors = np.linalg.qr(rng.normal(size=(len(values), len(values))))[0]
    return vectors @ np.diag(values) @ vectors.T, vectors


def start(d, block, seed=1):
    return np.random.default_rng(seed).normal(size=(d, block))


@pytest.mark.parametrize("block", [1, 3, 6])
def test_the_largest_eigenvalues_are_found_however_negative_the_others(block):
    values = np.concatenate([[5.0, 4.0, 3.0], np.linspace(1.0, -9.0, 57)])
    matrix, vectors = symmetric(values)
    found = top_subspace(lambda Z: matrix @ Z, start(60, block), n_wanted=3, n_kept=6)
    np.testing.assert_allclose(found.values[:3], [5.0, 4.0, 3.0], rtol=1e-9)
    np.testing.assert_allclose(np.abs(found.basis[:, :3].T @ vectors[:, :3]), np.eye(3), atol=1e-4)
    np.testing.assert_allclose(found.basis.T @ found.basis, np.eye(6), atol=1e-12)
    assert found.residual <= 1e-5


def test_a_space_that_is_full_is_begun_again(monkeypatch):
    monkeypatch.setattr(block_krylov, "ROOM", 1)
    matrix, _ = symmetric(np.linspace(2.0, -1.0, 80) ** 3)
    found = top_subspace(lambda Z: matrix @ Z, start(80, 3), n_wanted=3, n_kept=5)
    assert found.n_products > 10
    np.testing.assert_allclose(found.values[0], 8.0)


@pytest.mark.parametrize("block", [4, 6])
@pytest.mark.parametrize("rest", [0.0, 1.0])  # of the second, there are 56 equal ones
def test_equal_eigenvalues_are_all_found(block, rest):
    matrix, vectors = symmetric([5.0, 5.0, 5.0, 5.0] + 56 * [rest])
    found = top_subspace(lambda Z: matrix @ Z, start(60, block), n_wanted=4, n_kept=7)
    np.testing.assert_allclose(found.values, 4 * [5.0] + 3 * [rest], atol=1e-12)
    np.testing.assert_allclose(found.basis.T @ found.basis, np.eye(7), atol=1e-12)
    inside = np.linalg.norm(vectors[:, :4].T @ found.basis[:, :4], axis=0)
    np.testing.assert_allclose(inside, 1.0)


@pytest.mark.parametrize("values", [np.linspace(2.0, -5.0, 70), np.linspace(-1.0, -5.0, 70)])
def test_the_residual_is_that_of_the_wanted_pairs_over_the_largest_value(values):
    matrix, _ = symmetric(values)
    for n_wanted in (1, 3, 5):
        found = top_subspace(
            lambda Z: matrix @ Z, start(70, 3), n_wanted=n_wanted, n_kept=5, max_products=6
        )
        Q = found.basis
        left = np.linalg.norm(matrix @ Q - Q * found.values, axis=0)[:n_wanted]
        assert found.residual == pytest.approx(left.max() / np.abs(found.values).max())
        np.testing.assert_allclose(Q.T @ Q, np.eye(5), atol=1e-13)
        np.testing.assert_allclose((Q * (matrix @ Q)).sum(axis=0), found.values)
        assert (np.diff(found.values) < 0).all()


@pytest.mark.parametrize("d", [40, 60])  # decomposed as it is, searched
@pytest.mark.parametrize("rank", [0, 1, 2])
def test_fewer_directions_than_wanted_are_made_up(rank, d):
    matrix, _ = symmetric([3.0, 2.0][:rank] + [0.0] * (d - rank))
    found = top_subspace(lambda Z: matrix @ Z, start(d, 4), n_wanted=4, n_kept=8)
    np.testing.assert_allclose(
        found.values[:4], [*[3.0, 2.0][:rank], *[0.0] * (4 - rank)], atol=1e-12
    )
    np.testing.assert_allclose(found.basis.T @ found.basis, np.eye(8), atol=1e-12)


def test_it_gives_up_after_so_many_products_and_says_how_good_it_is():
    matrix, _ = symmetric(np.linspace(1.0, 0.9, 200))
    found = top_subspace(lambda Z: matrix @ Z, start(200, 2), n_wanted=5, n_kept=8, max_products=20)
    assert found.n_products >= 20
    assert found.residual > 1e-5


def test_documents_whose_pairs_have_many_equal_eigenvalues_have_a_basis():
    # SciPy's search for a few eigenvalues failed on these
    documents = [
        [1, 11, 11, 11, 14, 14, 64, 64, 73, 73, 83, 87],
        [15, 21, 50, 57, 58, 74, 74, 80, 80, 80, 81, 94],
    ]
    basis = find_basis(Documents.from_tokens(documents, 100), 3, 5)
    np.testing.assert_allclose(basis.T @ basis, np.eye(3 + EXTRA), atol=1e-12)


def test_a_space_that_is_all_of_a_matrix_stays_orthonormal():
    # documents of other words: their pairs have few eigenvalues, a Krylov space soon ends
    words = np.arange(160).reshape(16, 10)
    documents = [[*row, row[0]] if row[0] % 20 else list(row) for row in words]
    basis = find_basis(Documents.from_tokens(documents, 160), 5, 0)
    np.testing.assert_allclose(basis.T @ basis, np.eye(5 + EXTRA), atol=1e-12)


@pytest.mark.parametrize(("d", "n_kept"), [(48, 3), (60, 30)])
def test_a_small_matrix_takes_one_product_and_is_exact(d, n_kept):
    matrix, vectors = symmetric(np.linspace(2.0, -1.0, d))
    found = top_subspace(lambda Z: matrix @ Z, start(d, 3), n_wanted=2, n_kept=n_kept)
    assert (found.residual, found.n_products) == (0.0, 1)
    np.testing.assert_allclose(found.values, np.linspace(2.0, -1.0, d)[:n_kept], atol=1e-12)
    inner = np.abs(found.basis.T @ vectors[:, :n_kept])
    np.testing.assert_allclose(inner, np.eye(n_kept), atol=1e-10)


@pytest.mark.parametrize(("d", "n_kept"), [(49, 3), (61, 30)])
def test_a_larger_matrix_is_searched(d, n_kept):
    matrix, _ = symmetric(np.linspace(2.0, -1.0, d))
    found = top_subspace(lambda Z: matrix @ Z, start(d, 3), n_wanted=2, n_kept=n_kept)
    assert found.n_products > 1
    np.testing.assert_allclose(found.values[:2], np.linspace(2.0, -1.0, d)[:2])


@pytest.mark.parametrize("enough", [{"tolerance": 1e9}, {"max_products": 4}])
def test_a_first_look_is_at_a_space_three_times_as_large_as_what_is_kept(enough):
    matrix, _ = symmetric(np.linspace(1.0, 0.9, 100))
    found = top_subspace(lambda Z: matrix @ Z, start(100, 4), n_wanted=3, n_kept=5, **enough)
    assert found.n_products == 4  # of 4 columns, for 15


def test_what_is_left_of_a_block_that_is_nearly_inside_the_space_is_projected_again():
    Q = np.linalg.qr(start(60, 7))[0]
    block = _orthonormal(1e-3 * Q[:, 4:] + 1e-9 * Q[:, :3], Q[:, :4].T, 5e-3)
    np.testing.assert_allclose(Q[:, :4].T @ block, 0.0, atol=1e-15)
    np.testing.assert_allclose(np.abs(Q[:, 4:].T @ block), np.eye(3), atol=1e-8)


@pytest.mark.parametrize("scale", [0.0, 1e-300, 1.0])
def test_columns_that_others_span_give_way_to_random_ones(scale):
    Q = np.linalg.qr(start(60, 7))[0]
    block = scale * Q[:, [4, 5, 4]]
    found = _orthonormal(block, Q[:, :4].T, 5e-4 * scale)
    np.testing.assert_allclose(found.T @ found, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(Q[:, :4].T @ found, 0.0, atol=1e-15)
    if scale:
        np.testing.assert_allclose(np.abs(Q[:, 4:6].T @ found[:, :2]), np.eye(2), atol=1e-10)


def test_a_search_is_the_same_bit_for_bit_each_time():
    matrix, _ = symmetric([3.0, 2.0] + [0.0] * 58)
    first, second = (
        top_subspace(lambda Z: matrix @ Z, start(60, 4), n_wanted=4, n_kept=8) for _ in range(2)
    )
    np.testing.assert_array_equal(first.basis, second.basis)
