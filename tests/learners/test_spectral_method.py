import numpy as np

from spectralleader import Everything, LiteralLeader, SpectralMethod
from spectralleader.streams.synthetic import hard
from tests.factories import documents


def test_it_is_the_literal_leader_that_forgets_nothing():
    block = documents(200, 6)
    method = SpectralMethod(3, n_words=6).fit(block)
    leader = LiteralLeader(3, n_words=6, sample=Everything(n_words=6))
    leader.learn(block)
    # which keeps its topics in the order they were first found in
    in_order = method.model.aligned_to(leader.predictive)
    np.testing.assert_array_equal(in_order.topics, leader.predictive.topics)
    assert method.info.n_usable == leader.info.n_usable


def test_it_recovers_the_hard_problem():
    block, _ = hard().truth.sample(20_000, 3, seed=0)
    # a squared error of order parameters / documents, 8 / 20,000, of which M3 sees a part
    assert hard().truth.distance(SpectralMethod(3, n_words=3).fit(block).model) < 4e-4
