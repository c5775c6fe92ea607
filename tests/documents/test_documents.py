import pickle
import re
from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import Documents
from spectralleader.documents.recoding import check_recoding, move_rows
from tests.factories import blocks, documents, token_lists


@given(token_lists())
def test_tokens_and_their_counts_make_the_same_block(tokens):
    counts = np.zeros((len(tokens), 5))
    for row, ids in enumerate(tokens):
        np.add.at(counts[row], ids, 1)
    block = Documents.from_tokens(tokens, n_words=5)
    assert block == Documents.from_matrix(counts) == Documents.from_matrix(sp.coo_array(counts))
    np.testing.assert_array_equal(block.to_matrix().toarray(), counts)
    np.testing.assert_array_equal(block.lengths, [len(ids) for ids in tokens])


@given(blocks(), st.integers(1, 5))
def test_blocks_joined_again_are_the_whole(block, size):
    parts = list(block.blocks(size))
    assert all(part.n_docs <= size for part in parts)
    assert Documents.concatenate([block[:0], *parts]) == block


@given(blocks(), st.data())
def test_selecting_documents_selects_rows(block, data):
    rows = data.draw(st.lists(st.integers(0, max(block.n_docs - 1, 0)), max_size=6))
    rows = rows if block.n_docs else []
    selected = block[np.array(rows, np.int64)]
    np.testing.assert_array_equal(
        selected.to_matrix().toarray(), block.to_matrix().toarray()[np.array(rows, np.int64)]
    )


def test_a_slice_a_mask_and_a_number_select_alike():
    block = documents(10)
    mask = np.arange(10) == 3
    assert block[3:4] == block[mask] == block[3] == block[-7] == block[[3]]
    assert block[2:9:3] == block[[2, 5, 8]]
    assert block[2:9:2] == block[[2, 4, 6, 8]]
    assert block[5:2].n_docs == 0
    with pytest.raises(IndexError):
        block[10]


def test_a_block_cannot_be_changed():
    block = documents()
    with pytest.raises(AttributeError, match="immutable"):
        block.n_words = 3
    for array in (block.counts, block.words, block.indptr):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_the_callers_matrix_is_not_touched():
    dense = np.array([[1.0, 0.0], [2.0, 1.0]])
    sparse = sp.csr_array(dense)
    block = Documents.from_matrix(sparse)
    sparse.data[:] = 7  # still writable, and not ours
    assert block.counts.tolist() == [1, 2, 1]
    assert Documents.from_matrix(dense).counts.tolist() == [1, 2, 1]
    repeated = sp.csr_array(([1.0, 2.0], [0, 0], [0, 2]), shape=(1, 1))
    assert Documents.from_matrix(repeated).counts.tolist() == [3]
    assert repeated.data.tolist() == [1, 2]


@pytest.mark.parametrize("bad", [-1, 0.5, np.nan, np.inf, 2.0**60])
@pytest.mark.parametrize("form", [np.array, sp.csr_array])
def test_a_bad_count_names_its_document(bad, form):
    with pytest.raises(ValueError, match=r"document 1 has the count .*integers"):
        Documents.from_matrix(form([[1.0, 0.0], [0.0, bad], [bad, 0.0]]))


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.ones(3), "1 dimension"),
        (np.ones((2, 2, 2)), "3 dimension"),
        (np.array([["a", "b"]]), "must be numbers"),
        (np.zeros((2, 0)), "n_words must be from 1"),
    ],
)
def test_a_wrong_shape_or_type_is_refused(matrix, message):
    with pytest.raises(ValueError, match=message):
        Documents.from_matrix(matrix)


def test_masked_counts_are_refused_because_the_mask_would_be_ignored():
    masked = np.ma.masked_equal([[1, 2], [0, 1]], 2)
    sparse, triplets = sp.csr_array([[1, 2]]), sp.coo_array([[1, 2]])
    sparse.data = triplets.data = np.ma.masked_equal([1, 2], 2)
    for counts in (masked, [masked[0], [0, 1]], sparse, triplets):
        with pytest.raises(ValueError, match="masked"):
            Documents.from_matrix(counts)
    with pytest.raises(ValueError, match="masked"):
        Documents.from_tokens([masked[0]], n_words=3)
    with pytest.raises(ValueError, match="masked"):
        Documents([0, 1], [0], np.ma.masked_equal([2], 2), 3)
    # Nothing is lost without masked entries.
    assert Documents.from_matrix(np.ma.array([[1, 2]])) == Documents.from_matrix([[1, 2]])


@pytest.mark.parametrize(
    ("ids", "bad"), [([5], 5), ([-1], -1), ([0, 99], 99), ([0, -1], -1), ([1, 0, 5], 5)]
)
def test_an_id_outside_the_vocabulary_names_its_document(ids, bad):
    with pytest.raises(ValueError, match=rf"document 1 has the word id {bad}, .* 5 words"):
        Documents.from_tokens([[0], ids], n_words=5)


