"""Drift: its false-alarm rate, and how soon a change is noticed."""

from dataclasses import replace

import numpy as np
import pytest

from spectralleader.learners.hedged.drift import BETS, BOUND, RESERVE, Drift
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
    assert (drift.mean_odds, drift.suspected_since) == (1.0, None)
    drift.update(np.zeros((50, 2)), 0)
    assert drift.suspected_since is None


def test_it_is_stored_as_it_is():
    drift = drift_of(np.array([-1.0, *[3.0] * 60]), n_docs=6)
    again = Drift.from_state(drift.to_state(), pairs=((0, 1),))
    assert same_state(again.to_state(), drift.to_state())
    assert (again.mean_odds, again.since) == (drift.mean_odds, 7)
    assert again.suspected_since == drift.suspected_since == 7
    assert SETTINGS.run_length > 1e5


@pytest.mark.parametrize(("limit", "suspected"), [(30.0, None), (28.0, 10)])
def test_a_bet_is_suspicious_from_the_odds_of_the_settings(limit, suspected):
    """After nine documents the larger bet has odds of 1.5**8.25."""
    drift = Drift(((0, 1),), 10, replace(SETTINGS, suspicion=limit))
    better = np.append(np.full(8, BOUND), BOUND / 4)
    drift.update(np.stack([better, np.zeros(9)], axis=1), 10)
    assert drift.odds[0, 1] == pytest.approx(1.5**8 * 1.125)
    assert drift.suspected_since == suspected


def test_an_alarm_is_raised_by_the_mean_odds_and_ends_when_all_bets_are_back_at_their_stake():
    settings = replace(SETTINGS, run_length=20.0)
    drift = Drift(((0, 1),), settings=settings)

    def show(better):
        drift.update(np.array([[better, 0.0]]), 0)
        return drift.is_alarmed

    alarms = [show(BOUND) for _ in range(9)]
    means = [np.mean([1.1**n, 1.5**n]) for n in range(1, 10)]
    assert alarms == [mean >= 20.0 for mean in means]
    assert (alarms[-2], alarms[-1]) == (False, True)
    assert drift.mean_odds == pytest.approx(means[-1])
    falling = [show(-BOUND) for _ in range(20)]
    assert not falling[-1]
    n_until = falling.index(False) + 1  # the smaller bet falls by 0.9 per document, the larger by 2
    assert 1.1**9 * 0.9**n_until <= 1.0 < 1.1**9 * 0.9 ** (n_until - 1)


def test_odds_are_capped_far_above_an_alarm():
    drift = Drift(((0, 1),), settings=replace(SETTINGS, run_length=2.0))
    drift.update(np.tile([9.0, 0.0], (200, 1)), 0)
    assert drift.odds.max() == RESERVE * 2.0
