"""Laws of sums in a basis, and kernels against their NumPy meaning."""

import numpy as np
import pytest
from hypothesis import given

from spectralleader import Documents
from spectralleader.documents import DocumentView
from spectralleader.moments import ProjectedSums, Sums, pair_operator, projected, sums
from tests.definitions import (
    multiply_pairs,
    pack,
    project_triples,
    square_pairs,
    unpack_pairs,
    unpack_squares,
    unpack_triples,
)
from tests.factories import blocks, documents

BASIS = np.random.default_rng(0).normal(size=(5, 3))


def summed(*parts, basis=BASIS):
    total = ProjectedSums(basis)
    for part in parts:
        total.update(part)
    return total


def assert_same(a, b):
    for name, x, y in zip(Sums._fields, a.sums, b.sums, strict=True):
        np.testing.assert_allclose(x, y, atol=1e-12, err_msg=name)


@given(blocks())
def test_sums_are_what_numpy_says(block):
    total = summed(block)
    lengths = block.lengths
    n_docs = [np.count_nonzero(lengths >= order) for order in (1, 2, 3)]
    assert total.sums.n.tolist() == [lengths.sum(), *n_docs]
    np.testing.assert_allclose(total.sums.words, sums.sum_words(block), atol=1e-12)
    np.testing.assert_allclose(total.sums.image, multiply_pairs(block, BASIS), atol=1e-12)
    pairs = BASIS.T @ multiply_pairs(block, BASIS)
    np.testing.assert_allclose(unpack_pairs(total.sums.upper), pairs, atol=1e-12)
    np.testing.assert_allclose(
        unpack_triples(total.sums.upper), project_triples(block, BASIS), atol=1e-12
    )
    squares = BASIS.T @ square_pairs(block) @ BASIS
    np.testing.assert_allclose(unpack_squares(total.sums.upper), squares, atol=1e-12)


@given(blocks(), blocks())
def test_two_updates_equal_one_of_both(a, b):
    assert_same(summed(a, b), summed(Documents.concatenate([a, b])))


@given(blocks(), blocks())
def test_subtracting_undoes_an_update(a, b):
    total = summed(a, b)
    total.exchange(DocumentView.of(b), 0)
    assert_same(total, summed(a))


@given(blocks(), blocks())
def test_adding_sums_equals_replay_and_commutes(a, b):
    ab, ba = summed(a), summed(b)
    ab.add(summed(b).sums[1:])
    ba.add(summed(a).sums[1:])
    assert_same(ab, summed(a, b))
    assert_same(ab, ba)


@given(blocks())
def test_zero_is_neutral(block):
    total = summed(block)
    total.add(ProjectedSums(BASIS).sums[1:])
    total.update(block[:0])
    assert_same(total, summed(block))


def test_another_vocabulary_is_refused_showing_both():
    with pytest.raises(ValueError, match="over 5 words, the documents over 6"):
        ProjectedSums(BASIS).update(documents())


@pytest.mark.parametrize("n_words", [12, 1000])  # the vocabulary is scanned, the entries sorted
def test_words_there_are_get_numbers_in_their_order(n_words):
    block = Documents.from_tokens([[7, 2, 2], [], [9, 2]], n_words=n_words)[[0, 2]]
    bounds = DocumentView.of(block).bounds
    places, known = projected.number_words(bounds, block.words, n_words)
    assert known.tolist() == [2, 7, 9]
    np.testing.assert_array_equal(known[places], block.words)


def test_more_rows_than_a_chunk_add_up():
    n_words = projected.CHUNK + 10
    basis = np.random.default_rng(0).normal(size=(n_words, 3))
    block = documents(2 * projected.CHUNK + 1, n_words)
    assert len(np.unique(block.words)) > projected.CHUNK
    expected = project_triples(block, basis)
    np.testing.assert_allclose(
        unpack_triples(summed(block, basis=basis).sums.upper), expected, atol=1e-10
    )


@given(blocks())
def test_the_kernel_multiplies_pairs_as_numpy_does(block):
    arrays = (block.indptr, block.words, block.counts, sums.tuple_weights(block, 2))
    for Z in (BASIS, np.random.default_rng(1).normal(size=(5, 4))):
        np.testing.assert_allclose(
            pair_operator.multiply_pairs(*arrays, Z),
            multiply_pairs(block, Z),
            atol=1e-12,
        )


@given(blocks())
def test_the_kernel_sums_pairs_as_numpy_does(block):
    arrays = (block.indptr, block.words, block.counts, block.lengths)
    np.testing.assert_allclose(
        pair_operator.sum_pairs(*arrays, block.n_words), sums.sum_pairs(block), atol=1e-12
    )


@pytest.mark.parametrize("n_docs", [1, 300])  # few documents are passed over, many summed first
def test_pairs_are_multiplied_alike_however_many_documents(n_docs):
    block = documents(n_docs, 5)
    multiply = pair_operator.pair_operator(block)
    np.testing.assert_allclose(multiply(BASIS), multiply_pairs(block, BASIS), atol=1e-12)


def test_pairs_and_triples_are_unpacked_as_they_were_packed():
    block = documents(50, 5)
    pairs, triples = sums.sum_pairs(block), project_triples(block, np.eye(5))
    packed = pack(pairs, triples)
    np.testing.assert_allclose(unpack_pairs(packed), pairs, atol=1e-14)
    np.testing.assert_allclose(unpack_triples(packed), triples, atol=1e-14)


def test_words_that_come_later_are_outside_the_basis():
    rng = np.random.default_rng(0)
    basis = np.linalg.qr(rng.standard_normal((6, 3)))[0]
    block, wider = documents(20, 6), documents(20, 8, seed=1)
    grown, told = ProjectedSums(basis), ProjectedSums(np.pad(basis, ((0, 2), (0, 0))))
    grown.update(block)
    grown.widen(8)
    grown.update(wider)
    told.update(block.widen(8))
    told.update(wider)
    assert_same(grown, told)


@given(blocks(), blocks(), blocks())
def test_an_exchange_adds_and_subtracts(a, b, c):
    total = summed(a, b)
    total.exchange(DocumentView.of(Documents.concatenate([c, b])), c.n_docs)
    assert_same(total, summed(a, c))


@given(blocks())
def test_sums_without_a_kernel_of_their_own_are_those_of_an_update(block):
    found = pair_operator.sum_in_basis(block, BASIS)
    for name, x, y in zip(Sums._fields, found, summed(block).sums, strict=True):
        np.testing.assert_allclose(x, y, atol=1e-12, err_msg=name)


def test_squares_are_added_in_chunks(monkeypatch):
    block = documents(50, 5, seed=1)
    monkeypatch.setattr(pair_operator, "CHUNK", 7)
    found = pair_operator.sum_in_basis(block, BASIS)
    np.testing.assert_allclose(found.upper, summed(block).sums.upper, atol=1e-12)


@given(blocks())
def test_counts_are_multiplied_as_a_matrix(block):
    expected = block.to_matrix().toarray() @ BASIS
    np.testing.assert_allclose(sums.multiply(block, BASIS), expected, atol=1e-12)
