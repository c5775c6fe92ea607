import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import Documents, Everything, Reservoir, Window
from spectralleader.samples import BlockBuffer
from spectralleader.samples.document_buffer import DocumentBuffer, one_each
from tests.factories import blocks, documents

SAMPLES = {
    "everything": lambda: Everything(n_words=5),
    "reservoir": lambda: Reservoir(7, n_words=5),
    "window": lambda: Window(7, n_words=5),
}


class PlainBuffer(BlockBuffer):
    takes = Documents


@pytest.mark.parametrize("kind", [Everything, Reservoir, Window])
@given(stream=st.lists(blocks(), max_size=6), n_words=st.integers(5, 9))
def test_the_arena_remembers_what_copies_of_all_documents_would(kind, stream, n_words):
    plain = type("Plain", (kind,), {"buffer": PlainBuffer})
    arguments = () if kind is Everything else (7,)
    samples = kind(*arguments), plain(*arguments)
    ids = np.arange(n_words)[::-1]
    for block in stream:
        fast, slow = (sample.add(block.widen(n_words)) for sample in samples)
        assert (fast.entered, fast.left) == (slow.entered, slow.left)
        assert fast.chosen.tolist() == slow.chosen.tolist()
        for sample in samples:
            sample.recode(ids, n_words)
        assert samples[0].documents == samples[1].documents


def filled(block):
    """A buffer with the documents of a block, in order."""
    buffer = DocumentBuffer(block.n_words)
    buffer.enter(block, one_each(block.n_docs))
    return buffer


@pytest.mark.parametrize("kind", sorted(SAMPLES))
@given(stream=st.lists(blocks(), max_size=6))
def test_a_change_says_where_documents_entered_and_left(kind, stream):
    sample, at = SAMPLES[kind](), {}
    for block in stream:
        change = sample.add(block)
        taken = [slot for slot in change.slots.tolist() if slot in at]
        assert [at[slot] for slot in taken] == [change.left[i] for i in range(len(taken))]
        at |= {slot: change.entered[i] for i, slot in enumerate(change.slots.tolist())}
        remembered = Documents.concatenate([Documents.empty(5), *(at[i] for i in range(len(at)))])
        assert sample.documents == remembered


def test_what_a_change_says_stays_true_when_the_sample_moves_on():
    sample = Window(20, n_words=5)
    rng = np.random.default_rng(0)
    stream = [documents(int(n), 5, seed=i) for i, n in enumerate(rng.integers(1, 20, 300))]
    changes = [(block, sample.add(block)) for block in stream]
    for block, change in changes:  # the arena was squeezed many times since
        rows = change.chosen[:, 0]
        assert change.entered == block.take(rows.copy())


@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda sample: pickle.loads(pickle.dumps(sample))]
)
def test_a_copy_goes_on_by_itself(duplicate):
    original = Reservoir(20, n_words=9)
    original.add(documents(30, 9))
    twin = duplicate(original)
    more = documents(40, 9, seed=1)
    for part in more.blocks(3):
        twin.add(part)
    original.add(more)
    assert twin.documents == original.documents


@pytest.mark.parametrize("kind", sorted(SAMPLES))
def test_documents_over_more_words_widen_the_sample_and_those_over_fewer_do_not_narrow_it(kind):
    sample = SAMPLES[kind]()
    assert sample.n_words == 5
    for n_words, expected in ((7, 7), (6, 7), (8, 8)):
        change = sample.add(Documents.from_tokens([[0]], n_words=n_words))
        assert sample.n_words == sample.documents.n_words == change.entered.n_words == expected


@pytest.mark.parametrize("kind", sorted(SAMPLES))
def test_recoding_renumbers_what_is_remembered_and_what_a_change_says(kind):
    sample = SAMPLES[kind]()
    sample.add(documents(9, 5))
    change, before = sample.add(documents(9, 5, seed=1)), sample.documents
    ids = np.array([1, -1, 0, 2, 3])
    renumbered = change.renumber(ids, 4)
    assert renumbered.entered == change.entered.recode(ids, 4)
    assert renumbered.left == change.left.recode(ids, 4)
    assert renumbered.slots.tolist() == change.slots.tolist()
    assert renumbered.chosen[:, 0].tolist() == list(range(change.n_entered))
    sample.recode(ids, 4)
    assert sample.documents == before.recode(ids, 4)
    sample.recode(None, 6)
    assert sample.documents == before.recode(ids, 4).widen(6)


def test_places_are_doubled_and_words_moved_only_when_they_are_used_up():
    buffer = filled(documents(64, 5))
    assert len(buffer._bounds) == 64
    buffer.enter(documents(1, 5), np.array([[0, 64]]))
    assert len(buffer._bounds) == 128
    buffer = filled(Documents.from_tokens([range(500), range(500)], n_words=1000))
    arena = buffer._words
    assert len(arena) == 2000
    for _ in range(2):  # the second fills it to the last entry
        buffer.enter(Documents.from_tokens([range(500)], n_words=1000), np.array([[0, 1]]))
        assert buffer._words is arena
    buffer.enter(Documents.from_tokens([[7]], n_words=1000), np.array([[0, 1]]))
    assert len(buffer._words) == 2 * (1000 + 1)
    assert buffer.documents() == Documents.from_tokens([range(500), [7]], n_words=1000)


def test_room_is_made_for_the_documents_that_enter_not_for_the_whole_block():
    buffer = filled(Documents.from_tokens([range(500), range(500)], n_words=1000))
    arena = buffer._words  # 2,000 entries, half of them free
    block = Documents.from_tokens([range(600), range(1000)], n_words=1000)
    buffer.enter(block, np.array([[1, 0]]))
    assert buffer._words is arena
    buffer.recode(None, 1001)  # nothing moves
    assert (buffer._end, buffer.n_words) == (2000, 1001)
    full = filled(Documents.from_tokens([range(16)] * 64, n_words=16))
    assert (len(full._words), len(full._bounds)) == (2048, 64)
    for _ in range(2):  # the second time there is no room for the words, but for the slots
        full.enter(full.documents(), one_each(64))
    assert len(full._bounds) == 64


def test_what_a_change_shows_cannot_be_written_to():
    change = Everything(n_words=5).add(documents(9, 5))
    for array in (change.moved.words, change.moved.counts):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize("kind", [Reservoir, Window])
def test_one_document_may_be_remembered_and_no_other_number_than_was_seen(kind):
    sample = kind(1, n_words=5, budget=3)
    sample.add(documents(4, 5))
    state = sample.to_state()
    assert kind.from_state(state).documents == sample.documents
    with pytest.raises(ValueError, match="documents remembered must be 0"):
        kind.from_state(state | {"n_seen": 0})
