import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import Documents, Reservoir, Window
from spectralleader.moments.sums import sum_pairs, sum_words, tuple_weights
from spectralleader.samples.document_buffer import DocumentBuffer
from spectralleader.samples.subsamples import draw_tokens, subsample_tokens
from tests.factories import same_state


def long_documents(n_docs=12, n_words=400, *, seed=0):
    """Documents of 0 to 399 tokens, many of them with more different words than 10."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, n_words, n_docs)
    return Documents.from_tokens([rng.integers(0, n_words, n) for n in sizes], n_words)


@given(
    counts=st.lists(st.integers(1, 2**31), min_size=1, max_size=30),
    most=st.integers(3, 12),
    number=st.integers(0, 2**53),
)
def test_a_long_document_becomes_a_part_of_itself_and_a_short_one_stays(counts, most, number):
    matrix = np.array([counts, [3] + [0] * (len(counts) - 1)], float)
    block = Documents.from_matrix(matrix)
    part = subsample_tokens(block, np.array([number, 0]), most)
    assert part[1] == block[1]
    if len(counts) <= most:
        assert part is block
    else:
        assert part.lengths[0] == most
        assert (part.to_matrix().toarray() <= matrix).all()


def test_a_document_of_a_hundred_million_million_tokens_is_drawn_from_at_once():
    words, counts = np.arange(50_000, dtype=np.int32), np.full(50_000, 2.0**31)
    part, drawn = draw_tokens(words, counts, 256, number=0)
    assert drawn.sum() == 256
    assert (np.diff(part) > 0).all()


def test_the_moments_of_a_part_are_unbiased():
    # by the central limit theorem a mean over 4,000 parts is within 5 standard errors, but for one
    # in a million of the (here 20 + 210) numbers; the draws are fixed
    rng = np.random.default_rng(0)
    block = Documents.from_tokens([rng.choice(20, 60, p=np.arange(1, 21) / 210)], n_words=20)
    parts = Documents.concatenate(
        subsample_tokens(block, np.array([number]), most=8) for number in range(4000)
    )
    for tuples in (sum_words, sum_pairs):
        drawn = np.array([tuples(parts[i]) for i in range(0, 4000, 40)])
        error = 5 * drawn.std(axis=0) / np.sqrt(4000) + 1e-12
        assert (np.abs(tuples(parts) / 4000 - tuples(block)) < error + 1e-3).all()
    assert np.allclose(tuple_weights(parts, 3), 1 / (8 * 7 * 6))


@pytest.mark.parametrize("kind", [Reservoir, Window])
@given(seed=st.integers(0, 1000), size=st.integers(1, 12))
def test_the_parts_do_not_depend_on_how_the_stream_is_cut(kind, seed, size):
    stream = long_documents(seed=seed)
    a, b = (kind(5, n_words=400, budget=50) for _ in range(2))
    a.add(stream)
    for block in stream.blocks(size):
        b.add(block)
    assert same_state(a.to_state(), b.to_state())


@pytest.mark.parametrize("kind", [Reservoir, Window])
def test_the_budget_is_kept_and_entered_is_what_is_remembered(kind):
    sample = kind(5, n_words=400, budget=50)
    for block in long_documents(300).blocks(3):
        change = sample.add(block)
        assert (np.diff(change.entered.indptr) <= 10).all()
        assert len(sample.documents.words) <= 50
    assert len(sample._buffer._words) <= 1024


@pytest.mark.parametrize("kind", [Reservoir, Window])
def test_documents_that_fit_are_remembered_whole(kind):
    stream = long_documents(300)
    assert np.diff(stream.indptr).max() > 256
    tight, wide = kind(20, n_words=400, budget=20 * 400), kind(20, n_words=400, budget=10**9)
    tight.add(stream)
    wide.add(stream)
    assert tight.documents == wide.documents


@pytest.mark.parametrize("kind", [Reservoir, Window])
def test_the_default_is_1024_words_a_document(kind):
    assert kind(7, n_words=400).budget == 1024 * 7


@pytest.mark.parametrize("kind", [Reservoir, Window])
def test_a_budget_of_ones_own_is_kept_in_the_state_and_the_settings(kind):
    sample = kind.from_state(kind(7, budget=30).to_state())
    assert sample.budget == sample.settings["budget"] == 30


@pytest.mark.parametrize("kind", [Reservoir, Window])
@pytest.mark.parametrize("budget", [0, 20, -1, 2.5, "many", True, [100]])
def test_a_budget_too_small_for_triples_is_refused(kind, budget):
    with pytest.raises(ValueError, match="at least 3 for each of the capacity=7"):
        kind(7, budget=budget)


def test_no_token_is_drawn_twice():
    for number in range(20):
        words, counts = draw_tokens(np.arange(12, dtype=np.int32), np.ones(12), 11, number)
        assert (len(words), counts.tolist()) == (11, [1.0] * 11)


def test_a_block_without_long_documents_is_not_copied():
    block, rows = Documents.from_tokens([range(5), [1]], n_words=6), np.array([1, 0])
    same, same_rows = DocumentBuffer(6).shorten(block, rows, 0, 5)
    assert same is block
    assert same_rows is rows
    shorter, numbers = DocumentBuffer(6).shorten(block, rows, 0, 4)
    assert (shorter.lengths.tolist(), numbers.tolist()) == ([1.0, 4.0], [0, 1])


def test_a_document_of_just_as_many_words_keeps_all_its_tokens():
    block = Documents.from_matrix(np.array([[2, 3, 1, 0], [1, 1, 1, 1]]))
    found = subsample_tokens(block, np.arange(2), most=3)
    assert found[0] == block[0]
    assert found.lengths.tolist() == [6.0, 3.0]
