from types import SimpleNamespace

import numpy as np
import pytest

from spectralleader import Documents
from spectralleader.spectral import block_krylov
from spectralleader.spectral.basis import EXTRA, find_basis
from spectralleader.spectral.block_krylov import _completed, _Search, orthonormal, top_subspace


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


@pytest.mark.parametrize("scale", [1.0, 1e-6])
def test_columns_become_orthonormal(scale):
    block = scale * np.random.default_rng(0).normal(size=(30, 3))
    expected, R = np.linalg.qr(block)
    found, least = orthonormal(block)
    np.testing.assert_allclose(least, np.abs(np.diag(R)).min())
    np.testing.assert_allclose(np.abs(found.T @ expected), np.eye(3), atol=1e-14)


@pytest.mark.parametrize("share", [1e-6, 1e-9])  # of the latter there is no Cholesky factor
def test_columns_that_are_dependent_stay_as_they_are(share):
    block = np.random.default_rng(0).normal(size=(30, 3))
    block[:, 2] = block[:, 0] + share * block[:, 2]
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


@pytest.mark.parametrize(
    ("n_products", "residual", "n_blocks"),
    [
        (12, 1e-2, 11),  # 10 blocks gained 2 decimals: 0.4 a block is the least for 4 more
        (4, 1e-3, 3),  # 2 blocks gained 3 decimals, and 3 more are wanted
        (4, 1e-2, 5),  # 2 blocks gained 2 decimals, and 4 more are wanted
        (2, 1e-3, 2),  # no block of more columns than are kept counts as one: 3 decimals
    ],
)
def test_a_next_look_is_when_the_blocks_at_the_rate_so_far_suffice(
    monkeypatch, n_products, residual, n_blocks
):
    grown, residuals = [], [residual, 1e-6]
    search = SimpleNamespace(block=4, n_products=n_products, basis=lambda: None, values=None)
    search.grow = grown.append
    search.rayleigh_ritz = lambda n_kept, n_wanted: residuals.pop(0)
    monkeypatch.setattr(block_krylov, "_Search", lambda *_: search)
    top_subspace(None, np.zeros((100, 4)), n_wanted=3, n_kept=8, tolerance=1e-6)
    assert grown == [6, n_blocks]


@pytest.mark.parametrize(
    ("room", "d", "n_rows"),
    [
        (2**22, 1000, 24 * 5),  # enough for any search
        (50_000, 1000, 50),  # what memory allows
        (1, 1000, 4 * 5),  # what a search needs
        (2**22, 100, 100),  # the whole space
    ],
)
def test_a_search_has_room_for_what_it_needs_and_memory_allows(monkeypatch, room, d, n_rows):
    monkeypatch.setattr(block_krylov, "ROOM", room)
    search = _Search(None, np.zeros((d, 4)), 5)
    assert search.rows.shape == (n_rows, d)
    assert search.room == n_rows // 4


def grown(values, n_blocks, n_kept=5, columns=3):
    matrix, _ = symmetric(values)
    search = _Search(lambda Z: matrix @ Z, start(len(values), columns), n_kept)
    search.grow(n_blocks)
    return matrix, search


@pytest.mark.parametrize("scale", [1.0, 1e-3])
def test_only_the_image_of_the_last_block_sticks_out_of_the_space(scale):
    matrix, search = grown(scale * np.linspace(2.0, -5.0, 70), 4)
    S, H = search.rows[:12].T, np.triu(search.H[:12, :12])
    assert (search.n, search.n_products) == (12, 4)
    np.testing.assert_allclose(S.T @ S, np.eye(12), atol=1e-13)
    outside = matrix @ S - S @ (H + np.triu(H, 1).T)
    np.testing.assert_allclose(outside[:, :9], 0.0, atol=1e-12)
    np.testing.assert_allclose(outside[:, 9:], search.next, atol=1e-12)
    assert search.size == np.abs(H).max()


