import numpy as np
import pytest

from spectralleader import Documents, StepwiseEM
from spectralleader.em.start import make_start
from spectralleader.em.statistics import with_words
from spectralleader.learners.hedged.mixing import Mixing
from study.pool import GRID, EMPool
from tests.factories import documents

LONG = Documents.from_tokens([[0] * 40 + [1, 2, 3] * 9, [4] * 17, [5]], n_words=30)


@pytest.mark.parametrize("mini_batch", [1, 4])
def test_the_pool_is_54_stepwise_ems_that_are_mixed(mini_batch):
    pool = EMPool(3, n_words=30, seed=2, mini_batch=mini_batch)
    members = [
        StepwiseEM(3, n_words=30, step_power=power, start=start, smoothing=smoothing)
        for i, (power, concentration, smoothing) in enumerate(GRID)
        for start in [make_start(concentration, 3, 30, [2, i])]
    ]
    mixing = Mixing(len(GRID))

    def log_probs(block):
        return np.stack([member.model.log_prob(block) for member in members], axis=1)

    for block in [*(documents(7, 30, seed=seed) for seed in range(20)), LONG]:
        expected = mixing.log_prob(log_probs(block))
        np.testing.assert_allclose(pool.predictive.log_prob(block), expected, atol=1e-9)
        pool.learn(block)
        for part in with_words(block).blocks(mini_batch):
            mixing.update(log_probs(part))
            for member in members:
                member.learn(part)
    assert pool.n_updates == members[0].n_updates


def test_a_long_stream_does_not_underflow():
    pool = EMPool(2, n_words=3, mini_batch=1)
    block = Documents.from_tokens([[0, 0, 1], [2, 2, 2]] * 500, n_words=3)
    for _ in range(15):
        pool.learn(block)
    assert pool._scales.min() > 0.0
    words = np.array(pool.model.weights @ pool.model.topics)
    np.testing.assert_allclose(words, [1 / 3, 1 / 6, 1 / 2], atol=0.02)


def test_a_saved_pool_goes_on_as_if_it_had_not_stopped():
    pool = EMPool(2, n_words=6)
    pool.learn(documents(30, 6))
    again = EMPool.from_state(pool.to_state())
    for one in (pool, again):
        one.learn(documents(30, 6, seed=1))
    np.testing.assert_array_equal(again.model.topics, pool.model.topics)


def test_words_that_are_renumbered_are_renumbered_in_every_member():
    pool = EMPool(2, n_words=6)
    pool.learn(documents(30, 6))
    before = pool.model.topics
    order = np.array([5, 4, 3, 2, 1, 0])
    pool.recode(order, 6)
    np.testing.assert_allclose(pool.model.topics[:, order], before, atol=1e-12)