def test_ids_that_are_not_whole_are_refused():
    with pytest.raises(ValueError, match="document 0 must be a sequence of integer word ids"):
        Documents.from_tokens([[0.5]], n_words=5)


@pytest.mark.parametrize("n_words", [0, -1, 2.5, "3", True, 2**31])
def test_a_vocabulary_size_must_be_a_whole_number(n_words):
    with pytest.raises(ValueError, match="n_words must be"):
        Documents.from_tokens([], n_words=n_words)


def test_counts_up_to_2_to_the_31_are_exact():
    block = Documents.from_matrix([[2**31, 1]])
    assert block.lengths[0] == 2**31 + 1


def test_lengths_are_exact_beside_a_huge_document():
    block = Documents.from_matrix([[2**53 - 1, 0], [1, 1], [1, 0]])
    assert block.lengths.tolist() == [2**53 - 1, 2, 1]
    with pytest.raises(ValueError, match=r"document 1 has .* words"):
        Documents.from_matrix([[1, 1], [2**53 - 1, 2**53 - 1]])
    with pytest.raises(ValueError, match=r"document 1 has .* words"):
        Documents.from_matrix([[1, 1], [2**53 - 1, 1]])
    with pytest.raises(ValueError, match=r"document 0 has the count"):
        Documents.from_matrix([[2**53, 0]])


def test_blocks_over_other_vocabularies_are_not_joined():
    with pytest.raises(ValueError, match=r"different vocabulary sizes: \[5, 6\]"):
        Documents.concatenate([Documents.empty(5), Documents.empty(6)])
    with pytest.raises(ValueError, match="at least one block"):
        Documents.concatenate([])


@given(blocks(), st.permutations(range(7)), st.lists(st.integers(0, 4), max_size=4))
def test_recoding_moves_and_drops_columns(block, order, dropped):
    ids = np.array(order[:5])
    ids[dropped] = -1
    counts = np.zeros((block.n_docs, 7))
    counts[:, ids[ids >= 0]] = block.to_matrix().toarray()[:, ids >= 0]
    assert block.recode(ids, 7) == Documents.from_matrix(counts)


def test_widening_shares_the_arrays():
    block = documents(10, 6)
    wide = block.widen(9)
    assert wide.n_words == 9
    assert wide.words is block.words
    assert wide.counts is block.counts
    assert wide == block.recode(None, 9) == block.recode(np.arange(6), 9)
    assert block.widen(6) is block
    with pytest.raises(ValueError, match="over 6 words cannot be widened to 5"):
        block.widen(5)


@pytest.mark.parametrize(
    ("ids", "n_words", "message"),
    [
        ([0], 2, "2 integers, one for each word"),
        ([0.5, 1.0], 2, "dtype float64"),
        ([0, 2], 2, "word id 2, outside the 2 words"),
        ([0, -2], 2, "word id -2"),
        ([1, 1], 2, "word id 1 to 2 words"),
        ([0, 0], 2, "word id 0 to 2 words"),
        ([-1, 2], 2, "word id 2, outside the 2 words"),
        ([0, 1], 0, "n_words must be from 1"),
    ],
)
def test_a_bad_recoding_is_refused(ids, n_words, message):
    with pytest.raises(ValueError, match=message):
        Documents.from_tokens([[0, 1]], n_words=2).recode(ids, n_words)


def test_blocks_of_no_size_are_refused():
    with pytest.raises(ValueError, match="at least 1"):
        next(documents().blocks(0))


def test_state_gives_the_block_back():
    block = documents()
    assert Documents.from_state(block.to_state()) == block
    assert block != "something else"
    assert pickle.loads(pickle.dumps(block)) == block
    assert repr(block) == "Documents(n_docs=30, n_words=6)"
    assert len(block) == 30


@given(token_lists())
def test_a_bag_of_words_corpus_converts_there_and_back(tokens):
    block = Documents.from_tokens(tokens, n_words=5)
    corpus = block.to_bow()
    assert corpus == [sorted(Counter(document).items()) for document in tokens]
    assert Documents.from_bow(iter(corpus), n_words=5) == block
    assert Documents.from_bow([reversed(pairs) for pairs in corpus], n_words=5) == block


def test_the_number_of_words_of_a_bag_of_words_is_the_largest_id_and_1():
    block = Documents.from_bow(iter([[(0, 2), (4, 1)], [], [(2, 1)]]))
    assert block == Documents.from_bow([[(0, 2), (4, 1)], [], [(2, 1)]], n_words=5)
    assert Documents.from_bow([[], []]) == Documents.from_bow([[], []], n_words=1)
    with pytest.raises(ValueError, match="document 1 has the word id 2147483648"):
        Documents.from_bow([[(0, 1)], [(2**31, 1)]])


