"""The mixture: its guarantee, and that a pool may beat every candidate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader.learners.hedged import Mixing
from tests.factories import same_state


def losses_of(mixing, log_probs):
    """The mixture's loss on each document, learning one at a time."""
    out = []
    for row in log_probs:
        out.append(-float(mixing.log_prob(row[None])[0]))
        mixing.update(row[None])
    return np.array(out)


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 6),
    n_docs=st.integers(1, 60),
    spread=st.floats(0.0, 30.0),
)
def test_the_total_loss_exceeds_no_candidates_by_more_than_the_price(seed, n, n_docs, spread):
    log_probs = -spread * np.random.default_rng(seed).random((n_docs, n))
    mixing = Mixing(n)
    total = losses_of(mixing, log_probs).sum()
    assert total <= (-log_probs.sum(axis=0)).min() + mixing.price + 1e-9


def test_the_price_is_the_logarithm_of_competitors_and_of_documents():
    mixing = Mixing(7)
    assert mixing.price == pytest.approx(np.log(8))
    mixing.update(np.zeros((99, 7)))
    assert mixing.price == pytest.approx(np.log(8) + np.log(100))


def test_a_late_winner_comes_up():
    early, late = np.log([0.9, 0.1]), np.log([0.1, 0.9])
    mixing = Mixing(2)
    mixing.update(np.tile(early, (1000, 1)))
    mixing.update(np.tile(late, (30, 1)))
    assert np.exp(mixing.log_prob(late[None]))[0] > 0.85


def test_candidates_that_are_good_at_different_documents_are_pooled():
    # each predicts half of the documents: a mixture of halves beats both
    rng = np.random.default_rng(0)
    log_probs = np.log(np.where(rng.random(2000)[:, None] < 0.5, [[0.9, 0.01]], [[0.01, 0.9]]))
    mixing = Mixing(2)
    losses = losses_of(mixing, log_probs)
    best = -log_probs.mean(axis=0).max()
    assert losses[1000:].mean() < 0.5 * best
    np.testing.assert_allclose(mixing.shares, 0.5, atol=0.1)


@given(seed=st.integers(0, 1000), cut=st.integers(0, 20))
def test_documents_in_blocks_are_weighed_as_one_by_one(seed, cut):
    log_probs = -np.random.default_rng(seed).random((20, 3)) * 5
    a, b = Mixing(3), Mixing(3)
    a.update(log_probs[:cut])
    a.update(log_probs[cut:])
    for row in log_probs:
        b.update(row[None])
    np.testing.assert_allclose(a.weights, b.weights, atol=1e-12)
    np.testing.assert_allclose(a.pool, b.pool, atol=1e-12)
    assert same_state(Mixing.from_state(a.to_state(), 3).to_state(), a.to_state())


def test_weights_and_pool_stay_distributions_over_hopeless_candidates():
    mixing = Mixing(3)
    mixing.update(np.tile([-1.0, -5000.0, -1e6], (500, 1)))
    for weights in (mixing.weights, mixing.pool, mixing.shares):
        assert (weights >= 0).all()
        assert weights.sum() == pytest.approx(1.0)
    assert np.isfinite(mixing.log_prob(np.array([[-1e6, -1.0, -5000.0]]))).all()
