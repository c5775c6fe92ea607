import numpy as np
import pytest

from spectralleader.learners.near import estimate_near
from spectralleader.moments import ProjectedMoments, ProjectedSums
from spectralleader.spectral import DECOMPOSITIONS, estimate
from spectralleader.spectral.power import random_starts
from spectralleader.streams.synthetic import random_problem


@pytest.mark.parametrize("name", sorted(DECOMPOSITIONS))
def test_the_kernel_goes_the_road_of_estimate(name):
    truth = random_problem(3, 40, seed=2).truth
    basis = np.linalg.qr(np.random.default_rng(0).normal(size=(40, 8)) + truth.topics[0][:, None])[
        0
    ]
    basis[:, :3] = np.linalg.qr(truth.topics.T)[0]
    sums = ProjectedSums(np.linalg.qr(basis)[0])
    sums.update(truth.sample(500, 6, seed=0)[0])
    starts = random_starts(3, 10, 0)
    cold = estimate(ProjectedMoments(sums), 3, DECOMPOSITIONS[name], starts)
    sums.update(truth.sample(100, 6, seed=1)[0])
    slow = estimate(ProjectedMoments(sums), 3, DECOMPOSITIONS[name], starts, near=cold.directions)
    found = estimate_near(sums, 3, cold.directions, joint=name == "joint")
    assert found is not None
    fast = found.estimate
    np.testing.assert_allclose(fast.model.weights, slow.model.weights, atol=1e-12)
    np.testing.assert_allclose(fast.model.topics, slow.model.topics, atol=1e-12)
    np.testing.assert_allclose(fast.triples, slow.triples, atol=1e-10)
    np.testing.assert_allclose(fast.clipped, slow.clipped, atol=1e-12)
    np.testing.assert_allclose(fast.directions, slow.directions, atol=1e-10)
