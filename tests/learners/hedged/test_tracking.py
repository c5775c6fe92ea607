"""Tracked priors against their plain definition, and what they are good for."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spectralleader.learners.hedged import PriorTracking
from spectralleader.learners.hedged.tracking import FLOOR


def plainly(priors, memories, runs, log_likelihoods):
    priors = priors.copy()
    k = priors.shape[1]
    for row in log_likelihoods:
        for m, length in enumerate((*memories, *runs)):
            now = priors[m] * np.exp(row - row.max())
            now /= now.sum()
            if m < len(memories):
                moved = (1 - 1 / length) * priors[m] + now / length
            else:
                moved = (1 - 1 / length) * now + 1 / length / k
            priors[m] = (1 - FLOOR) * moved + FLOOR / k
    return priors


@given(seed=st.integers(0, 1000), n_docs=st.integers(0, 20), k=st.integers(1, 4))
def test_updates_are_what_the_definition_says(seed, n_docs, k):
    logs = -100 * np.random.default_rng(seed).random((n_docs, 3, k))  # a model is not tracked
    tracking = PriorTracking(k, memories=(3.0, 50.0), runs=(10.0,), n_models=2)
    expected = [plainly(tracking.priors[m], (3.0, 50.0), (10.0,), logs[:, m]) for m in range(2)]
    tracking.update(np.exp(logs))
    np.testing.assert_allclose(tracking.priors, expected, atol=1e-12)
    np.testing.assert_allclose(tracking.priors.sum(axis=2), 1.0)


def test_a_topic_that_stays_is_expected_to_stay_and_another_is_not_given_up():
    tracking = PriorTracking(2, memories=(10.0,), runs=(20.0,))
    tracking.update(np.tile([0.8, 0.2], (100, 1, 1)))
    assert (tracking.priors[0, :, 0] > 0.9).all()
    tracking.update(np.tile([0.2, 0.8], (8, 1, 1)))
    assert tracking.priors[0, 1, 1] > 0.9
    assert tracking.priors[0, 1, 1] > tracking.priors[0, 0, 1]  # runs turn sooner than memories
