"""Laws that every sample keeps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import Documents
from spectralleader.samples import SAMPLES, read_sample
from tests.factories import blocks, same_state

CAPACITY = 7


def make(kind):
    cls = SAMPLES[kind]
    return cls(n_words=5) if kind == "everything" else cls(CAPACITY, n_words=5)


def bag(block):
    """The documents of a block in any order."""
    return sorted(map(tuple, block.to_matrix().toarray().tolist()))


@pytest.fixture(params=sorted(SAMPLES), scope="module")
def kind(request):
    return request.param


@given(stream=st.lists(blocks(), max_size=6))
def test_entered_and_left_tell_what_is_remembered(kind, stream):
    sample = make(kind)
    remembered = []
    for block in stream:
        change = sample.add(block)
        remembered = sorted(remembered + bag(change.entered))
        for document in bag(change.left):
            remembered.remove(document)
        assert bag(sample.documents) == remembered
        assert len(sample) == sample.documents.n_docs == len(remembered)


@given(stream=st.lists(blocks(), max_size=6))
def test_the_capacity_is_kept_and_used(kind, stream):
    sample = make(kind)
    for block in stream:
        sample.add(block)
    n_seen = sum(block.n_docs for block in stream)
    assert sample.n_seen == n_seen
    assert len(sample) == (n_seen if kind == "everything" else min(n_seen, CAPACITY))


@given(stream=st.lists(blocks(), min_size=1, max_size=6), size=st.integers(1, 9))
def test_the_sample_does_not_depend_on_how_the_stream_is_cut(kind, stream, size):
    whole = Documents.concatenate(stream)
    a, b = make(kind), make(kind)
    a.add(whole)
    for block in whole.blocks(size):
        b.add(block)
    assert a.documents == b.documents


@given(before=st.lists(blocks(), max_size=4), after=st.lists(blocks(), max_size=4))
def test_save_load_continue_equals_never_stopped(kind, before, after):
    sample = make(kind)
    for block in before:
        sample.add(block)
    loaded = read_sample({"sample": sample.to_state()}, "sample")
    for block in after:
        assert same_state(sample.add(block).left.to_state(), loaded.add(block).left.to_state())
    assert same_state(sample.to_state(), loaded.to_state())


def test_an_empty_block_changes_nothing(kind):
    sample = make(kind)
    sample.add(Documents.from_tokens([[0], [1, 1]], n_words=5))
    before = sample.to_state()
    assert sample.add(Documents.empty(5)).n_docs == 0
    assert same_state(before, sample.to_state())


@pytest.mark.parametrize("kind_with_capacity", ["reservoir", "window"])
@pytest.mark.parametrize("capacity", [0, 2.5, True, "many"])
def test_a_capacity_below_one_or_not_whole_is_refused(kind_with_capacity, capacity):
    with pytest.raises(ValueError, match="capacity must be an integer of at least 1"):
        SAMPLES[kind_with_capacity](capacity, n_words=5)


def test_memory_stays_near_what_is_remembered(kind):
    if kind == "everything":
        pytest.skip("everything grows with the stream, and says so")
    sample = make(kind)
    rng = np.random.default_rng(0)
    for _ in range(500):
        sample.add(Documents.from_tokens(rng.integers(0, 5, (3, 40)), n_words=5))
    live = len(sample.documents.words)
    assert len(sample._buffer._words) <= max(1024, 4 * live)
    assert len(sample._buffer._bounds) == 64
