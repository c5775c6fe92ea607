"""The smoothing of topics: how much of it fits, and what it makes of topics without documents."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader.em.background import Background
from spectralleader.em.columns import Columns, Smoothing
from spectralleader.em.statistics import Statistics, read_off
from spectralleader.learners.hedged.settings import LEAST, SETTINGS
from tests.factories import assert_valid, documents, model

PRIOR = np.array([0.1, 0.2, 0.3, 0.2, 0.2])
SMOOTHING = Smoothing(3.0 * PRIOR, 3.0, 7.0)


def test_topics_are_fitted_with_a_share_of_their_words_at_most_of_the_vocabulary():
    share, most = SETTINGS.fit_share, SETTINGS.fit_most
    assert SETTINGS.fit_strength(1000.0, 10, 10**9) == pytest.approx(share * 100)
    assert SETTINGS.fit_strength(1000.0, 20, 10**9) == pytest.approx(share * 50)
    assert SETTINGS.fit_strength(1e12, 10, 5000) == pytest.approx(most * 5000)
    assert SETTINGS.fit_strength(0.0, 10, 5000) == LEAST
    assert SETTINGS.fit_strength(1000.0, 0, 10**9) == SETTINGS.fit_strength(
        1000.0, 1, 10**9
    )  # before any topic


@given(st.floats(0, 1e9), st.integers(0, 1000), st.integers(1, 10**6))
def test_more_words_are_never_fitted_with_less_and_more_topics_never_with_more(n, k, d):
    strength = SETTINGS.fit_strength(n, k, d)
    assert LEAST <= strength <= max(LEAST, SETTINGS.fit_most * d)
    assert SETTINGS.fit_strength(2 * n, k, d) >= strength >= SETTINGS.fit_strength(n, k + 1, d)
    assert SETTINGS.fit_strength(n, k, 2 * d) >= strength


def statistics(seed=0):
    one = Statistics.one_document(model(4, 5, seed=seed), 30.0)
    return Statistics(100 * one.totals, 100 * one.words)


def test_a_smoothed_model_adds_background_to_every_topic():
    found, given_ones = read_off(statistics().columns, SMOOTHING, 0.5), statistics()
    words = 0.5 * given_ones.words + 7.0 * PRIOR[:, None]
    np.testing.assert_allclose(found.topics, (words / words.sum(axis=0)).T)
    weights = 0.5 * given_ones.totals[0] + 1 / 4
    np.testing.assert_allclose(found.weights, weights / weights.sum())


@pytest.mark.parametrize("closed", [[0], [1, 3], [0, 1, 2]])
@pytest.mark.parametrize("before", [0, 2])
def test_a_topic_without_documents_has_no_weight_and_is_the_background(closed, before):
    given_ones = statistics()
    given_ones.totals[:, closed], given_ones.words[:, closed] = 0.0, 0.0
    words, totals = np.full((5, before + 4), 7.0), np.full((2, before + 4), 7.0)
    words[:, before:], totals[:, before:] = given_ones.words, given_ones.totals
    found = read_off(Columns(words, totals, before, 4), SMOOTHING)
    assert_valid(found)
    weights = np.where(given_ones.totals[0] > 0, given_ones.totals[0] + 1 / 4, 0.0)
    assert (found.weights[closed] == 0.0).all()
    np.testing.assert_allclose(found.weights, weights / weights.sum())
    np.testing.assert_allclose(found.topics[closed], np.tile(PRIOR, (len(closed), 1)))
    assert np.isfinite(found.log_prob(documents(20, 5))).all()
    assert (found.posterior(documents(20, 5))[:, closed] == 0.0).all()


def test_without_any_documents_all_topics_weigh_the_same():
    found = read_off(Statistics.zero(4, 5).columns, SMOOTHING)
    assert_valid(found)
    np.testing.assert_array_equal(found.weights, 0.25)
    np.testing.assert_allclose(found.topics, np.tile(PRIOR, (4, 1)))


def test_topics_are_smoothed_with_the_roots_of_the_counts():
    background = Background(5)
    background.add(documents(30, 5))
    roots = np.sqrt(0.5 + documents(30, 5).as_floats().sum(axis=0))
    np.testing.assert_allclose(background.prior, roots / roots.sum())
