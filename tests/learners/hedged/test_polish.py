"""Polish and sweep: EM on remembered documents."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import Documents
from spectralleader.em.statistics import Statistics, with_words
from spectralleader.learners.hedged import polish, sweep
from spectralleader.learners.hedged.background import smooth
from tests.factories import blocks, documents, model

BACKGROUND = np.array([0.3, 0.1, 0.2, 0.2, 0.2])
STRENGTH = 0.7


def start(seed=0, n_topics=3):
    return Statistics.one_document(model(n_topics, 5, seed=seed), 30.0)


def fit(block, statistics):
    return float(smooth(statistics, BACKGROUND, STRENGTH).log_prob(block).mean())


@given(block=blocks(5))
def test_a_pass_is_the_e_step_of_the_smoothed_model(block):
    block = with_words(block)
    if block.n_docs == 0:
        return
    found, before = polish(block, start(), BACKGROUND, STRENGTH, n_passes=1)
    meant = smooth(start(), BACKGROUND, STRENGTH)
    posterior = meant.posterior(block)
    np.testing.assert_allclose(found.words, block.as_floats().T @ posterior, atol=1e-9)
    np.testing.assert_allclose(found.totals[0], posterior.sum(axis=0), atol=1e-9)
    np.testing.assert_allclose(found.totals[1], found.words.sum(axis=0), atol=1e-9)
    assert before == pytest.approx(meant.log_prob(block).mean())


@given(n_topics=st.integers(1, 20))
def test_a_pass_is_the_e_step_for_long_documents_and_any_number_of_topics(n_topics):
    # counts that a product of probabilities would underflow with, and one that is multiplied
    counts = np.array([[200, 1, 0, 0, 3], [1, 2, 1, 900, 0], [1, 1, 7, 0, 0], [10**6, 1, 2, 3, 4]])
    block, given = Documents.from_matrix(counts), start(n_topics=n_topics)
    found, before = polish(block, given, BACKGROUND, STRENGTH, n_passes=1)
    meant = smooth(given, BACKGROUND, STRENGTH)
    expected = block.as_floats().T @ meant.posterior(block)
    np.testing.assert_allclose(found.words, expected, rtol=1e-6, atol=1e-9)
    assert before == pytest.approx(meant.log_prob(block).mean())


def test_passes_never_lower_the_smoothed_likelihood():
    # EM's guarantee, for likelihood and the prior that the smoothing is
    block, statistics = documents(200, 5), start(seed=4)
    n = block.n_docs

    def objective(statistics):
        found = smooth(statistics, BACKGROUND, STRENGTH)
        prior = STRENGTH * (BACKGROUND * np.log(found.topics)).sum()
        weights = np.log(found.weights).sum() / len(found.weights)
        return n * fit(block, statistics) + prior + weights

    before = objective(statistics)
    for _ in range(20):
        statistics, _ = polish(block, statistics, BACKGROUND, STRENGTH, n_passes=1)
        after = objective(statistics)
        assert after >= before - 1e-9
        before = after


def test_polishing_stops_when_a_pass_gains_too_little():
    block = documents(100, 5)
    long, _ = polish(block, start(), BACKGROUND, STRENGTH, n_passes=50, tolerance=1e9)
    once, _ = polish(block, start(), BACKGROUND, STRENGTH, n_passes=2)
    np.testing.assert_array_equal(long.words, once.words)


@given(seed=st.integers(0, 30))
def test_a_sweep_stays_in_the_unit_of_all_documents_and_gains(seed):
    block = documents(300, 5, seed=seed)
    found = sweep(block, start(seed), BACKGROUND, STRENGTH, n_passes=3)
    assert found.totals[0].sum() == pytest.approx(300, rel=0.05)
    np.testing.assert_allclose(found.totals[1], found.words.sum(axis=0))
    assert fit(block, found) > fit(block, start(seed))


def test_inputs_are_left_alone():
    given = start()
    kept = given.copy()
    polish(documents(20, 5), given, BACKGROUND, STRENGTH, n_passes=3)
    sweep(documents(20, 5), given, BACKGROUND, STRENGTH, n_passes=3)
    np.testing.assert_array_equal(given.words, kept.words)
    np.testing.assert_array_equal(given.totals, kept.totals)
