"""Trends: the share of each topic over time, and documents typical of it, with their text.

`Bars` are the intervals that people read: those of the timeline, merged where documents are few.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.documents import Documents
from spectralleader.models import TopicModel
from spectralleader.reading.timeline import Timeline
from spectralleader.text.tokens import Tokens, show_document

if TYPE_CHECKING:
    from spectralleader.reading.snapshot import Snapshot

SURE = 4.0  # standard errors of a change that is reported
ENOUGH = 0.02  # of all documents, on either side of a change
# Documents of a share that is worth showing: of 50, the standard error of 10 % is 4 %.
FEWEST = 50
DAY, MONTH = 86_400.0, 31 * 86_400.0
TENTH = 10  # times are interpolated to about this part of an interval
# Intervals are not merged across a pause of more than so many intervals and this part of the time:
# such a bar would show documents where there were none.
PAUSE, PART = 8, 1 / 20
# The page opens without the outermost documents, up to this share at either end, if they take at
# least this part of the time.
STRAY, LONG = 0.01, 0.25
COLUMNS = ("time", "topic", "share", "error", "documents")
UNITS = ((DAY, "day"), (3600.0, "hour"), (60.0, "minute"), (1.0, "second"))


class Shift(NamedTuple):
    """A lasting change of a topic's share."""

    topic: int  # from 0
    before: float  # share
    after: float
    position: float  # start of the first interval of the later part
    n_before: int  # documents
    n_after: int


@dataclass(frozen=True)
class TimelineSample:
    """The timeline's sample under a model: every text with its posterior."""

    timeline: Timeline  # with legible intervals
    texts: list[str]
    positions: Floats  # (n,) Unix seconds, or numbers
    interval: Ints  # (n,) the interval that each is of
    documents: Documents
    posterior: Floats  # (n, K)

    def under(self, model: TopicModel) -> TimelineSample:
        """Return the same sample under another model of the same words."""
        return replace(self, posterior=model.posterior(self.documents))

    def trends(self) -> Trends:
        """Return the shares of topics over time; without a sample those of all documents."""
        timeline, intervals = self.timeline, self.timeline.intervals()
        n, K = len(intervals), self.posterior.shape[1]
        sums, n_sampled = np.zeros((n, K)), np.bincount(self.interval, minlength=n)
        np.add.at(sums, self.interval, self.posterior)
        mean = self.posterior.mean(axis=0) if len(self.posterior) else np.full(K, 1.0 / K)
        shares = np.where(n_sampled[:, None] > 0, sums / np.maximum(n_sampled, 1)[:, None], mean)
        starts = np.array([one.start for one in intervals])
        n_docs = np.array([one.n_docs for one in intervals], np.int64)
        ends = self.positions if len(self.positions) else np.append(starts, 0.0)
        span, by_time = (float(ends.min()), float(ends.max())), bool(timeline.by_time)
        return Trends(by_time, starts, timeline.width, n_docs, n_sampled, shares, span)


