"""Cold estimates by NumPy are those of the kernels."""

import numpy as np
import pytest

from spectralleader.documents import Documents
from spectralleader.moments import ProjectedSums
from spectralleader.moments.pair_operator import sum_in_basis
from spectralleader.spectral import cold, warm
from spectralleader.spectral.power import power_method, random_starts


def some_documents(n_docs=200, n_words=12):
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(n_words, 0.3), size=3)
    tokens = [rng.choice(n_words, size=n, p=topics[i % 3]) for i, n in enumerate([0, 1, 2, 7] * 50)]
    return Documents.from_tokens(tokens[:n_docs], n_words)


@pytest.mark.parametrize("n_docs", [1, 4, 200])
@pytest.mark.parametrize("n_topics", [1, 3])
def test_whitening_and_recovery_are_those_of_the_kernels(n_docs, n_topics):
    moments = ProjectedSums(np.linalg.qr(np.random.default_rng(1).random((12, 5)))[0])
    moments.update(some_documents(n_docs))
    W, A, T = cold.whiten(moments.sums, cold.measure_spectrum(moments.sums), n_topics)
    for found, meant in zip((W, A, T), warm.whiten(moments.sums, n_topics), strict=True):
        np.testing.assert_allclose(found, meant, rtol=1e-9, atol=1e-9 * np.abs(T).max(initial=1))
    k = len(A)
    lambdas, vectors = np.array([1.5, 0.0, -2.0])[:k], np.eye(3)[:k, :k]
    found, meant = ([np.empty(3), np.empty((3, 12))] for _ in range(2))
    clipped = cold.recover(moments.sums, W, lambdas, vectors, *found)
    np.testing.assert_allclose(clipped, warm.recover(moments.sums, W, lambdas, vectors, *meant))
    np.testing.assert_allclose(found[0], meant[0])
    np.testing.assert_allclose(found[1], meant[1], atol=1e-15)


def test_sums_in_a_basis_are_those_of_an_update():
    documents, basis = some_documents(), np.random.default_rng(1).random((12, 5))
    moments = ProjectedSums(basis)
    moments.update(documents)
    for found, meant in zip(sum_in_basis(documents, basis), moments.sums, strict=True):
        np.testing.assert_allclose(found, meant, atol=1e-12)


@pytest.mark.parametrize("k", [1, 3, 6])
def test_a_rough_decomposition_is_near_that_of_the_kernel(k):
    rng = np.random.default_rng(k)
    vectors = np.linalg.qr(rng.normal(size=(k, k)))[0]
    T = np.einsum("i,ia,ib,ic->abc", rng.uniform(1.0, 3.0, k), *[vectors] * 3)
    starts = random_starts(k + 1, 10, 0)  # of more directions than are left
    given = T.copy()
    for found, meant in zip(
        cold.decompose_roughly(T, starts), power_method(T, starts), strict=True
    ):
        np.testing.assert_allclose(found, meant, atol=1e-6)  # errors are squared ten times
    np.testing.assert_array_equal(T, given)


def test_nothing_is_found_in_a_tensor_of_zeros():
    values, vectors = cold.decompose_roughly(np.zeros((2, 2, 2)), random_starts(2, 3, 0))
    assert not values.any()
    assert np.isfinite(vectors).all()
