"""The mixture: its guarantee, and that a pool may beat every candidate."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader.learners.hedged.mixing import Mixing
from spectralleader.learners.hedged.settings import SETTINGS
from tests.factories import same_state


def sizes(n_experts):
    return {"n_experts": n_experts, "n_competitors": n_experts + 1}


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
    assert same_state(Mixing.from_state(a.to_state(), **sizes(3)).to_state(), a.to_state())


def test_weights_and_pool_stay_distributions_over_hopeless_candidates():
    mixing = Mixing(3)
    mixing.update(np.tile([-1.0, -5000.0, -1e6], (500, 1)))
    for weights in (mixing.weights, mixing.pool, mixing.shares):
        assert (weights >= 0).all()
        assert weights.sum() == pytest.approx(1.0)
    assert np.isfinite(mixing.log_prob(np.array([[-1e6, -1.0, -5000.0]]))).all()


def test_nothing_is_preferred_before_the_first_document():
    mixing = Mixing(4)
    assert mixing.pool.tolist() == [1 / 4] * 4
    assert mixing.weights.tolist() == [1 / 5] * 5
    np.testing.assert_allclose(mixing.log_prob(np.log([[0.1, 0.2, 0.3, 0.4]])), np.log(1 / 4))


def test_after_the_first_document_half_of_all_weight_is_shared_equally():
    # By hand: the competitors gave 3/4, 1/4 and, the pool, 1/2, so Bayes' rule says 1/2, 1/6, 1/3;
    # the pool's own weights become 1/2 * (1/2 + 1/2 * 3/2) = 5/8, and 3/8.
    mixing = Mixing(2)
    mixing.update(np.log([[3 / 4, 1 / 4]]))
    np.testing.assert_allclose(mixing.weights, [5 / 12, 1 / 4, 1 / 3], rtol=1e-12)
    np.testing.assert_allclose(mixing.pool, [9 / 16, 7 / 16], rtol=1e-12)
    np.testing.assert_allclose(mixing.shares, [29 / 48, 19 / 48], rtol=1e-12)


@pytest.mark.parametrize("memory", [4.0, 1000.0])
def test_weights_are_bayes_rule_with_a_fixed_share_and_the_pool_is_online_em(memory):
    log_probs = -5.0 * np.random.default_rng(0).random((12, 3))
    mixing = Mixing(3, replace(SETTINGS, pool_memory=memory))
    pool, weights = np.full(3, 1 / 3), np.full(4, 1 / 4)
    for t, given_by in enumerate(np.exp(log_probs), start=1):
        by_all = np.append(given_by, pool @ given_by)
        np.testing.assert_allclose(mixing.log_prob(np.log([given_by])), np.log(weights @ by_all))
        mixing.update(np.log([given_by]))
        step = max(1 / (t + 1), 1 / memory)
        pool = (1 - step) * pool + step * pool * given_by / (pool @ given_by)
        pool = t / (t + 1) * pool + 1 / (t + 1) / 3
        weights = t / (t + 1) * weights * by_all / (weights @ by_all) + 1 / (t + 1) / 4
        np.testing.assert_allclose(mixing.pool, pool, rtol=1e-12)
        np.testing.assert_allclose(mixing.weights, weights, rtol=1e-12)


def test_documents_that_all_candidates_find_hopeless_are_weighed_like_any_other():
    log_probs = -5.0 * np.random.default_rng(0).random((6, 3))
    likely, hopeless = Mixing(3), Mixing(3)
    likely.update(log_probs)
    hopeless.update(log_probs - 5000.0)  # e^-5000 is 0 in floats
    np.testing.assert_allclose(hopeless.weights, likely.weights, rtol=1e-9)  # 5000 has 4 digits
    np.testing.assert_allclose(hopeless.pool, likely.pool, rtol=1e-9)


def test_a_merged_mixture_predicts_the_mean_of_its_parts_by_documents():
    rng = np.random.default_rng(0)
    parts = [Mixing(3) for _ in range(3)]
    for part, n_docs in zip(parts, (1, 2, 5), strict=True):
        part.update(-5.0 * rng.random((n_docs, 3)))
    merged = Mixing.from_state(parts[0].to_state(), **sizes(3))
    merged.merge(parts[1:])
    assert merged.n_docs == 8
    for name in ("pool", "weights"):
        one, two, five = (getattr(part, name) for part in parts)
        np.testing.assert_allclose(getattr(merged, name), (one + 2 * two + 5 * five) / 8)


@pytest.mark.parametrize("name", ["pool", "weights"])
def test_a_stored_weight_is_at_least_half_of_what_the_fixed_share_leaves(name):
    # of 3 competitors after 3 documents each has 1/4 * 1/3 at least: 1/24 may be rounding, 1/25 not
    state = {"pool": np.full(2, 1 / 2), "weights": np.full(3, 1 / 3), "n_docs": 3}
    for least, is_good in ((1 / 24, True), (1 / 25, False)):
        rest = (1 - least) / (len(state[name]) - 1)
        stored = state | {name: np.r_[least, np.full(len(state[name]) - 1, rest)]}
        if is_good:
            assert getattr(Mixing.from_state(stored, **sizes(2)), name)[0] == least
        else:
            with pytest.raises(ValueError, match=f"{name} must be numbers from"):
                Mixing.from_state(stored, **sizes(2))


def test_a_first_expert_that_is_hopeless_does_not_overflow_the_others():
    mixing = Mixing(2)
    mixing.update(np.array([[-2000.0, -1.0]]))
    # half of the weight is shared by all three; the other half is the winner's, and the pool's
    assert np.isfinite(mixing.weights).all()
    assert mixing.weights.sum() == pytest.approx(1.0)
    assert mixing.weights[0] == pytest.approx(1 / 6)
