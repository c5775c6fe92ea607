"""Documents added to and taken out of sums, by entry and by word."""

import copy

import numpy as np
import pytest

from spectralleader import Documents
from spectralleader.documents.views import Scattered
from spectralleader.moments import ProjectedSums, exchange, product, sums
from tests.factories import documents


def summed(block, basis):
    total = ProjectedSums(basis)
    total.update(block)
    return total


@pytest.mark.parametrize(
    ("length", "weights", "counted"),
    [
        (0.0, (0, 0, 0), (0, 0, 0, 0)),
        (1.0, (1, 0, 0), (1, 1, 0, 0)),
        (2.0, (1 / 2, 1 / 2, 0), (2, 1, 1, 0)),
        (4.0, (1 / 4, 1 / 12, 1 / 24), (4, 1, 1, 1)),
    ],
)
def test_a_document_weighs_one_by_its_tuples_of_each_order(length, weights, counted):
    for sign in (1.0, -1.0):
        n = np.zeros(4)
        assert exchange.count_document(sign, length, n) == pytest.approx(sign * np.array(weights))
        assert n.tolist() == (sign * np.array(counted)).tolist()


@pytest.mark.parametrize("n_words", [5, 2 * exchange.CHUNK + 9])
def test_many_documents_are_exchanged_for_others(n_words):
    basis = np.random.default_rng(0).normal(size=(n_words, 3))
    rng = np.random.default_rng(1)
    a, b = (
        Documents.from_tokens(rng.integers(0, n_words, (2 * exchange.CHUNK, 4)), n_words)
        for _ in range(2)
    )
    total = summed(a, basis)
    total.exchange(Scattered.of(Documents.concatenate([b, a])), b.n_docs)
    assert total.n_tokens == b.lengths.sum()
    assert total.n_docs == (b.n_docs,) * 3
    # sums of a thousand numbers of size 1
    np.testing.assert_allclose(total.words, sums.sum_words(b), atol=1e-11)
    np.testing.assert_allclose(total.image, sums.multiply_pairs(b, basis), atol=1e-11)
    np.testing.assert_allclose(total.pairs, basis.T @ sums.multiply_pairs(b, basis), atol=1e-10)
    np.testing.assert_allclose(total.triples, sums.project_triples(b, basis), atol=1e-10)


def test_pairs_of_few_documents_over_many_words_are_multiplied_in_a_pass():
    block, Z = documents(3, 60), np.random.default_rng(0).normal(size=(60, 2))
    multiply = product.pairs_product(block.indptr, block.words, block.counts, block.lengths, 60)
    np.testing.assert_allclose(multiply(Z), sums.multiply_pairs(block, Z), atol=1e-12)


def test_sums_in_equal_bases_are_merged():
    basis, block = np.random.default_rng(0).normal(size=(5, 2)), documents(9, 5)
    total = summed(block, basis)
    total.merge(summed(block, basis.copy()))
    assert total.n_tokens == 2 * block.lengths.sum()


def test_room_for_words_is_doubled_only_when_it_is_used_up():
    total = summed(documents(9, 5), np.eye(5))
    before = total.basis
    for n_words in (4, 5):
        total.widen(n_words)
        assert total.basis is before
    total.widen(6)
    room = total.basis.base
    assert (total.basis.shape, len(room)) == ((6, 5), 12)
    total.widen(12)
    assert total.basis.base is room
    assert total.words.shape == (12,)
    total.widen(13)
    assert len(total.basis.base) == 26


def test_a_copy_that_widens_shares_nothing_with_the_original():
    total = summed(documents(9, 5), np.eye(5))
    total.widen(6)
    other = copy.deepcopy(total)
    other.widen(8)
    other.update(documents(9, 8))
    total.widen(8)
    np.testing.assert_allclose(total.words, np.pad(sums.sum_words(documents(9, 5)), (0, 3)))
    assert other.n_tokens > total.n_tokens
