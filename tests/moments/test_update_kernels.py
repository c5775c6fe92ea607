"""Documents added to sums and subtracted from them, by hand."""

import copy

import numpy as np
import pytest

from spectralleader import Documents
from spectralleader.documents import DocumentView
from spectralleader.moments import ProjectedSums, sums
from spectralleader.moments.pair_operator import pair_operator
from spectralleader.moments.projected import CHUNK, _count_document
from tests.definitions import multiply_pairs, project_triples, unpack_pairs, unpack_triples
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
        assert _count_document(sign, length, n) == pytest.approx(sign * np.array(weights))
        assert n.tolist() == (sign * np.array(counted)).tolist()


@pytest.mark.parametrize("n_words", [5, 2 * CHUNK + 9])
def test_many_documents_are_exchanged_for_others(n_words):
    basis = np.random.default_rng(0).normal(size=(n_words, 3))
    rng = np.random.default_rng(1)
    a, b = (
        Documents.from_tokens(rng.integers(0, n_words, (2 * CHUNK, 4)), n_words) for _ in range(2)
    )
    total = summed(a, basis)
    total.exchange(DocumentView.of(Documents.concatenate([b, a])), b.n_docs)
    assert total.sums.n[0] == b.lengths.sum()
    assert total.sums.n[1:].tolist() == [b.n_docs] * 3
    # sums of a thousand numbers of size 1
    np.testing.assert_allclose(total.sums.words, sums.sum_words(b), atol=1e-11)
    np.testing.assert_allclose(total.sums.image, multiply_pairs(b, basis), atol=1e-11)
    np.testing.assert_allclose(
        unpack_pairs(total.sums.upper), basis.T @ multiply_pairs(b, basis), atol=1e-10
    )
    np.testing.assert_allclose(
        unpack_triples(total.sums.upper), project_triples(b, basis), atol=1e-10
    )


def test_pairs_of_few_documents_over_many_words_are_multiplied_in_a_pass():
    block, Z = documents(3, 60), np.random.default_rng(0).normal(size=(60, 2))
    multiply = pair_operator(block, block.words, 60)
    np.testing.assert_allclose(multiply(Z), multiply_pairs(block, Z), atol=1e-12)


def test_words_can_go_by_other_ids():
    block, Z = documents(3, 60), np.random.default_rng(0).normal(size=(60, 2))
    multiply = pair_operator(block, 59 - block.words, 60)
    np.testing.assert_allclose(multiply(Z), multiply_pairs(block, Z[::-1])[::-1], atol=1e-12)


def test_room_for_words_is_doubled_only_when_it_is_used_up():
    total = summed(documents(9, 5), np.eye(5))
    before = total.sums.basis
    for n_words in (4, 5):
        total.widen(n_words)
        assert total.sums.basis is before
    total.widen(6)
    room = total.sums.basis.base
    assert (total.sums.basis.shape, len(room)) == ((6, 5), 12)
    total.widen(12)
    assert total.sums.basis.base is room
    assert total.sums.words.shape == (12,)
    total.widen(13)
    assert len(total.sums.basis.base) == 26


def test_a_copy_that_widens_shares_nothing_with_the_original():
    total = summed(documents(9, 5), np.eye(5))
    total.widen(6)
    other = copy.deepcopy(total)
    other.widen(8)
    other.update(documents(9, 8))
    total.widen(8)
    np.testing.assert_allclose(total.sums.words, np.pad(sums.sum_words(documents(9, 5)), (0, 3)))
    assert other.sums.n[0] > total.sums.n[0]


def means(block):
    """The mean moments of documents over 5 words."""
    total = summed(block, np.eye(5))
    n = np.maximum(total.sums.n, 1.0)
    return (
        total.sums.words / n[1],
        unpack_pairs(total.sums.upper) / n[2],
        unpack_triples(total.sums.upper) / n[3],
    )


def test_the_means_over_one_document_are_its_own():
    words, pairs, triples = means(Documents.from_tokens([[0, 0, 1], []], n_words=5))
    np.testing.assert_allclose(words, [2 / 3, 1 / 3, 0, 0, 0])
    np.testing.assert_allclose(pairs[:2, :2], [[1 / 3, 1 / 3], [1 / 3, 0]])
    np.testing.assert_allclose(triples[0, 0, 1], 1 / 3)


def test_a_mean_is_over_the_documents_that_are_long_enough():
    tokens = [[0], [0, 1], [0, 1, 2], [1, 1, 1]]
    words, pairs, triples = means(Documents.from_tokens(tokens, n_words=5))
    np.testing.assert_allclose(words[1], (0 + 1 / 2 + 1 / 3 + 1) / 4)
    np.testing.assert_allclose(pairs[0, 1], (1 / 2 + 1 / 6 + 0) / 3)
    np.testing.assert_allclose(triples[0, 1, 2], (1 / 6 + 0) / 2, rtol=1e-12)


def test_documents_too_short_for_a_tuple_weigh_nothing():
    block = Documents.from_tokens([[], [0], [0, 1], [0, 1, 2], [0, 0, 1, 2]], n_words=3)
    np.testing.assert_allclose(sums.tuple_weights(block, 1), [0, 1, 1 / 2, 1 / 3, 1 / 4])
    np.testing.assert_allclose(sums.tuple_weights(block, 2), [0, 0, 1 / 2, 1 / 6, 1 / 12])
    np.testing.assert_allclose(sums.tuple_weights(block, 3), [0, 0, 0, 1 / 6, 1 / 24])
