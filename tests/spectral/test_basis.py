"""The basis: the top eigenspace of the pairs, in which the model is found."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import Documents
from spectralleader.learners.spectral_leader.spectral_leader import in_order
from spectralleader.moments.sums import sum_pairs
from spectralleader.spectral import basis, estimate
from spectralleader.spectral.basis import EXTRA, find_basis
from spectralleader.spectral.block_krylov import top_subspace
from spectralleader.spectral.power import power_method, random_starts
from tests.definitions import population_sums
from tests.factories import documents, model


@given(
    seed=st.integers(0, 30),
    logs=st.lists(st.floats(-3.0, 3.0), min_size=6, max_size=6),
)
def test_scaled_words_give_the_population_model_back_exactly(seed, logs):
    truth = model(3, 6, seed=seed)
    scaled = population_sums(truth, np.diag(np.exp(logs)))
    found = in_order(estimate(scaled, 3, power_method, random_starts(3, 10, 0)).model, truth)
    np.testing.assert_allclose(found.weights, truth.weights, atol=1e-6)
    np.testing.assert_allclose(found.topics, truth.topics, atol=1e-6)


def test_a_small_vocabulary_is_its_own_basis_and_so_are_few_words_of_a_large_one():
    few = documents(50, 11)
    assert find_basis(few, 3, 0).tolist() == np.eye(11).tolist()
    assert find_basis(few.widen(50), 3, 0).tolist() == np.eye(50)[:, np.unique(few.words)].tolist()
    many = Documents.from_tokens([[*range(12), w] for w in range(12)], n_words=12)
    for n_words in (12, 50):
        assert find_basis(many.widen(n_words), 3, 0).shape == (n_words, 3 + EXTRA)


def test_directions_are_signed_so_that_the_largest_entry_is_positive():
    found = find_basis(documents(300, 40), 3, 0)
    assert (found.max(axis=0) == np.abs(found).max(axis=0)).all()


@pytest.mark.parametrize(("n_docs", "n_columns"), [(49, 12), (50, 8)])
def test_many_documents_are_searched_by_half_as_many_columns(monkeypatch, n_docs, n_columns):
    starts = []

    def search(multiply, start, **wanted):
        starts.append(start)
        return top_subspace(multiply, start, **wanted)

    monkeypatch.setattr(basis, "MANY", 50)
    monkeypatch.setattr(basis, "top_subspace", search)
    find_basis(documents(n_docs, 40), 9, 0)  # 9 and 5, rounded up to a multiple of 4
    assert starts[0].shape[1] == n_columns
    assert starts[0].min() < 0 < starts[0].max()


def test_the_basis_is_the_top_eigenspace_and_words_never_seen_are_outside():
    block = documents(300, 40).widen(50)
    basis = find_basis(block, 3, 0)
    assert basis.shape == (50, 3 + EXTRA)
    assert (basis[40:] == 0).all()
    _, vectors = np.linalg.eigh(sum_pairs(block))
    top = vectors[:, : -1 - 3 - EXTRA : -1]
    np.testing.assert_allclose(np.abs(top.T @ basis), np.eye(3 + EXTRA), atol=1e-9)
