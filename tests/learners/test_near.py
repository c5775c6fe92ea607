import numpy as np
import pytest

from spectralleader.learners.spectral_leader.near import NO_CHANGE, Near
from spectralleader.learners.spectral_leader.order import arrange
from spectralleader.moments import ProjectedMoments, ProjectedSums
from spectralleader.samples import Change
from spectralleader.sources.synthetic import random_problem
from spectralleader.spectral import DECOMPOSITIONS, estimate
from spectralleader.spectral.power import random_starts

TRUTH = random_problem(3, 40, seed=2).truth
ENTERED, LEFT = TRUTH.sample(100, 6, seed=1)[0], TRUTH.sample(500, 6, seed=0)[0][:50]
CHANGE = Change.of(ENTERED, LEFT, np.arange(100))


def near_the_truth(name):
    """What is near the estimate of some documents, and that estimate's own road."""
    rng = np.random.default_rng(0)
    basis = np.linalg.qr(rng.normal(size=(40, 8)) + TRUTH.topics[0][:, None])[0]
    basis[:, :3] = np.linalg.qr(TRUTH.topics.T)[0]
    sums = ProjectedSums(np.linalg.qr(basis)[0])
    sums.update(TRUTH.sample(500, 6, seed=0)[0])
    starts = random_starts(3, 10, 0)

    def solve(near=None):
        return estimate(ProjectedMoments(sums), 3, DECOMPOSITIONS[name], starts, near=near)

    return Near(sums, solve().directions, joint=name == "joint"), solve


@pytest.mark.parametrize("name", sorted(DECOMPOSITIONS))
def test_the_kernel_goes_the_road_of_estimate(name):
    near, solve = near_the_truth(name)
    near.follow(CHANGE)
    fast, slow = near.estimate(), solve(near.directions)
    assert fast is not None
    np.testing.assert_allclose(fast.model.weights, slow.model.weights, atol=1e-12)
    np.testing.assert_allclose(fast.model.topics, slow.model.topics, atol=1e-12)
    np.testing.assert_allclose(fast.triples, slow.triples, atol=1e-10)
    np.testing.assert_allclose(fast.clipped, slow.clipped, atol=1e-12)
    np.testing.assert_allclose(fast.directions, slow.directions, atol=1e-10)


def test_following_is_exchanging():
    near, _ = near_the_truth("power")
    near.follow(CHANGE)
    sums = ProjectedSums(near.sums.basis)
    sums.update(TRUTH.sample(500, 6, seed=0)[0])
    sums.update(ENTERED)
    sums.downdate(LEFT)
    for mine, expected in zip(near.sums.parts(), sums.parts(), strict=True):
        np.testing.assert_allclose(mine, expected, atol=1e-12)


@pytest.mark.parametrize("level", [0.0, 0.25])
def test_following_estimating_and_arranging_are_the_same_at_once_to_the_bit(level):
    at_once, by_steps = (near_the_truth("power")[0] for _ in range(2))
    model = at_once.model(CHANGE, TRUTH, level)
    by_steps.follow(CHANGE)
    arranged = arrange(by_steps.estimate().model, TRUTH, level)
    np.testing.assert_array_equal(model.weights, arranged.weights)
    np.testing.assert_array_equal(model.topics, arranged.topics)


def test_too_few_directions_are_no_model():
    near, _ = near_the_truth("power")
    of_nothing = Near(ProjectedSums(near.sums.basis), near.directions, joint=False)
    assert of_nothing.model(NO_CHANGE, None, 0.0) is None
    assert of_nothing.estimate() is None