@dataclass(frozen=True)
class Trends:
    """The share of each topic in each interval of time, under one model.

    Shares are means of P(topic | document) over the interval's sample. The error is that of a
    binomial share of as many documents.
    """

    by_time: bool  # whether positions are Unix seconds; else numbers of documents from 0
    starts: Floats  # (n,) of the intervals
    width: float
    n_docs: Ints  # (n,) documents with known words
    n_sampled: Ints  # (n,)
    shares: Floats  # (n, K)
    span: tuple[float, float] = (0.0, 0.0)  # positions of the first and last document in the sample

    @property
    def errors(self) -> Floats:
        """Standard error of each share, (n, K)."""
        n = np.maximum(self.n_sampled, 1)[:, None]
        share = (self.shares * n + 0.5) / (n + 1)  # of none in the sample, more may be outside
        return np.asarray(np.sqrt(share * (1.0 - share) / n))

    def rows(self) -> list[dict[str, Any]]:
        """Return a tidy table: time, topic (from 1), share, error, documents.

        The time is the start of the interval, but of the first one that of its first document.
        Without times it is the number of a document, from 1.
        """
        errors = self.errors
        return [
            {
                "time": name_position(self._begin(start), by_time=self.by_time),
                "topic": k + 1,
                "share": round(float(self.shares[i, k]), 4),
                "error": round(float(errors[i, k]), 4),
                "documents": int(self.n_docs[i]),
            }
            for i, start in enumerate(self.starts.tolist())
            for k in range(self.shares.shape[1])
        ]

    def shifts(self) -> list[Shift]:
        """Return the most significant change of each topic's share, if any; largest first.

        Either side of a change has `ENOUGH` of the documents, and at least `FEWEST`.
        """
        n = self.n_docs.astype(float)
        early_n = np.cumsum(n)[:-1]
        late_n = n.sum() - early_n
        # The last interval of the early part, for every place where the intervals may be divided.
        least = max(ENOUGH * n.sum(), FEWEST)
        ends = np.flatnonzero(np.minimum(early_n, late_n) >= least)
        if not len(ends):
            return []
        early_n, late_n = early_n[ends, None], late_n[ends, None]
        weighted = self.shares * n[:, None]
        noise = (self.errors * n[:, None]) ** 2  # of expected numbers of documents
        early, early_noise = (np.cumsum(sums, axis=0)[ends] for sums in (weighted, noise))
        late, late_noise = weighted.sum(axis=0) - early, noise.sum(axis=0) - early_noise
        error = np.sqrt(early_noise / early_n**2 + late_noise / late_n**2)
        ratio = np.abs(late / late_n - early / early_n) / error
        places = ends[ratio.argmax(axis=0)] + 1
        found = []
        for k in np.flatnonzero(ratio.max(axis=0) > SURE).tolist():
            place = int(places[k])
            before, after = self._mean(k, slice(0, place)), self._mean(k, slice(place, None))
            sizes = int(self.n_docs[:place].sum()), int(self.n_docs[place:].sum())
            found.append(Shift(k, before, after, float(self.starts[place]), *sizes))
        return sorted(found, key=lambda one: -abs(one.after - one.before))

    def _begin(self, start: float) -> float:
        """Return the start of an interval; the first begins with the data, not at a round time."""
        first = self.span[0]
        return first if start < first < start + self.width else start

    def _mean(self, k: int, which: slice) -> float:
        return float(np.average(self.shares[which, k], weights=self.n_docs[which]))


def sample_under(topics: Snapshot, timeline: Timeline) -> TimelineSample:
    """Read the timeline's sample under a model; texts without known words are left out."""
    timeline = timeline.legible()
    intervals = timeline.intervals()
    texts = [text for one in intervals for text in one.texts]
    positions = np.array([p for one in intervals for p in one.positions], float)
    interval = np.repeat(np.arange(len(intervals)), [len(one.texts) for one in intervals])
    words = topics.words
    stored = [words.restore(text) for text in texts] if isinstance(words, Tokens) else texts
    documents = topics.count(stored)
    known = np.flatnonzero(np.diff(documents.indptr) > 0)
    documents = documents[known]
    posterior = topics.model.posterior(documents)
    some = [show_document(stored[i]) for i in known.tolist()]
    return TimelineSample(timeline, some, positions[known], interval[known], documents, posterior)


def name_position(position: float, *, by_time: bool) -> str:
    """Return a time in ISO 8601, or the number of a document, which people count from 1.

    Examples
    --------
    >>> name_position(1637712000.0, by_time=True), name_position(128.0, by_time=False)
    ('2021-11-24T00:00:00Z', '129')
    """
    if not by_time:
        return str(int(position) + 1)
    if (time := in_calendar(position)) is None:
        return f"{position:.0f}"
    return time.isoformat(timespec="seconds").replace("+00:00", "Z")


