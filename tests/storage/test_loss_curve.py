"""Losses over a stream: every document counts once, memory is bounded, states are checked."""

import numpy as np
import pytest

from spectralleader.storage.checkpoint import MOST_POINTS, LossCurve, LossPoint


def curve_of(n_blocks, size=37):
    curve, rng = LossCurve(), np.random.default_rng(0)
    for _ in range(n_blocks):
        curve.add(LossPoint(size, 9.0 * size, *rng.gamma(5.0, size, size=2).tolist()))
    return curve


@pytest.mark.parametrize("n_blocks", [1, 2, 540, 4001])
def test_every_document_counts_once_in_bounded_memory(n_blocks):
    curve = curve_of(n_blocks)
    assert len(curve.points) <= MOST_POINTS
    ends = [row[0] for row in curve.rows()]
    assert ends == sorted(set(ends))
    assert ends[-1] == 37 * n_blocks
    whole, rng = curve_of(0), np.random.default_rng(0)
    drawn = [rng.gamma(5.0, 37, size=2) for _ in range(n_blocks)]
    np.testing.assert_allclose(np.sum(curve.points, axis=0)[2:], np.sum(drawn, axis=0))
    assert whole.rows() == []


def test_points_are_of_about_as_many_documents():
    sizes = [point.n_docs for point in curve_of(4001).points]
    assert max(sizes[:-1]) <= 2.0 * min(sizes[:-1])


def test_documents_that_were_not_predicted_add_nothing():
    curve = LossCurve()
    curve.add(LossPoint(0, 0.0, 0.0, 0.0))
    assert curve.rows() == []


def test_a_curve_resumes_from_its_state():
    curve, again = curve_of(300), LossCurve.from_state(curve_of(300).to_state())
    for one in (curve, again):
        for _ in range(200):
            one.add(LossPoint(37, 333.0, 1.5, 2.5))
    assert curve.points == again.points
    assert curve.width == again.width


@pytest.mark.parametrize("points", [np.zeros((2, 4)), np.ones((MOST_POINTS + 1, 4))])
def test_points_that_cannot_be_are_refused(points):
    with pytest.raises(ValueError, match="points must"):
        LossCurve.from_state({"width": 100, "table": points})
