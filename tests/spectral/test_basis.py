"""The basis, and word scaling: the model is equivariant, only the noise is not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import Documents
from spectralleader.moments import population_sums
from spectralleader.moments.sums import sum_pairs
from spectralleader.spectral import basis, estimate
from spectralleader.spectral.basis import EXTRA, find_basis, scale_words
from spectralleader.spectral.block_krylov import top_subspace
from spectralleader.spectral.power import power_method, random_starts
from tests.factories import documents, model


@given(
    seed=st.integers(0, 30),
    logs=st.lists(st.floats(-3.0, 3.0), min_size=6, max_size=6),
)
def test_scaled_words_give_the_population_model_back_exactly(seed, logs):
    truth = model(3, 6, seed=seed)
    scaled = population_sums(truth, np.diag(np.exp(logs)))
    found = estimate(scaled, 3, power_method, random_starts(3, 10, 0)).model.aligned_to(truth)
    np.testing.assert_allclose(found.weights, truth.weights, atol=1e-6)
    np.testing.assert_allclose(found.topics, truth.topics, atol=1e-6)


def test_scales_fall_with_frequency_and_are_one_at_power_zero():
    block = documents(200, 6)
    counts = np.asarray(block.to_matrix().sum(axis=0)).ravel()
    scales = scale_words(block, 0.5)
    assert (np.diff(scales[np.argsort(counts)]) <= 0).all()
    np.testing.assert_array_equal(scale_words(block, 0.0), 1.0)


def test_a_scale_is_of_the_frequency_with_one_by_the_documents_for_a_floor():
    block = Documents.from_tokens([[0, 0, 1], [1]], n_words=3)
    np.testing.assert_allclose(scale_words(block, 2.0), [1.0, 1.0, 4.0])
    np.testing.assert_allclose(scale_words(Documents.from_tokens([[0]], 2), 1.0), [0.5, 1.0])
    np.testing.assert_array_equal(scale_words(Documents.empty(2), 1.0), 1.0)


def test_a_small_vocabulary_is_its_own_basis_and_so_are_few_words_of_a_large_one():
    few = documents(50, 11)
    assert find_basis(few, 3, 0).tolist() == np.eye(11).tolist()
    np.testing.assert_array_equal(find_basis(few, 3, 0, 0.5), np.diag(scale_words(few, 0.5)))
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


def test_rows_of_the_basis_are_scaled_and_words_never_seen_are_outside():
    block = documents(300, 40).widen(50)
    plain, scaled = find_basis(block, 3, 0), find_basis(block, 3, 0, scaling=0.5)
    assert plain.shape == scaled.shape == (50, 3 + EXTRA)
    assert (plain[40:] == 0).all()
    S = scale_words(block, 0.5)[:, None]
    _, vectors = np.linalg.eigh(S * sum_pairs(block) * S.T)
    top = vectors[:, : -1 - 3 - EXTRA : -1]
    np.testing.assert_allclose(np.abs(top.T @ (scaled / S)), np.eye(3 + EXTRA), atol=1e-9)