def in_calendar(position: float) -> datetime | None:
    """Return a time in UTC, or None if it is beyond the calendar."""
    try:
        return datetime.fromtimestamp(position, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def name_share(share: float, n_docs: int) -> str:
    """Return a share of documents as people write it.

    Examples
    --------
    >>> name_share(0.52849, 900), name_share(0.0005, 900)
    ('52.8%', 'almost none')
    """
    return "almost none" if share * n_docs < 0.5 else f"{share:.1%}"


def name_about(position: float, width: float) -> str:
    """Return an approximate time, no more precise than a tenth of the interval that contains it.

    Examples
    --------
    >>> july = 1_721_347_200.0
    >>> name_about(july, 8 * DAY), name_about(july, 256 * DAY), name_about(july, 512 * DAY)
    ('19 Jul 2024', 'Jul 2024', 'Q3 2024')
    """
    time = in_calendar(position)
    if width <= TENTH * DAY or time is None:
        return name_date(position, width, by_time=True)
    if width <= TENTH * MONTH:
        return f"{time:%b %Y}"
    quarter = f"Q{(time.month + 2) // 3} "
    return (quarter if width <= TENTH * 3 * MONTH else "") + f"{time:%Y}"


def name_date(position: float, width: float, *, by_time: bool) -> str:
    """Return when an interval began as people write it: as fine as the intervals are long."""
    if not by_time:
        return f"document {int(position) + 1:,}"
    if (time := in_calendar(position)) is None:
        return f"{position:.0f} s"
    if width >= DAY:
        return f"{time.day} {time:%b %Y}"
    return f"{time.day} {time:%b %Y %H:%M}" + (f":{time:%S}" if width < 60 else "")


@dataclass(frozen=True)
class Bars:
    """The bars of a chart over time."""

    merged: Trends  # per bar; `width` is still that of an interval of the timeline
    of: Ints  # the bar of each interval of the timeline
    ends: Floats

    def sample(self, sampled: TimelineSample) -> TimelineSample:
        """Return a sample with the bars of its documents as intervals."""
        return replace(sampled, interval=self.of[sampled.interval])

    def trends(self, trends: Trends) -> Trends:
        """Return trends per bar: means over its intervals, weighted by their documents."""
        sums = np.zeros((len(self.ends), trends.shares.shape[1]))
        np.add.at(sums, self.of, trends.shares * trends.n_docs[:, None])
        return replace(self.merged, shares=sums / np.maximum(self.merged.n_docs, 1)[:, None])

    def as_dict(self) -> dict[str, Any]:
        """Return everything that a page needs, as plain values."""
        bars = self.merged
        usual = float(np.median(self.ends - bars.starts)) if len(self.ends) else bars.width
        return {
            "by_time": bars.by_time,
            "width": bars.width,
            "usual": usual,
            "step": name_step(usual, by_time=bars.by_time),
            "enough": FEWEST,
            "starts": bars.starts.tolist(),
            "ends": self.ends.tolist(),
            "n_docs": bars.n_docs.tolist(),
            "n_sampled": bars.n_sampled.tolist(),
            "shown": self.opening(),
        }

    def opening(self) -> tuple[int, int]:
        """Return the first bar that is shown when the page opens, and the end of the range."""
        starts, ends, n_docs, n = self.merged.starts, self.ends, self.merged.n_docs, len(self.ends)
        if n == 0:
            return 0, 0
        stray, long = STRAY * n_docs.sum(), LONG * (ends[-1] - starts[0])
        first = int(np.searchsorted(np.cumsum(n_docs), stray, side="right"))
        end = n - int(np.searchsorted(np.cumsum(n_docs[::-1]), stray, side="right"))
        return (
            first if starts[first] - starts[0] >= long else 0,
            end if ends[-1] - ends[end - 1] >= long else n,
        )


def merge_intervals(trends: Trends) -> Trends:
    """Return trends per bar: what rose and fell is found in these, in the terminal and on pages."""
    return find_bars(trends).merged


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
    far = max(PAUSE * width, PART * float(np.ptp(starts))) if len(starts) else 0.0
    # Whether an interval is near the one before, and may be in its bar.
    is_near = np.diff(starts, prepend=-np.inf) - width <= far
    firsts: list[int] = []  # the first interval of each bar
    for i in range(len(starts)):
        if not is_near[i] or n[firsts[-1] : i].sum() >= FEWEST:
            firsts.append(i)
    # The last bar before a pause may have too few documents: it joins the bar before, if near.
    stretches = zip(firsts, [*firsts[1:], len(starts)], strict=False)
    firsts = [i for i, end in stretches if not is_near[i] or n[i:end].sum() >= FEWEST]
    of = np.searchsorted(firsts, np.arange(len(starts)), side="right") - 1
    first, ends = starts[firsts], starts[np.flatnonzero(np.diff(of, append=-1))] + width
    if len(firsts):
        # Intervals are aligned with the epoch; the axis ends at the outermost documents. A document
        # at midnight most likely has a date without a time, and lasts a day.
        is_date = trends.by_time and trends.span[1] % DAY == 0
        first[0] = max(first[0], trends.span[0])
        ends[-1] = min(ends[-1], trends.span[1] + (DAY if is_date else 1.0))
    n_docs, n_sampled = (
        np.bincount(of, counts, len(first)).astype(np.int64) for counts in (trends.n_docs, n)
    )
    merged = replace(trends, starts=first, n_docs=n_docs, n_sampled=n_sampled)
    found = Bars(merged, of, ends)
    return replace(found, merged=found.trends(trends))


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


def write_trends(trends: Trends, names: Sequence[str], file: TextIO, format: str = "csv") -> int:
    """Write one line per time interval and topic, as CSV or JSON lines; return their number.

    If any topic has a name, names are a column; a missing name is null, in CSV empty.
    """
    rows = trends.rows()
    if any(names):
        rows = [{**row, "name": names[row["topic"] - 1] or None} for row in rows]
    if format == "jsonl":
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        return len(rows)
    # A column of empty names would be noise.
    columns = [*COLUMNS, "name"] if any(names) else COLUMNS
    writer = csv.DictWriter(file, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return len(rows)