def test_pairs_of_one_word_are_added_and_zeros_dropped():
    block = Documents.from_bow([[(1, 2), (0, 0), (1, np.float64(1.0))]], n_words=2)
    assert block.to_bow() == [[(1, 3)]]


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        ([[(0, 1)], [(3, 1)]], "document 1 has the word id 3, outside the vocabulary of 3 words"),
        ([[(-1, 1)]], "document 0 has the word id -1"),
        ([[(0.5, 1)]], "document 0 must be (word id, count) pairs"),
        ([[(0, 1)], [0, 1]], "document 1 must be (word id, count) pairs"),
        ([[(0, 1)], [(0, 1.5)]], "document 1 has the count 1.5"),
        ([[(0, "many")]], "document 0 must be (word id, count) pairs"),
        ([[(2**70, 1)]], "document 0 must be (word id, count) pairs"),
    ],
)
def test_a_bad_bag_of_words_is_named(corpus, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Documents.from_bow(corpus, n_words=3)


def test_arrays_are_checked_copied_and_put_in_order():
    indptr, words, counts = np.array([0, 3, 3]), np.array([2, 0, 2]), np.array([1.0, 2.0, 3.0])
    block = Documents(indptr, words, counts, 4)
    assert block.to_matrix().toarray().tolist() == [[2, 0, 4, 0], [0, 0, 0, 0]]
    counts[:] = 7.0
    assert block.counts.tolist() == [2.0, 4.0]


@pytest.mark.parametrize(
    ("arrays", "n_words", "message"),
    [
        (([0, 1], [5], [1.0]), 3, "indices"),
        (([0, 1], [-1], [1.0]), 3, "indices"),
        (([0, 2], [1], [1.0]), 3, "indices|size|last"),
        (([1, 1], [1], [1.0]), 3, "0"),
        (([0, 1], [0.5], [1.0]), 3, "integers"),
        (([0, 1], [1], [0.5]), 3, "document 0 has the count 0.5"),
        (([0, 1], [1], [1.0]), 0, "n_words"),
    ],
)
def test_arrays_that_are_no_documents_are_refused(arrays, n_words, message):
    with pytest.raises(ValueError, match=message):
        Documents(*arrays, n_words)


def test_a_selection_of_neighbours_shares_memory():
    block = Documents.from_tokens([[i, 9] for i in range(10)], n_words=10)
    for part in (block[2:5], block[2:5:1], block[3], block[0], block[-7], block[-10]):
        assert np.shares_memory(part.words, block.words)
        assert np.shares_memory(part.counts, block.counts)
    assert np.shares_memory(block.as_floats().data, block.counts)
    assert Documents.concatenate([block]) is block


def test_lengths_are_computed_once():
    block = documents(10)
    assert block.lengths is block.lengths
    assert block.widen(9).lengths is block.lengths


@pytest.mark.parametrize("n_words", [1, 2**31 - 1])
def test_no_documents_may_be_over_one_word_or_over_the_most(n_words):
    block = Documents.empty(n_words)
    assert (block.n_docs, block.n_words) == (0, n_words)
    assert block.indptr.tolist() == [0]
    assert block.words.shape == block.counts.shape == (0,)
    assert Documents.from_state(block.to_state()) == block


def test_blocks_are_equal_only_if_everything_is():
    block = Documents.from_tokens([[0, 1], [2]], n_words=3)
    assert block == Documents.from_words(np.array([1, 0, 2]), np.array([2, 1]), 3)
    assert block != Documents.from_tokens([[0, 1], [2]], n_words=4)
    assert block != Documents.from_tokens([[0], [1, 2]], n_words=3)
    assert block != Documents.from_tokens([[0, 2], [2]], n_words=3)
    assert block != Documents.from_tokens([[0, 1], [2, 2]], n_words=3)
    assert (block.__eq__("something else")) is NotImplemented


def test_words_that_keep_their_numbers_need_no_recoding():
    assert check_recoding(None, 3, 3) == (None, 3)
    assert check_recoding(np.arange(3), 3, 5) == (None, 5)
    assert check_recoding([1, 0], 2, 2)[0].tolist() == [1, 0]
    with pytest.raises(ValueError, match="word id 5, outside the 5 words"):
        check_recoding(None, 6, 5)


@pytest.mark.parametrize("shape", [(3,), (3, 2)])
def test_rows_move_to_the_new_numbers_of_their_words(shape):
    rows = 1.0 + np.arange(np.prod(shape)).reshape(shape)
    nothing = np.zeros(shape[1:])
    np.testing.assert_array_equal(move_rows(rows, None, 4), [*rows, nothing])
    moved = move_rows(rows, np.array([2, -1, 0]), 4)
    np.testing.assert_array_equal(moved, [rows[2], nothing, rows[0], nothing])
