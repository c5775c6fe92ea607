"""Drift: its false-alarm rate, and how soon a change is noticed."""

import numpy as np
import pytest

from spectralleader.learners.hedged.drift import BETS, BOUND, Drift
from spectralleader.learners.hedged.settings import SETTINGS
from tests.factories import same_state


def drift_of(better, n_docs=0):
    """Bets on documents that a rival predicts better by so many nats."""
    drift = Drift(((0, 1),))
    drift.update(np.stack([better, np.zeros(len(better))], axis=1), n_docs)
    return drift


def test_odds_multiply_by_what_the_bets_win():
    better = np.array([1.0, 2.0, -0.5])
    expected = [np.prod(1 + bet * better / BOUND) for bet in BETS]
    np.testing.assert_allclose(drift_of(better).odds, [expected])


def test_one_document_counts_for_no_more_than_the_bound():
    np.testing.assert_array_equal(drift_of(np.array([1e9])).odds, drift_of(np.array([BOUND])).odds)


def test_bets_that_fall_below_their_stake_begin_anew():
    drift = drift_of(np.array([1.0, -9.0, 0.5, 0.5]), n_docs=100)
    assert drift.since == 102
    np.testing.assert_allclose(drift.odds, [[(1 + bet / 8) ** 2 for bet in BETS]])


@pytest.mark.parametrize("deviation", [0.5, 2.0, 6.0])
def test_false_alarms_are_as_rare_as_stated(deviation):
    """An alarm at odds of 300 in no less than 300 documents on average: here by Monte Carlo."""
    rng, lengths = np.random.default_rng(0), []
    for _ in range(300):
        drift, n = Drift(((0, 1),)), 0
        while drift.mean_odds < 300 and n < 3000:
            better = deviation * rng.standard_normal(20)
            drift.update(np.stack([better, np.zeros(20)], axis=1), n)
            n += 20
        lengths.append(n)
    assert np.mean(lengths) > 300


def test_a_stationary_stream_raises_no_alarm_and_a_change_does_at_once():
    rng = np.random.default_rng(0)
    drift = drift_of(rng.standard_normal(20_000) - 0.05)
    assert not drift.is_alarmed
    drift.update(np.stack([1.0 + rng.standard_normal(200), np.zeros(200)], axis=1), 20_000)
    assert drift.is_alarmed
    assert 19_900 < drift.alarmed_since < 20_050
    drift.update(np.stack([rng.standard_normal(5000) - 1.0, np.zeros(5000)], axis=1), 20_200)
    assert not drift.is_alarmed


def test_a_second_change_is_suspected_while_an_older_bet_leads():
    drift = Drift(((0, 2), (1, 2)))
    both = np.zeros((300, 3))
    both[:, 0] = 2.0  # the first rival is better all along, the second from 200 on
    both[:200, 1], both[200:, 1] = -1.0, 2.0
    drift.update(both[:201], 0)
    assert drift.suspected_since == 0  # odds of 1.5 on the second rival are not suspicious yet
    drift.update(both[201:], 201)
    assert drift.since == 0
    assert drift.suspected_since == 200


def test_nothing_is_suspected_at_low_odds():
    drift = Drift(((0, 1),))
    assert drift.suspected_since is None
    drift.update(np.zeros((50, 2)), 0)
    assert drift.suspected_since is None


def test_it_is_stored_as_it_is():
    drift = drift_of(np.array([-1.0, *[3.0] * 60]), n_docs=6)
    again = Drift.from_state(drift.to_state(), pairs=((0, 1),))
    assert same_state(again.to_state(), drift.to_state())
    assert (again.mean_odds, again.since) == (drift.mean_odds, 7)
    assert again.suspected_since == drift.suspected_since == 7
    assert SETTINGS.run_length > 1e5
