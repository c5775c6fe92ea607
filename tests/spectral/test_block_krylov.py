import numpy as np
import pytest

from spectralleader import Documents
from spectralleader.spectral import block_krylov
from spectralleader.spectral.basis import EXTRA, find_basis
from spectralleader.spectral.block_krylov import orthonormal, top_subspace


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


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_fewer_directions_than_wanted_are_made_up(rank):
    matrix, _ = symmetric([3.0, 2.0][:rank] + [0.0] * (40 - rank))
    found = top_subspace(lambda Z: matrix @ Z, start(40, 4), n_wanted=4, n_kept=8)
    np.testing.assert_allclose(
        found.values[:4], [*[3.0, 2.0][:rank], *[0.0] * (4 - rank)], atol=1e-12
    )
    np.testing.assert_allclose(found.basis.T @ found.basis, np.eye(8), atol=1e-12)


def test_it_gives_up_after_so_many_products_and_says_how_good_it_is():
    matrix, _ = symmetric(np.linspace(1.0, 0.9, 200))
    found = top_subspace(lambda Z: matrix @ Z, start(200, 2), n_wanted=5, n_kept=8, max_products=20)
    assert found.n_products >= 20
    assert found.residual > 1e-5


def test_a_search_for_a_few_eigenvalues_that_fails_is_made_for_all(monkeypatch):
    def fail(H, **_):
        return np.zeros(len(H)), np.zeros((len(H), 1)), 0, np.zeros(2), 1

    matrix, _ = symmetric(np.linspace(2.0, -1.0, 100))
    arguments = {"start": start(100, 3), "n_wanted": 3, "n_kept": 5}
    usual = top_subspace(lambda Z: matrix @ Z, **arguments)
    monkeypatch.setattr(block_krylov, "dsyevr", fail)
    np.testing.assert_allclose(top_subspace(lambda Z: matrix @ Z, **arguments).values, usual.values)


def test_documents_whose_pairs_have_many_equal_eigenvalues_have_a_basis():
    # SciPy's search for a few eigenvalues failed on these
    documents = [
        [1, 11, 11, 11, 14, 14, 64, 64, 73, 73, 83, 87],
        [15, 21, 50, 57, 58, 74, 74, 80, 80, 80, 81, 94],
    ]
    basis = find_basis(Documents.from_tokens(documents, 100), 3, 5)
    np.testing.assert_allclose(basis.T @ basis, np.eye(3 + EXTRA), atol=1e-12)


def test_columns_become_orthonormal():
    block = np.random.default_rng(0).normal(size=(30, 3))
    expected, R = np.linalg.qr(block)
    found, least = orthonormal(block)
    np.testing.assert_allclose(least, np.abs(np.diag(R)).min())
    np.testing.assert_allclose(np.abs(found.T @ expected), np.eye(3), atol=1e-14)


def test_columns_that_are_dependent_stay_as_they_are():
    block = np.random.default_rng(0).normal(size=(30, 3))
    block[:, 2] = block[:, 0] + 1e-9 * block[:, 1]
    found, least = orthonormal(block)
    assert least == 0.0
    np.testing.assert_array_equal(found, block)
    assert orthonormal(np.zeros((30, 3)))[1] == 0.0


def test_a_space_that_is_all_of_a_matrix_stays_orthonormal():
    # documents of other words: their pairs have few eigenvalues, a Krylov space soon ends
    words = np.arange(160).reshape(16, 10)
    documents = [[*row, row[0]] if row[0] % 20 else list(row) for row in words]
    basis = find_basis(Documents.from_tokens(documents, 160), 5, 0)
    np.testing.assert_allclose(basis.T @ basis, np.eye(5 + EXTRA), atol=1e-12)
