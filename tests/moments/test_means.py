"""Mean moments: what they are divided by, and which form they have."""

import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator

from spectralleader import Documents
from spectralleader.moments import (
    EmpiricalMoments,
    PopulationMoments,
    ProjectedMoments,
    ProjectedSums,
    means,
)
from spectralleader.moments.sums import tuple_weights
from tests.factories import documents, model

BASIS = np.random.default_rng(0).normal(size=(5, 3))


def projected(block):
    """The mean moments of documents over 5 words, by sums in the basis of all words."""
    sums = ProjectedSums(np.eye(5))
    sums.update(block)
    return ProjectedMoments(sums)


@pytest.mark.parametrize("moments_of", [EmpiricalMoments, projected])
def test_the_means_over_one_document_are_its_own(moments_of):
    moments = moments_of(Documents.from_tokens([[0, 0, 1], []], n_words=5))
    np.testing.assert_allclose(moments.words, [2 / 3, 1 / 3, 0, 0, 0])
    np.testing.assert_allclose(moments.pairs[:2, :2], [[1 / 3, 1 / 3], [1 / 3, 0]])
    np.testing.assert_allclose(moments.triples(np.eye(5))[0, 0, 1], 1 / 3)


@pytest.mark.parametrize("moments_of", [EmpiricalMoments, projected])
def test_a_mean_is_over_the_documents_that_are_long_enough(moments_of):
    moments = moments_of(Documents.from_tokens([[0], [0, 1], [0, 1, 2], [1, 1, 1]], n_words=5))
    np.testing.assert_allclose(moments.words[1], (0 + 1 / 2 + 1 / 3 + 1) / 4)
    np.testing.assert_allclose(moments.pairs[0, 1], (1 / 2 + 1 / 6 + 0) / 3)
    np.testing.assert_allclose(moments.triples(np.eye(5))[0, 1, 2], (1 / 6 + 0) / 2)


def test_no_documents_have_means_of_zero():
    for moments in (EmpiricalMoments(Documents.empty(5)), projected(Documents.empty(5))):
        assert not moments.words.any()
        assert not moments.pairs.any()
        assert not moments.triples(BASIS).any()


def test_documents_too_short_for_a_tuple_weigh_nothing():
    block = Documents.from_tokens([[], [0], [0, 1], [0, 1, 2], [0, 0, 1, 2]], n_words=3)
    np.testing.assert_allclose(tuple_weights(block, 1), [0, 1, 1 / 2, 1 / 3, 1 / 4])
    np.testing.assert_allclose(tuple_weights(block, 2), [0, 0, 1 / 2, 1 / 6, 1 / 12])
    np.testing.assert_allclose(tuple_weights(block, 3), [0, 0, 0, 1 / 6, 1 / 24])


def test_pairs_are_a_matrix_up_to_the_limit_and_an_operator_beyond(monkeypatch):
    monkeypatch.setattr(means, "DENSE_LIMIT", 5)
    assert isinstance(EmpiricalMoments(documents(9, 5)).pairs, np.ndarray)
    assert isinstance(EmpiricalMoments(documents(9, 6)).pairs, LinearOperator)


def test_pairs_times_a_basis_are_a_product_of_matrices():
    for moments in (EmpiricalMoments(documents(9, 5)), PopulationMoments(model(3, 5))):
        product = moments.multiply_pairs(BASIS)
        assert product.shape == (5, 3)
        np.testing.assert_allclose(product, moments.pairs @ BASIS, rtol=1e-12)
