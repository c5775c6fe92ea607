"""Changes since an anchor: the same bit for bit when read back, and refused if they cannot be."""

import numpy as np
import pytest

from spectralleader import Documents, Reservoir, SpectralLeader
from spectralleader.learners.spectral_leader.changes import History
from tests.factories import documents, same_state


def happened(n_changes=30):
    """An anchor, changes over more and more words, and the sample they led to."""
    sample = Reservoir(10, seed=2)
    sample.add(documents(7, 5))
    anchor = sample.documents
    changes = [sample.add(documents(i % 3, 5 + i // 4, seed=i)) for i in range(n_changes)]
    return anchor, changes, sample


def read(state, anchor, sample):
    """The changes of a state, by which the anchor became the sample."""
    history = History.from_state(state, anchor=anchor)
    history.check(anchor, sample)
    return history.changes()


def test_changes_come_back_as_they_were():
    anchor, changes, sample = happened()
    again = read(History.of(changes).to_state(), anchor, sample)
    assert {0, 1, 2} <= {change.n_entered for change in changes}
    assert sum(change.left.n_docs for change in changes) > 3
    assert len(again) == len(changes)
    for a, b in zip(changes, again, strict=True):
        assert (a.entered, a.left, a.n_entered) == (b.entered, b.left, b.n_entered)
        np.testing.assert_array_equal(a.chosen[:, 1], b.chosen[:, 1])
        np.testing.assert_array_equal(b.chosen[:, 0], np.arange(b.n_entered))


def test_no_changes_come_back_as_none():
    anchor, _, sample = happened(n_changes=0)
    assert read(History.of([]).to_state(), anchor, sample) == []


def test_as_many_arrays_are_stored_of_many_changes_as_of_one():
    (_, one, _), (_, many, _) = happened(1), happened(30)
    states = [History.of(changes).to_state() for changes in (one, many)]
    assert states[0].keys() == states[1].keys()
    assert all(isinstance(value, np.ndarray | dict) for value in states[1].values())


SPOILT = {
    "more than moved": ("n_entered", lambda n: n + 1, "slots must be an array"),
    "one change too few": ("n_entered", lambda n: n[:-1], "n_left must be an array"),
    "fewer than none": ("n_left", lambda n: -n, "n_left must be numbers from 0"),
    "from another change": ("n_left", lambda n: np.roll(n, 1), "do not follow on"),
    "one place too few": ("slots", lambda p: p[:-1], "slots must be an array"),
    "far away": ("slots", lambda p: p + 2**40, "do not follow on"),
    "backwards": ("slots", lambda p: p[::-1].copy(), "do not follow on"),
    "a hole": ("slots", lambda p: np.where(p == 9, 8, p), "do not follow on"),
    "fewer words than the anchor": ("widths", lambda n: n - 1, "widths must be numbers from 5"),
    "too few words": ("widths", lambda n: np.minimum(n, 6), "words that were not there"),
    "falling words": ("widths", lambda n: np.sort(n)[::-1].copy(), "words that were not there"),
}


@pytest.mark.parametrize("how", SPOILT)
def test_changes_that_cannot_have_happened_are_refused(how):
    key, spoil, message = SPOILT[how]
    anchor, changes, sample = happened()
    state = History.of(changes).to_state()
    with pytest.raises(ValueError, match=message):
        read({**state, key: spoil(state[key])}, anchor, sample)


def test_changes_that_take_out_or_lead_to_something_else_are_refused():
    anchor, changes, sample = happened()
    state = History.of(changes).to_state()
    other = documents(anchor.n_docs, 5, seed=99)
    with pytest.raises(ValueError, match="take out what was not there"):
        read(state, other, sample)
    fewer = History.of(changes[:-4]).to_state()
    with pytest.raises(ValueError, match="do not lead to the sample"):
        read(fewer, anchor, sample)
    wide = History.of(changes).to_state()
    wide["moved"] = Documents.from_state(wide["moved"]).widen(50).to_state()
    with pytest.raises(ValueError, match="do not lead to the sample"):
        read(wide, anchor, sample)


def test_a_learner_with_changes_goes_on_to_the_bit():
    learner = SpectralLeader(3, reservoir_size=200)
    learner.learn(documents(150, 12))
    for i in range(20):
        learner.learn(documents(1, 12 + i // 5, seed=i))
    again = SpectralLeader.from_state(learner.to_state())
    assert len(again._anchored.changes) > 19
    assert same_state(again.to_state(), learner.to_state())
    for one in (learner, again):
        one.learn(documents(3, 15, seed=100))
    np.testing.assert_array_equal(again.model.topics, learner.model.topics)