@pytest.mark.parametrize("values", [np.linspace(2.0, -5.0, 70), np.linspace(-1.0, -5.0, 70)])
def test_the_residual_is_that_of_the_wanted_pairs_over_the_largest_value(values):
    matrix, search = grown(values, 4)
    for n_wanted in (1, 3, 5):
        residual = search.rayleigh_ritz(5, n_wanted)
        Q = search.basis()
        left = np.linalg.norm(matrix @ Q - Q * search.values, axis=0)[:n_wanted]
        assert residual == pytest.approx(left.max() / np.abs(search.values).max())
        np.testing.assert_allclose(Q.T @ Q, np.eye(5), atol=1e-13)
        np.testing.assert_allclose((Q * (matrix @ Q)).sum(axis=0), search.values)
        assert (np.diff(search.values) < 0).all()


def test_a_full_space_is_begun_again_with_the_pairs_it_gave(monkeypatch):
    monkeypatch.setattr(block_krylov, "ROOM", 1)
    matrix, search = grown(np.linspace(2.0, -5.0, 70), 99)
    assert (search.n, search.room) == (18, 0)
    S = search.rows[:18].T.copy()
    ritz = np.linalg.eigvalsh(S.T @ matrix @ S)[::-1][:5]
    search.rayleigh_ritz(5, 3)
    assert search.n == 5
    np.testing.assert_allclose(search.values, ritz)
    np.testing.assert_array_equal(search.basis(), search.rows[:5].T)
    search.grow(1)
    S, H = search.rows[:8].T, np.triu(search.H[:8, :8])
    np.testing.assert_allclose(S.T @ S, np.eye(8), atol=1e-13)
    np.testing.assert_allclose(H, np.triu(S.T @ matrix @ S), atol=1e-12)


def test_what_is_left_of_a_block_that_is_nearly_inside_the_space_is_projected_again():
    search = _Search(None, np.zeros((60, 3)), 4)
    Q = np.linalg.qr(start(60, 7))[0]
    search.n, search.rows[:4], search.size = 4, Q[:, :4].T, 10.0
    search.next = 1e-3 * Q[:, 4:] + 1e-9 * Q[:, :3]  # below CAREFUL of 10, above that of 1
    block = search._orthonormal()
    np.testing.assert_allclose(Q[:, :4].T @ block, 0.0, atol=1e-15)
    np.testing.assert_allclose(np.abs(Q[:, 4:].T @ block), np.eye(3), atol=1e-12)


@pytest.mark.parametrize("scale", [0.0, 1e-300, 1.0])
def test_columns_that_others_span_give_way_to_random_ones(scale):
    Q, rng = np.linalg.qr(start(60, 7))[0], np.random.default_rng(0)
    block = scale * np.column_stack([Q[:, 4], Q[:, 5], Q[:, 4] + Q[:, 0]])
    found = _completed(block, Q[:, :4], rng)
    np.testing.assert_allclose(found.T @ found, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(Q[:, :4].T @ found, 0.0, atol=1e-15)
    drawn = np.random.default_rng(0).standard_normal((60, 3 if scale == 0 else 1))
    kept = np.column_stack([block[:, :2] / scale, drawn] if scale else [drawn])
    kept -= Q[:, :4] @ (Q[:, :4].T @ kept)
    np.testing.assert_allclose(np.abs(np.linalg.qr(kept)[0].T @ found), np.eye(3), atol=1e-12)


def test_a_block_that_is_nearly_inside_the_space_is_completed_by_what_is_outside():
    Q = np.linalg.qr(start(60, 7))[0]
    found = _completed(Q[:, :3] + 1e-8 * Q[:, 4:], Q[:, :4], np.random.default_rng(0))
    np.testing.assert_allclose(found.T @ found, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(Q[:, :4].T @ found, 0.0, atol=1e-15)
    # of numbers of size 1, of which 1e-8 is left, 8 decimals are lost
    np.testing.assert_allclose(np.abs(Q[:, 4:].T @ found), np.eye(3), atol=1e-6)
