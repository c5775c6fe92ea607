"""The alarm: how rare false ones are, how soon a change raises one, and that it ends."""

import numpy as np
import pytest

from spectralleader import Documents, TopicModel
from spectralleader.em.background import Background
from spectralleader.learners.hedged.alarm import BATCH, N_PAST, Alarm, what_is_new
from tests.factories import same_state


def scores(n, seed=0):
    """Scores of documents that are all alike."""
    return np.random.default_rng(seed).normal(-7.0, 1.0, n)


def alarm_after(*parts):
    """An alarm that has seen these scores."""
    alarm = Alarm()
    for part in parts:
        alarm.update(part)
    return alarm


def first_alarm(alarm, later):
    """Documents of `later` until the alarm is raised."""
    for n, score in enumerate(later, 1):
        alarm.update(np.array([score]))
        if alarm.since is not None:
            return n
    raise AssertionError("no alarm")


@pytest.mark.parametrize("ties", [False, True])
def test_documents_that_stay_alike_raise_no_alarm(ties):
    """2,000,000 documents; at most 2 false alarms are to be expected, and there is none."""
    for seed in range(20):
        same = scores(100_000, seed)
        alarm = alarm_after(same.round() if ties else same)
        assert alarm.since is None


@pytest.mark.parametrize(("share", "within"), [(1.0, 200), (0.5, 500), (0.2, 3000)])
@pytest.mark.parametrize("seed", range(5))
def test_less_probable_documents_raise_an_alarm_soon(share, within, seed):
    alarm = alarm_after(scores(3 * N_PAST, seed))
    rng = np.random.default_rng(seed)
    later = scores(within, seed + 100) - 3.0 * (rng.random(within) < share)
    assert first_alarm(alarm, later) <= within
    assert alarm.since == pytest.approx(3 * N_PAST, abs=within)


def test_an_alarm_ends_once_the_documents_are_the_past_and_the_next_change_is_another():
    changed = scores(3 * N_PAST, 1) - 3.0
    alarm = alarm_after(scores(3 * N_PAST), changed)
    assert alarm.since is None
    alarm.update(changed[:200] - 3.0)
    assert alarm.since == pytest.approx(6 * N_PAST, abs=20)


def test_documents_that_become_more_probable_are_no_alarm():
    assert alarm_after(scores(2 * N_PAST), scores(2 * N_PAST, 1) + 3.0).since is None


def test_the_alarm_depends_on_blocks_by_one_batch_at_most():
    later = np.concatenate([scores(2 * N_PAST), scores(300, 1) - 2.0])
    at_once, one_by_one = alarm_after(later), alarm_after(*later[:, None])
    np.testing.assert_array_equal(at_once.past, one_by_one.past)
    assert at_once.since == pytest.approx(one_by_one.since, abs=BATCH)


def test_a_saved_alarm_continues_as_if_never_stopped():
    before, after = scores(N_PAST + 1003), scores(2000, 1) - 1.0
    alarm = alarm_after(before)
    resumed = Alarm.from_state(alarm.to_state())
    for one in (alarm, resumed):
        one.update(after)
    assert same_state(alarm.to_state(), resumed.to_state())


def test_a_past_that_is_not_in_order_is_refused():
    state = alarm_after(scores(N_PAST)).to_state()
    with pytest.raises(ValueError, match="in order"):
        Alarm.from_state(state | {"past": state["past"][::-1].copy()})


def test_what_is_new_are_the_words_and_topics_that_are_more_frequent():
    topics = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]])
    model, background = TopicModel(np.array([0.9, 0.1]), topics), Background(4)
    background.add(Documents.from_tokens([[0, 1]] * 90 + [[2, 2]] * 10, n_words=4))
    fresh = Documents.from_tokens([[3, 3, 3], [3, 2, 3], [0, 1, 1]], n_words=4)
    found = what_is_new(fresh, model, background)
    assert found["words"][0] == 3
    assert found["topics"] == (1,)


def test_frequent_equal_documents_whose_score_moves_a_little_are_no_alarm():
    """Learning moves the score of a heartbeat, so that all its copies rank below the past ones."""
    rng = np.random.default_rng(0)
    beats = np.where(rng.random(60_000) < 0.9, -1.13, rng.normal(-7.0, 1.0, 60_000))
    assert alarm_after(beats - np.linspace(0.0, 0.02, 60_000)).since is None
