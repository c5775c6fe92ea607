import numpy as np
import pytest

from spectralleader import Documents, SpectralLeader
from spectralleader.moments import ProjectedSums, Sums
from spectralleader.spectral.warm import whiten, whiten_triples
from tests.definitions import pack, project_triples
from tests.factories import documents


def test_eigenpairs_are_found_where_many_are_alike():
    rng = np.random.default_rng(0)
    words = rng.zipf(1.3, size=(10, 20)) % 100_000
    leader = SpectralLeader(50, n_words=100_000)
    leader.learn(Documents.from_tokens(list(words), n_words=100_000))
    assert np.isfinite(leader.model.topics).all()


def in_basis(pairs, n=1):
    """Sums with these pairs for mean over n documents, and no triples."""
    r = len(pairs)
    upper = pack(n * pairs, np.zeros((r, r, r)))
    return Sums(np.eye(r), np.array([2 * n, n, n, 0.0]), np.ones(r), n * pairs, upper)


def test_negative_eigenvalues_are_not_usable():
    W, A, T = whiten(in_basis(np.diag([0.5, -0.9, 0.2])), 3)
    np.testing.assert_allclose(A, [0.5, 0.2])
    np.testing.assert_allclose(W, [[0.5**-0.5, 0], [0, 0], [0, 0.2**-0.5]], atol=1e-15)
    assert T.shape == (2, 2, 2)


def test_what_is_rounding_is_judged_beside_the_largest_eigenvalue():
    _, A, _ = whiten(in_basis(np.diag([1e-6, 1e-12, 1e-17])), 3)
    np.testing.assert_allclose(A, [1e-6, 1e-12])


@pytest.mark.parametrize("n", [1, 2, 4])
def test_pairs_are_means_over_the_documents_that_have_some(n):
    np.testing.assert_allclose(whiten(in_basis(np.diag([0.5, 0.2]), n), 2)[1], [0.5, 0.2])


def test_the_first_of_the_largest_entries_of_a_direction_is_positive():
    for sign in (1.0, -1.0):
        vector = sign * np.array([-0.3, 0.6, -0.6, 0.1])
        W, _, _ = whiten(in_basis(np.outer(vector, vector)), 1)
        np.testing.assert_allclose(W[:, 0], np.array([-0.3, 0.6, -0.6, 0.1]) / (vector @ vector))


@pytest.mark.parametrize("matrix", [np.zeros((3, 3)), -np.eye(3)])
def test_no_positive_eigenvalue_means_no_direction(matrix):
    assert whiten(in_basis(matrix), 2)[0].shape == (3, 0)


def test_triples_are_whitened_as_numpy_does():
    block, rng = documents(50, 5), np.random.default_rng(0)
    projected, W = ProjectedSums(np.eye(5)), rng.normal(size=(5, 3))
    projected.update(block)
    n_triples = np.count_nonzero(block.lengths >= 3)
    expected = project_triples(block, W) / n_triples
    np.testing.assert_allclose(whiten_triples(projected.sums, W), expected, atol=1e-12)
