"""Bars: few documents are merged, axes end where documents do, stray documents are outside."""

import numpy as np
import pytest

from spectralleader.reading.trends import (
    DAY,
    FEWEST,
    Trends,
    find_bars,
    find_curves,
    merge_intervals,
    name_step,
)


def trends(days, n_docs, span=None):
    starts, n = DAY * np.array(days, float), np.array(n_docs)
    shares = np.column_stack([n / n.max(), 1 - n / n.max()])
    ends = (starts[0], starts[-1]) if span is None else span
    return Trends(True, starts, DAY, n, n, shares, ends)


def test_neighbours_are_merged_until_there_are_enough_documents():
    found = find_bars(trends([0, 1, 2, 3, 4], [20, 20, 20, 90, 5]))
    assert found.of.tolist() == [0, 0, 0, 1, 1]
    assert found.merged.n_docs.tolist() == [60, 95]
    assert (found.ends / DAY).tolist() == [3, 5]
    merged = found.trends(trends([0, 1, 2, 3, 4], [20, 20, 20, 90, 5]))
    assert merged.shares[0, 0] == pytest.approx(20 / 90)
    np.testing.assert_allclose(merged.shares.sum(axis=1), 1.0)


def test_a_long_pause_is_not_bridged_and_stray_documents_are_outside_at_first():
    found = find_bars(trends([0, 200, *range(300, 330)], [1, 1, *[FEWEST] * 30]))
    assert found.merged.n_docs.tolist() == [1, 1, *[FEWEST] * 30]
    assert found.opening() == (2, 32)
    assert find_bars(trends([*range(30), 300], [9, *[900] * 29, 9])).opening() == (0, 29)
    assert find_bars(trends(range(30), [9, *[900] * 29])).opening() == (0, 29)


def test_curves_merge_small_intervals_and_omit_those_that_are_far_away():
    found = trends([0, 200, *range(300, 330)], [1, 1, *[20, 40] * 15])
    assert merge_intervals(found).n_docs.tolist() == [1, 1, *[60] * 15]
    assert [len(curve) for curve in find_curves(found)] == [15, 15]
    np.testing.assert_allclose(find_curves(found)[0], (20 * 0.5 + 40 * 1.0) / 60)


def test_curves_show_all_intervals_if_all_are_small():
    assert [len(curve) for curve in find_curves(trends([0, 200], [3, 4]))] == [2, 2]


def test_the_axis_ends_at_the_first_and_last_document():
    timed = find_bars(trends([0, 1], [90, 90], (0.5 * DAY, 1.5 * DAY)))
    assert (timed.merged.starts[0], timed.ends[-1]) == (0.5 * DAY, 1.5 * DAY + 1)
    assert find_bars(trends([0, 1], [90, 90])).ends[-1] == 2 * DAY


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(1, "1 second"), (90, "1.5 minutes"), (7200, "2 hours"), (33.4 * DAY, "33 days")],
)
def test_the_usual_bar_is_named(seconds, said):
    assert name_step(seconds, by_time=True) == said
    assert name_step(1024, by_time=False) == "1,024 documents"
    assert find_bars(trends([0, 1, 2, 3], [20, 30, 90, 90])).as_dict()["step"] == "1 day"


def test_no_intervals_have_no_bars():
    empty = Trends(True, np.zeros(0), DAY, np.zeros(0, int), np.zeros(0, int), np.zeros((0, 3)))
    assert find_bars(empty).opening() == (0, 0)
