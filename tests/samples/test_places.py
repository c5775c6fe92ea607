import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import Documents, Everything, Reservoir, Window
from tests.factories import blocks, documents

SAMPLES = {
    "everything": lambda: Everything(n_words=5),
    "reservoir": lambda: Reservoir(7, n_words=5),
    "window": lambda: Window(7, n_words=5),
}


@pytest.mark.parametrize("kind", sorted(SAMPLES))
@given(stream=st.lists(blocks(), max_size=6))
def test_a_change_says_where_documents_entered_and_left(kind, stream):
    sample, at = SAMPLES[kind](), {}
    for block in stream:
        change = sample.add(block)
        taken = [place for place in change.places.tolist() if place in at]
        assert [at[place] for place in taken] == [change.left[i] for i in range(len(taken))]
        at |= {place: change.entered[i] for i, place in enumerate(change.places.tolist())}
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
