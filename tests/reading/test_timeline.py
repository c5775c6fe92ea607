"""The timeline: bounds, and samples that are those of the smallest priorities."""

import itertools
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader.reading.timeline import (
    Timeline,
    as_positions,
    as_seconds,
    merge_timelines,
)
from spectralleader.text.texts import cut_bytes
from tests.factories import same_state

LINES = [f"text {i}" for i in range(500)]
START = datetime(2021, 11, 24, tzinfo=UTC)
SMALL = {"n_buckets": 4, "n_texts": 3, "budget": 120}


def sum_bytes(texts):
    return sum(len(text.encode(errors="replace")) for text in texts)


def filled(times=None, size=50, **options):
    timeline = Timeline(**SMALL | options)
    for i in range(0, 500, size):
        part = None if times is None else as_positions(times[i : i + size])
        some = LINES[i : i + size]
        timeline.add(some, part, numbers=i + np.arange(len(some)))
    return timeline


hours = st.lists(st.integers(-(10**6), 10**6) | st.none(), min_size=500, max_size=500)


@given(hours)
def test_it_is_bounded_and_every_document_is_counted(times):
    given_times = [None if t is None else START + timedelta(hours=t) for t in times]
    timeline = filled(given_times)
    found = timeline.intervals()
    assert len(found) <= 4
    assert all(1 <= len(one.texts) == min(3, one.n_docs) for one in found)
    assert sum(one.n_docs for one in found) == 500 - times.count(None)
    assert sum_bytes(text for one in found for text in one.texts) <= 120
    known = dict(zip(LINES, given_times, strict=True))
    for one in found:
        assert all(one.start <= as_seconds(known[text]) < one.end for text in one.texts)
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))


def test_without_times_intervals_are_of_documents():
    timeline = filled()
    assert not timeline.by_time
    assert [(one.start, one.end, one.n_docs) for one in timeline.intervals()] == [
        *((start, start + 128, 128) for start in (0, 128, 256)),
        (384, 512, 116),
    ]


@pytest.mark.parametrize("size", [1, 7, 500])
def test_blocks_make_no_difference(size):
    assert same_state(filled().to_state(), filled(size=size).to_state())


def test_it_resumes_from_its_state_bit_for_bit():
    first = Timeline(**SMALL)
    first.add(LINES[:230], numbers=np.arange(230))
    again = Timeline.from_state(first.to_state())
    again.add(LINES[230:], numbers=np.arange(230, 500))
    assert same_state(again.to_state(), filled().to_state())


def test_samples_are_uniform():
    counts = np.zeros(500)
    for seed in range(400):
        for one in filled(size=500, seed=seed).intervals():
            counts[[int(text.split()[1]) for text in one.texts]] += 1
    by_bucket = [counts[a:b] for a, b in ((0, 128), (128, 256), (256, 384), (384, 500))]
    for found in by_bucket:
        assert found.sum() == 1200
        expected = 1200 / len(found)
        statistic = ((found - expected) ** 2 / expected).sum()
        # chi squared with about len - 1 degrees of freedom: 5 standard deviations
        assert statistic < len(found) + 5 * np.sqrt(2 * len(found))


def test_merging_counts_all_documents_and_samples_them_uniformly():
    counts = np.zeros(800)
    for seed in range(300):
        rng = np.random.default_rng(seed)
        # the same seed: both drew alike
        a, b = (Timeline(n_buckets=2, n_texts=8, budget=800, seed=seed) for _ in range(2))
        a.add([f"{i}" for i in range(600)], np.zeros(600), numbers=np.arange(600))
        b.add([f"{i}" for i in range(600, 800)], np.zeros(200), numbers=np.arange(200))
        a.merge([b], rng)
        found = a.intervals()
        assert sum(one.n_docs for one in found) == 800
        assert len(found) == 1
        counts[[int(text) for text in found[0].texts]] += 1
    # inclusion is 8 / 800 each: the second part has a quarter of 2,400, within 5 deviations
    assert abs(counts[600:].sum() - 600) < 5 * np.sqrt(2400 * 0.25 * 0.75)
    assert counts.max() <= 14  # of a Poisson variable of mean 3


def test_merging_nothing_changes_no_counts_and_unlike_kinds_are_counted_apart():
    rng = np.random.default_rng(0)
    whole, empty = filled(), Timeline(**SMALL)
    assert merge_timelines([empty, whole], rng) is whole
    assert merge_timelines([empty], rng) is empty
    assert same_state(whole.to_state(), filled().to_state())
    timed = filled([START + timedelta(days=i) for i in range(500)])
    timed.merge([filled()], rng)
    assert timed.by_time
    assert sum(one.n_docs for one in timed.intervals()) == 500


