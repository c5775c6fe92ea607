"""Bars: the time intervals that people read, merged where documents are few."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.text.trends import DAY, FEWEST, TimelineSample, Trends

# Intervals are not merged across a pause of more than so many intervals and this part of the time:
# such a bar would show documents where there were none.
PAUSE, PART = 8, 1 / 20
# The page opens without the outermost documents, up to this share at either end, if they take at
# least this part of the time.
STRAY, LONG = 0.01, 0.25
UNITS = ((DAY, "day"), (3600.0, "hour"), (60.0, "minute"), (1.0, "second"))


@dataclass(frozen=True)
class Bars:
    """The bars of a chart over time."""

    of: Ints  # the bar of each interval of the timeline
    starts: Floats
    ends: Floats
    width: float  # of an interval of the timeline
    by_time: bool
    n_docs: Ints
    n_sampled: Ints

    def sample(self, sampled: TimelineSample) -> TimelineSample:
        """Return a sample with the bars of its documents as stretches."""
        return replace(sampled, stretch=self.of[sampled.stretch])

    def trends(self, trends: Trends) -> Trends:
        """Return trends per bar: means over its intervals, weighted by their documents."""
        sums = np.zeros((len(self.starts), trends.shares.shape[1]))
        np.add.at(sums, self.of, trends.shares * trends.n_docs[:, None])
        return replace(
            trends,
            starts=self.starts,
            n_docs=self.n_docs,
            n_sampled=self.n_sampled,
            shares=sums / np.maximum(self.n_docs, 1)[:, None],
        )

    def as_dict(self) -> dict[str, Any]:
        """Return everything that a page needs, as plain values."""
        usual = float(np.median(self.ends - self.starts)) if len(self.starts) else self.width
        return {
            "by_time": self.by_time,
            "width": self.width,
            "usual": usual,
            "step": name_step(usual, by_time=self.by_time),
            "enough": FEWEST,
            "starts": self.starts.tolist(),
            "ends": self.ends.tolist(),
            "n_docs": self.n_docs.tolist(),
            "n_sampled": self.n_sampled.tolist(),
            "shown": self.opening(),
        }

    def opening(self) -> tuple[int, int]:
        """Return the first bar that is shown when the page opens, and the end of the range."""
        n = len(self.starts)
        if n == 0:
            return 0, 0
        stray, long = STRAY * self.n_docs.sum(), LONG * (self.ends[-1] - self.starts[0])
        first = int(np.searchsorted(np.cumsum(self.n_docs), stray, side="right"))
        end = n - int(np.searchsorted(np.cumsum(self.n_docs[::-1]), stray, side="right"))
        return (
            first if self.starts[first] - self.starts[0] >= long else 0,
            end if self.ends[-1] - self.ends[end - 1] >= long else n,
        )


def merge_intervals(trends: Trends) -> Trends:
    """Return trends per bar: what rose and fell is found in these, in the terminal and on pages."""
    return find_bars(trends).trends(trends)


def find_curves(trends: Trends) -> list[list[float]]:
    """Return a curve of shares per topic, without bars of few documents, unless all are like that.

    A bar has few documents if it is too far from its neighbours to be merged with them.
    """
    merged = merge_intervals(trends)
    is_enough = merged.n_sampled >= FEWEST
    found: list[list[float]] = merged.shares[
        is_enough if is_enough.any() else slice(None)
    ].T.tolist()
    return found


def find_bars(trends: Trends) -> Bars:
    """Return the bars for the intervals of trends."""
    starts, width, n = trends.starts, trends.width, trends.n_sampled
    pauses = np.diff(starts) - width
    far = max(PAUSE * width, PART * float(np.ptp(starts))) if len(starts) else 0.0
    bars: list[list[int]] = []
    for i in range(len(starts)):
        if bars and pauses[i - 1] <= far and n[bars[-1]].sum() < FEWEST:
            bars[-1].append(i)
        else:
            bars.append([i])
    bars = join_rests(bars, n, pauses <= far)
    first = starts[[bar[0] for bar in bars]]
    ends = starts[[bar[-1] for bar in bars]] + width
    if len(bars):
        # Intervals are aligned with the epoch; the axis ends at the outermost documents. A document
        # at midnight most likely has a date without a time, and lasts a day.
        is_date = trends.by_time and trends.span[1] % DAY == 0
        first[0] = max(first[0], trends.span[0])
        ends[-1] = min(ends[-1], trends.span[1] + (DAY if is_date else 1.0))
    return Bars(
        np.repeat(np.arange(len(bars)), [len(bar) for bar in bars]),
        first,
        ends,
        width,
        trends.by_time,
        np.array([trends.n_docs[bar].sum() for bar in bars], np.int64),
        np.array([n[bar].sum() for bar in bars], np.int64),
    )


def join_rests(bars: Sequence[list[int]], n_sampled: Ints, is_near: Any) -> list[list[int]]:
    """Return bars where those with too few documents are joined to the bar before, if near."""
    joined: list[list[int]] = []
    for bar in bars:
        if joined and is_near[bar[0] - 1] and n_sampled[bar].sum() < FEWEST:
            joined[-1] += bar
        else:
            joined.append(bar)
    return joined


def name_step(width: float, *, by_time: bool) -> str:
    """Return the length of a bar in words.

    Examples
    --------
    >>> name_step(86_400.0, by_time=True), name_step(32.0, by_time=False)
    ('1 day', '32 documents')
    """
    size, unit = 1.0, "document"
    if by_time:
        size, unit = next((one for one in UNITS if width >= one[0]), UNITS[-1])
    n = round(width / size, 0 if width >= 10 * size else 1)
    return f"{n:,g} {unit}{'' if n == 1 else 's'}"
