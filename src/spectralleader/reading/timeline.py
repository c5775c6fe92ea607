"""Timeline: document counts over time, with a uniform sample of texts per interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from dataclasses import field as attribute
from datetime import UTC, date, datetime
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.checks import check_whole
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import (
    MOST,
    check_same,
    floats,
    generator,
    integers,
    part,
    truth,
    whole,
)
from spectralleader.text.texts import Strings, cut_bytes

# Seconds of a bucket at doubling 0: at 17 it is a day, at 20 eight days.
SHORTEST = 675 / 2**10
MOST_DOUBLINGS = 60  # a bucket is then longer than any time span
LAST = 2**52  # bucket numbers are exact in floats up to here
LATEST = 7_258_118_400.0  # the year 2200: later times, such as 9999-12-31, stand for no time


@dataclass(slots=True)
class Bucket:
    """The documents of one interval: their number, and a sample of them."""

    n_docs: int = 0
    # (- priority, position, text), in order: the largest priority comes first
    kept: list[tuple[float, float, str]] = attribute(default_factory=list)

    def offer(self, entries: list[tuple[float, float, str]], most: int) -> None:
        """Add entries, and keep the `most` with the smallest priorities."""
        self.kept += entries
        self.kept.sort()  # nearly in order: one pass, and a comparison per entry
        # Priorities are negated: the largest ones are at the front.
        del self.kept[: max(0, len(self.kept) - most)]


class Buckets(dict[int, Bucket]):
    """The buckets by number; only those that have documents."""

    def to_state(self) -> dict[str, Any]:
        """Return the state, as arrays."""
        buckets = [self[number] for number in sorted(self)]
        entries = [entry for bucket in buckets for entry in bucket.kept]
        return {
            "numbers": np.array(sorted(self), np.int64),
            "n_docs": np.array([bucket.n_docs for bucket in buckets], np.int64),
            "n_kept": np.array([len(bucket.kept) for bucket in buckets], np.int64),
            "entries": np.array([entry[:2] for entry in entries], float).reshape(-1, 2),
            "kept": Strings(entry[2] for entry in entries).to_state(),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Buckets:
        """Return what `to_state` described."""
        numbers = integers(state, "numbers", (None,), -LAST, LAST)
        n_docs, n_kept = (integers(state, name, numbers.shape, 1) for name in ("n_docs", "n_kept"))
        if (np.diff(numbers) <= 0).any():
            raise ValueError("numbers must rise")
        if (n_kept > n_docs).any():
            raise ValueError("a bucket must keep no more documents than it has")
        texts = Strings.from_state(part(state, "kept"))
        check_same("the number of texts kept", len(texts), int(n_kept.sum()))
        entries = floats(state, "entries", (len(texts), 2))
        if ((entries[:, 0] < -1) | (entries[:, 0] > 0)).any():
            raise ValueError("priorities must be from 0 to 1")
        rest = zip(*entries.T.tolist(), texts, strict=True)
        sizes = zip(numbers.tolist(), n_docs.tolist(), n_kept.tolist(), strict=True)
        return cls((number, Bucket(n, sorted(islice(rest, k)))) for number, n, k in sizes)


class Interval(NamedTuple):
    """A time interval, its number of documents and a sample of them."""

    start: float  # Unix seconds, or the number of a document
    end: float
    n_docs: int
    texts: list[str]  # a uniform sample of the documents
    positions: list[float]  # of these: Unix seconds, or numbers


class Timeline(Saved):
    """Counts of documents and samples of texts in at most `n_buckets` intervals of time.

    Intervals have equal length, in time or, if documents have no times, in document numbers; empty
    ones are not stored. When there are too many, neighbours are merged, and the length of all
    doubles. Each has a uniform sample of its documents: every document draws a random priority, and
    the `n_texts` smallest are kept, so that samples can be merged.

    Parameters
    ----------
    n_buckets : int
        Maximum number of intervals.
    n_texts : int
        Maximum number of texts kept per interval.
    budget : int
        Maximum size of all texts, in bytes of UTF-8. A text longer than its share, ``budget //
        (n_buckets * n_texts)``, is truncated: by default after 625 bytes.
    texts : bool
        Whether texts are stored verbatim. If not, only their known words are, in the order of the
        vocabulary.
    seed : int
        Seed of the priorities.

    Examples
    --------
    >>> timeline = Timeline(n_buckets=2, n_texts=1)
    >>> timeline.add(["a", "b", "c"], numbers=np.arange(3))
    >>> [(one.start, one.end, one.n_docs, len(one.texts)) for one in timeline.intervals()]
    [(0.0, 2.0, 2, 1), (2.0, 4.0, 1, 1)]
    """

    saved = fields(
        n_buckets=field(whole, least=1),
        n_texts=field(whole, least=1),
        budget=field(whole, least=1),
        texts=truth,
        by_time=field(truth, optional=True),
        _doublings=field(whole, most=MOST_DOUBLINGS),
        _rng=generator,
        _buckets=Buckets,
    )

    def __init__(
        self,
        *,
        n_buckets: int = 64,
        n_texts: int = 200,
        budget: int = 8_000_000,
        texts: bool = True,
        seed: int = 0,
    ) -> None:
        self.n_buckets = check_whole("n_buckets", n_buckets, 2, 10_000)
        self.n_texts = check_whole("n_texts", n_texts, 1, 100_000)
        self.budget = check_whole("budget", budget, self.n_buckets * self.n_texts, MOST)
        self.texts = bool(texts)
        # Whether intervals are of time, not ranges of document numbers; None: empty.
        self.by_time: bool | None = None
        self._doublings = 0
        self._buckets = Buckets()
        self._rng = np.random.default_rng(seed)

    @property
    def longest(self) -> int:
        """Maximum size of one text in bytes."""
        return self.budget // (self.n_buckets * self.n_texts)

    @property
    def width(self) -> float:
        """Length of an interval, in seconds or documents."""
        return math.ldexp(SHORTEST if self.by_time else 1.0, self._doublings)

    def add(
        self,
        texts: Sequence[str] | Callable[[int], str],
        seconds: Floats | None = None,
        *,
        numbers: Ints,
    ) -> None:
        """Add documents.

        Parameters
        ----------
        texts : sequence of str, or callable
            The texts, or a function that returns the text of the document at a position.
        seconds : array, optional
            Unix seconds of each document, NaN if it has no time.
        numbers : array
            The number of each document in the stream.
        """
        if len(numbers) == 0:
            return
        if self.by_time is None:
            self.by_time = seconds is not None
        draws = self._rng.random(len(numbers))  # one per document: blocks make no difference
        positions = numbers.astype(float)
        if self.by_time:
            positions = np.full(len(numbers), np.nan) if seconds is None else seconds
            positions = np.where(positions < LATEST, positions, np.nan)
        buckets = np.floor(positions / self.width)
        # False for NaN too: documents without a time, or with one that is out of range.
        is_placed = np.abs(buckets) < LAST
        get = texts if callable(texts) else texts.__getitem__
        for bucket in sorted(set(buckets[is_placed].tolist())):
            self._offer(int(bucket), np.flatnonzero(buckets == bucket), draws, positions, get)
        self._double_if_full()

    def _offer(
        self, number: int, places: Ints, draws: Floats, positions: Floats, get: Callable[[int], str]
    ) -> None:
        bucket = self._buckets.setdefault(number, Bucket())
        # All documents count, also those whose texts are not kept.
        bucket.n_docs += len(places)
        if len(bucket.kept) == self.n_texts:  # most have no chance, and are not looked at
            places = places[draws[places] < -bucket.kept[0][0]]
        longest = self.longest  # most texts are ASCII, and short: nothing is called for them
        texts = [
            text if len(text) <= longest and text.isascii() else cut_bytes(text, longest)
            for text in map(get, places.tolist())
        ]
        entries = zip((-draws[places]).tolist(), positions[places].tolist(), texts, strict=True)
        bucket.offer(list(entries), self.n_texts)

    def _double_if_full(self) -> None:
        # A loop: buckets that are far apart do not merge at the first doubling.
        while len(self._buckets) > self.n_buckets:
            self._double()

    def _double(self, times: int = 1) -> None:
        """Merge neighbouring intervals; the length of all doubles, `times` times."""
        # An arithmetic shift rounds down, also for negative numbers: times before 1970.
        self._join((number >> times, bucket) for number, bucket in self._buckets.items())
        self._doublings += times

    def legible(self) -> Timeline:
        """Return the timeline with intervals about as long as the usual gap between documents.

        With one time per day, a month has thirty buckets of less than a second, far apart. They are
        merged until most buckets are adjacent; a long pause remains a gap.

        Examples
        --------
        >>> timeline = Timeline()
        >>> days = 86_400.0 * np.arange(30)
        >>> timeline.add(["a"] * 30, days, numbers=np.arange(30))
        >>> timeline.width < 1.0, timeline.legible().width
        (True, 86400.0)
        """
        numbers, times = np.array(sorted(self._buckets), np.int64), 0
        while self.by_time and len(numbers) > 1 and np.median(np.diff(numbers)) > 1:
            numbers, times = np.unique(numbers >> 1), times + 1
        if times == 0:
            return self
        # A shallow copy suffices: `_double` builds new buckets.
        longer = copy(self)
        longer._double(times)
        return longer

    def _join(self, parts: Iterable[tuple[int, Bucket]]) -> None:
        """Build the buckets from others with their new numbers, which may repeat."""
        self._buckets = Buckets()
        for number, joined in parts:
            bucket = self._buckets.setdefault(number, Bucket())
            bucket.n_docs += joined.n_docs
            bucket.offer(joined.kept, self.n_texts)

    def copy(self) -> Timeline:
        """Return an independent copy, to be read while this one changes."""
        timeline = copy(self)
        timeline._buckets = Buckets(
            (number, Bucket(bucket.n_docs, bucket.kept.copy()))
            for number, bucket in self._buckets.items()
        )
        return timeline

    def intervals(self) -> list[Interval]:
        """Return the intervals that have documents, in order of time."""
        intervals = []
        for number, bucket in sorted(self._buckets.items()):
            kept = sorted(bucket.kept, key=lambda entry: entry[1])
            start, end = number * self.width, (number + 1) * self.width
            texts, positions = [entry[2] for entry in kept], [entry[1] for entry in kept]
            intervals.append(Interval(start, end, bucket.n_docs, texts, positions))
        return intervals

    def when(self, number: int) -> float | None:
        """Return the approximate time of a document, given its number from 0.

        None if documents have no times. Documents are assumed to be in order of time. The time is
        that of a sampled document of the same interval, about as far from its first document; with
        200 sampled documents it is off by 4 % of the interval or so.

        Examples
        --------
        >>> timeline = Timeline(n_buckets=2)
        >>> timeline.add(
        ...     ["a", "b", "c"], np.array([0.0, 86_400.0, 172_800.0]), numbers=np.arange(3)
        ... )
        >>> timeline.when(0), timeline.when(1), timeline.when(2), timeline.width
        (0.0, 86400.0, 172800.0, 172800.0)
        """
        if not self.by_time:
            return None
        buckets = [bucket for _, bucket in sorted(self._buckets.items())]
        # Document numbers are not stored: counts of earlier intervals locate a document.
        ends = np.cumsum([bucket.n_docs for bucket in buckets])
        place = min(int(np.searchsorted(ends, number, side="right")), len(buckets) - 1)
        bucket = buckets[place]
        # The same quantile of the sample: the share of the interval that comes before the document.
        share = (number - (ends[place] - bucket.n_docs) + 0.5) / bucket.n_docs
        positions = sorted(entry[1] for entry in bucket.kept)
        return positions[min(int(share * len(positions)), len(positions) - 1)]

    def merge(self, others: Sequence[Timeline], rng: np.random.Generator) -> None:
        """Merge other timelines into this one.

        Documents of a timeline of another kind have no place in this one.
        """
        alike = [one for one in (self, *others) if one.by_time == self.by_time]
        for one in alike:
            one._draw_anew(rng)  # others may have drawn as this one did
            # Buckets can be joined only if they are equally long.
            while one._doublings < max(other._doublings for other in alike):
                one._double()
        self._join([item for one in alike for item in one._buckets.items()])
        self.texts = all(one.texts for one in alike)
        self._double_if_full()
        # Reseeded, because the parts may have had the same seed.
        self._rng = np.random.default_rng(rng.integers(2**63))

    def _draw_anew(self, rng: np.random.Generator) -> None:
        """Redraw the priorities of the kept texts: the smallest of one draw per document."""
        for number in sorted(self._buckets):
            bucket = self._buckets[number]
            n, kept = bucket.n_docs, bucket.kept
            # Order statistics of n exponential variables by their independent spacings; 1 - exp(-x)
            # of these is uniform.
            gaps = rng.standard_exponential(len(kept)) / (n - np.arange(len(kept)))
            # Permuted, because which document has which priority must be random.
            smallest = rng.permutation(-np.expm1(-np.cumsum(gaps)))
            bucket.kept = sorted((-p, *e[1:]) for p, e in zip(smallest.tolist(), kept, strict=True))

    def _loaded(self) -> None:
        buckets = self._buckets.values()
        if len(buckets) > self.n_buckets:
            raise ValueError(f"numbers must be at most {self.n_buckets}, got {len(buckets)}")
        if any(len(bucket.kept) > self.n_texts for bucket in buckets):
            raise ValueError(f"a bucket must keep no more than {self.n_texts} documents")
        # A file may contain longer texts than its budget allows.
        for bucket in buckets:
            bucket.kept = [(p, at, cut_bytes(text, self.longest)) for p, at, text in bucket.kept]


def merge_timelines(parts: Sequence[Timeline], rng: np.random.Generator) -> Timeline:
    """Return the merged timeline, modifying the parts; empty timelines have no effect."""
    first, *others = [one for one in parts if one.by_time is not None] or parts[:1]
    if others:
        first.merge(others, rng)
    return first


Time = datetime | date | float | str | np.datetime64 | None


def as_seconds(time: Time) -> float:
    """Return a time as Unix seconds, NaN if there is none; one without a zone is in UTC.

    Raises
    ------
    ValueError
        If it is neither a time of Python, NumPy or pandas, nor in ISO 8601, nor a number.

    Examples
    --------
    >>> as_seconds(datetime(1970, 1, 2)), as_seconds(7), as_seconds(None)
    (86400.0, 7.0, nan)
    >>> as_seconds("1970-01-02T00:00:00Z"), as_seconds(date(1970, 1, 2))
    (86400.0, 86400.0)
    """
    if time is None or time != time:  # NaN, and NaT of pandas and NumPy
        return math.nan
    if isinstance(time, np.datetime64):
        return float(time.astype("datetime64[us]").astype(np.int64)) / 1e6
    try:
        if isinstance(time, str):
            time = datetime.fromisoformat(time)
        if isinstance(time, date) and not isinstance(time, datetime):
            time = datetime(time.year, time.month, time.day)  # UTC, as below
        if isinstance(time, datetime):
            return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
        return float(time)
    except (TypeError, ValueError):
        raise ValueError(
            f"{time!r} is not a time; give datetime, date, numpy.datetime64, a string in ISO 8601, "
            "Unix seconds, or None"
        ) from None


def as_positions(times: Iterable[Time]) -> Floats:
    """Return times as Unix seconds, see `as_seconds`."""
    return np.array([as_seconds(time) for time in times], np.float64)


def check_n_times(n_texts: int, n_times: int) -> None:
    """Raise `ValueError` unless there is one time per text."""
    if n_times != n_texts:
        raise ValueError(
            f"there are {n_texts:,} texts, and {n_times:,} times; give one time per text, None "
            "where it is unknown"
        )
