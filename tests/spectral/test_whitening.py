import numpy as np
import pytest

from spectralleader import Documents, SpectralLeader
from spectralleader.moments import ProjectedSums, Sums, sums
from spectralleader.moments.sums import pack
from spectralleader.spectral.whitening import whiten, whiten_triples
from tests.factories import documents


def test_eigenpairs_are_found_where_many_are_alike():
    rng = np.random.default_rng(0)
    words = rng.zipf(1.3, size=(10, 20)) % 100_000
    leader = SpectralLeader(50, n_words=100_000)
    leader.learn(Documents.from_tokens(list(words), n_words=100_000))
    assert np.isfinite(leader.model.topics).all()


def in_basis(pairs):
    """Sums with these pairs, and no triples."""
    r = len(pairs)
    upper = pack(pairs, np.zeros((r, r, r)))
    return Sums(np.eye(r), np.ones(4), np.ones(r), pairs, upper)


def test_negative_eigenvalues_are_not_usable():
    W, A, T = whiten(in_basis(np.diag([0.5, -0.9, 0.2])), 3)
    np.testing.assert_allclose(A, [0.5, 0.2])
    np.testing.assert_allclose(W, [[0.5**-0.5, 0], [0, 0], [0, 0.2**-0.5]], atol=1e-15)
    assert T.shape == (2, 2, 2)


@pytest.mark.parametrize("matrix", [np.zeros((3, 3)), -np.eye(3)])
def test_no_positive_eigenvalue_means_no_direction(matrix):
    assert whiten(in_basis(matrix), 2)[0].shape == (3, 0)


def test_triples_are_whitened_as_numpy_does():
    block, rng = documents(50, 5), np.random.default_rng(0)
    projected, W = ProjectedSums(np.eye(5)), rng.normal(size=(5, 3))
    projected.update(block)
    n_triples = np.count_nonzero(block.lengths >= 3)
    expected = sums.project_triples(block, W) / n_triples
    np.testing.assert_allclose(whiten_triples(projected.sums, W), expected, atol=1e-12)
