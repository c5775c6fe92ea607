import numpy as np
import scipy.linalg

from spectralleader import Documents, SpectralLeader
from spectralleader.spectral import whitening


def test_eigenpairs_are_found_where_many_are_alike():
    rng = np.random.default_rng(0)
    words = rng.zipf(1.3, size=(10, 20)) % 100_000
    leader = SpectralLeader(50, n_words=100_000)
    leader.learn(Documents.from_tokens(list(words), n_words=100_000))
    assert np.isfinite(leader.model.topics).all()


def test_eigenpairs_are_the_same_where_a_search_for_some_fails(monkeypatch):
    pairs = np.cov(np.random.default_rng(0).normal(size=(40, 200)))
    expected = whitening.top_eigenpairs(pairs, 5)

    def fail_for_some(matrix, **options):
        if "subset_by_index" in options:
            raise np.linalg.LinAlgError("Internal Error.")
        return scipy.linalg.eigh(matrix, **options)

    monkeypatch.setattr(whitening, "eigh", fail_for_some)
    values, vectors = whitening.top_eigenpairs(pairs, 5)
    np.testing.assert_allclose(values, expected[0], rtol=1e-10)
    np.testing.assert_allclose(np.abs(np.sum(vectors * expected[1], axis=0)), 1.0, rtol=1e-10)
