"""Bars: few documents are merged, axes end where documents do, stray documents are outside."""

import numpy as np
import pytest

from spectralleader.page.bars import ENOUGH, find_bars
from spectralleader.text.trends import DAY, Trends


def trends(days, n_docs, span=None):
    starts, n = DAY * np.array(days, float), np.array(n_docs)
    shares = np.column_stack([n / n.max(), 1 - n / n.max()])
    ends = (starts[0], starts[-1]) if span is None else span
    return Trends(True, starts, DAY, n, n, shares, ends)


def test_neighbours_are_merged_until_there_are_enough_documents():
    found = find_bars(trends([0, 1, 2, 3, 4], [20, 20, 20, 90, 5]))
    assert found.of.tolist() == [0, 0, 0, 1, 1]
    assert found.n_docs.tolist() == [60, 95]
    assert (found.ends / DAY).tolist() == [3, 5]
    merged = found.trends(trends([0, 1, 2, 3, 4], [20, 20, 20, 90, 5]))
    assert merged.shares[0, 0] == pytest.approx(20 / 90)
    np.testing.assert_allclose(merged.shares.sum(axis=1), 1.0)


def test_a_long_pause_is_not_bridged_and_stray_documents_are_outside_at_first():
    found = find_bars(trends([0, 200, *range(300, 330)], [1, 1, *[ENOUGH] * 30]))
    assert found.n_docs.tolist() == [1, 1, *[ENOUGH] * 30]
    assert found.opening() == (2, 32)
    assert find_bars(trends(range(30), [1, *[ENOUGH] * 29])).opening() == (0, 29)


def test_the_axis_ends_at_the_first_and_last_document():
    timed = find_bars(trends([0, 1], [90, 90], (0.5 * DAY, 1.5 * DAY)))
    assert (timed.starts[0], timed.ends[-1]) == (0.5 * DAY, 1.5 * DAY + 1)
    assert find_bars(trends([0, 1], [90, 90])).ends[-1] == 2 * DAY


def test_no_intervals_have_no_bars():
    empty = Trends(True, np.zeros(0), DAY, np.zeros(0, int), np.zeros(0, int), np.zeros((0, 3)))
    assert find_bars(empty).opening() == (0, 0)
