import numpy as np
import pytest

from spectralleader import Everything, LiteralLeader
from spectralleader.streams.synthetic import hard
from tests.factories import documents


def test_topics_keep_their_order_while_they_are_learned():
    truth = hard().truth
    leader = LiteralLeader(3, n_words=3, seed=0)
    block, _ = truth.sample(2000, 3, seed=0)
    leader.learn(block[:500])
    order = leader.model.topics.argmax(axis=1)
    for more in block[500:].blocks(100):
        leader.learn(more)
        np.testing.assert_array_equal(leader.model.topics.argmax(axis=1), order)


def test_diagnostics_are_of_the_current_model():
    leader = LiteralLeader(3, n_words=3)
    assert leader.info.n_usable == 0
    leader.learn(hard().truth.sample(1000, 3, seed=0)[0])
    assert leader.info.n_usable == 3
    assert leader.info.residual < 0.2


def test_a_sample_over_another_vocabulary_is_refused():
    with pytest.raises(ValueError, match="over 7 words, the learner over 6"):
        LiteralLeader(3, n_words=6, sample=Everything(n_words=7))


def test_a_sample_of_ones_own_is_used_and_saved():
    leader = LiteralLeader(3, n_words=6, reservoir_size=5, sample=Everything(n_words=6))
    leader.learn(documents(50))
    assert len(LiteralLeader.from_state(leader.to_state()).sample) == 50