def test_times_may_be_datetimes_numbers_or_numpy_s():
    wanted = START.timestamp()
    naive = START.replace(tzinfo=None)
    for given_time in (START, naive, wanted, np.datetime64(naive)):
        assert as_seconds(given_time) == wanted


def test_long_texts_are_cut_between_characters():
    assert cut_bytes("abc", 100) == "abc"
    assert cut_bytes("äöü" * 9, 5) == "äö"
    timeline = Timeline(n_buckets=2, n_texts=1, budget=10)
    timeline.add(["ä" * 99], numbers=np.arange(1))
    assert timeline.intervals()[0].texts == ["ää"]


def test_a_time_out_of_all_bounds_is_no_time():
    timeline = Timeline(**SMALL)
    timeline.add(["a", "b"], np.array([1e300, 5.0]), numbers=np.arange(2))
    assert [one.texts for one in timeline.intervals()] == [["b"]]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"by_time": "weather"}, "by_time must be"),
        ({"numbers": np.array([3, 3])}, "numbers must rise"),
        ({"n_kept": np.array([3, 9])}, "keep no more"),
        ({"n_texts": 2}, "keep no more than 2"),
        ({"n_kept": np.array([3, 1])}, "number of texts kept"),
        ({"n_buckets": 1}, "n_buckets"),
        ({"entries": np.full((5, 2), 2.0)}, "priorities"),
    ],
)
def test_a_state_that_does_not_fit_together_is_refused(changes, said):
    timeline = Timeline(n_buckets=2, n_texts=3, budget=60)
    timeline.add(LINES[:6], numbers=np.arange(6))
    state = timeline.to_state()
    assert same_state(Timeline.from_state(state).to_state(), state)
    with pytest.raises(ValueError, match=said):
        Timeline.from_state({**state, **changes, "buckets": {**state["buckets"], **changes}})


@pytest.mark.parametrize(("days", "width"), [(1, 1), (7, 8)])
def test_regular_times_are_read_in_intervals_that_touch(days, width):
    timeline = Timeline()
    times = [START + timedelta(hours=10, days=days * i) for i in range(52)]
    timeline.add(LINES[:52], as_positions(times), numbers=np.arange(52))
    before, read = timeline.to_state(), timeline.legible()
    assert read.width == width * 86_400.0
    assert sum(one.n_docs for one in read.intervals()) == 52
    assert len(read.intervals()) >= 44
    assert same_state(timeline.to_state(), before)


def test_a_pause_does_not_make_intervals_longer():
    timeline = Timeline()
    days = [*range(20), *range(700, 720)]
    times = [START + timedelta(days=day) for day in days]
    timeline.add(LINES[:40], as_positions(times), numbers=np.arange(40))
    assert timeline.legible().width == 86_400.0


def test_times_are_read_as_people_have_them():
    assert as_seconds("2021-11-24T00:00:00Z") == as_seconds(START) == as_seconds(START.date())
    assert np.isnan(as_seconds(np.datetime64("NaT")))
    with pytest.raises(ValueError, match=r"'soon' is not a time; give datetime, .*ISO 8601"):
        as_seconds("soon")


def test_the_time_of_a_document_is_interpolated_within_its_interval():
    timeline, days = Timeline(n_buckets=2), 86_400.0 * np.arange(4000) / 10
    timeline.add(["a"] * 4000, days, numbers=np.arange(4000))
    assert timeline.width >= 128 * 86_400
    for number in (0, 500, 1234, 2600, 3999):
        # 200 sampled documents per interval: within a tenth of it
        assert abs(timeline.when(number) - days[number]) < timeline.width / 10
    assert timeline.when(10_000) > days[3900]
    assert Timeline().when(0) is None


def test_a_time_that_stands_for_none_does_not_stretch_the_axis():
    today = datetime(2026, 11, 19, tzinfo=UTC).timestamp()
    seconds = np.append(
        today + np.arange(500) / 1000, datetime(9999, 12, 31, tzinfo=UTC).timestamp()
    )
    timeline = Timeline()
    timeline.add(["a"] * 501, seconds, numbers=np.arange(501))
    intervals = timeline.legible().intervals()
    assert sum(one.n_docs for one in intervals) == 500
    assert intervals[-1].end < today + 2
