from datetime import UTC, datetime, timedelta
from time import perf_counter

import numpy as np
import pytest

from spectralleader import TextTopics
from spectralleader.reading.timeline import Timeline
from spectralleader.reading.trends import (
    ENOUGH,
    FEWEST,
    SURE,
    Shift,
    Trends,
    name_about,
    name_date,
    name_position,
    sample_under,
)
from spectralleader.reading.typical import typical_texts
from tests.factories import same_state, texts

WRITTEN, LABELS = texts(900)
START = datetime(2021, 11, 1, tzinfo=UTC)
# half of the weather comes first
ORDER = sorted(range(900), key=lambda i: (i % 2 == 0 or LABELS[i] != "weather", i))
TEXTS = [WRITTEN[i] for i in ORDER]
TIMES = [START + timedelta(hours=i) for i in range(900)]


@pytest.fixture(scope="module")
def learned():
    topics = TextTopics(3, learner="hedged")
    topics.learn(TEXTS, TIMES)
    return topics


def test_shares_over_time_are_those_of_the_documents(learned):
    trends = learned.trends()
    assert trends.by_time
    np.testing.assert_allclose(trends.shares.sum(axis=1), 1.0)
    assert trends.n_docs.sum() == 900
    guessed = learned.posterior(TEXTS).argmax(axis=1)
    seconds = np.array([time.timestamp() for time in TIMES])
    for i, start in enumerate(trends.starts):
        here = guessed[(seconds >= start) & (seconds < start + trends.width)]
        # all of them are in the sample: they differ by how sure the model is
        share = np.bincount(here, minlength=3) / len(here)
        np.testing.assert_allclose(trends.shares[i], share, atol=0.05)


def test_rows_are_tidy_and_a_level_has_its_own(learned):
    trends = learned.trends(2)
    rows = trends.rows()
    assert len(rows) == 2 * len(trends.starts)
    assert list(rows[0]) == ["time", "topic", "share", "error", "documents"]
    assert rows[0]["time"].startswith("2021-11-01")
    assert {row["topic"] for row in rows} == {1, 2}


def test_intervals_do_not_begin_before_the_data():
    topics, first = TextTopics(2, learner="unigram"), datetime(2025, 1, 1, 9, tzinfo=UTC)
    days = [first + timedelta(days=i // 3) for i in range(300)]
    topics.learn(["rain and wind", "late goal", "wind"] * 100, days)
    trends = topics.trends()
    assert trends.starts[0] < first.timestamp()  # intervals have a round length
    rows = trends.rows()
    assert rows[0]["time"] == "2025-01-01T09:00:00Z"
    assert rows[2]["time"] == name_position(trends.starts[1], by_time=True)


def test_what_fell_is_told_with_its_time(learned):
    shift = learned.trends().shifts()[0]
    rain = int(learned.posterior([WRITTEN[LABELS.index("weather")]]).argmax())
    assert shift.topic == rain
    assert shift.before > shift.after


def test_nothing_is_told_of_chance():
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.full(4, 200.0), size=30)  # errors of 200 documents
    n = np.full(30, 200)
    assert Trends(False, np.arange(30.0), 1.0, n, n, shares).shifts() == []


def divide_one_by_one(trends):
    """Return the shifts by trying every place for every topic."""
    n, found = trends.n_docs.astype(float), []
    noise = (trends.errors * n[:, None]) ** 2
    for k, share in enumerate(trends.shares.T):
        tried = []
        for i in range(1, len(n)):
            sizes = int(n[:i].sum()), int(n[i:].sum())
            if min(sizes) >= max(FEWEST, ENOUGH * n.sum()):
                sides = slice(0, i), slice(i, None)
                early, late = (float(np.average(share[one], weights=n[one])) for one in sides)
                error = sum(noise[one, k].sum() / n[one].sum() ** 2 for one in sides)
                ratio = abs(late - early) / np.sqrt(error)
                tried.append((ratio, -i, Shift(k, early, late, trends.starts[i], *sizes)))
        if tried and max(tried)[0] > SURE:
            found.append(max(tried)[2])
    return sorted(found, key=lambda one: -abs(one.after - one.before))


@pytest.mark.parametrize("seed", range(20))
def test_shifts_are_those_of_every_place_tried_one_by_one(seed):
    rng = np.random.default_rng(seed)
    n, K = int(rng.integers(1, 65)), int(rng.integers(3, 30))
    shares = rng.dirichlet(np.full(K, rng.choice([0.1, 1.0, 50.0])), size=n)
    late = np.arange(n) >= n * rng.random()
    shares[late] = 0.5 * shares[late] + 0.5 * rng.dirichlet(np.full(K, 0.3))
    n_docs = rng.integers(1, rng.choice([20, 2000]), size=n)
    trends = Trends(False, np.arange(n) * 2.0, 2.0, n_docs, np.minimum(n_docs, 200), shares)
    assert trends.shifts() == divide_one_by_one(trends)


def seconds_of_shifts_and_rows(n_topics):
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.full(n_topics, 0.1), size=64)
    n = np.full(64, 200)
    trends = Trends(False, np.arange(64.0), 1.0, n, n, shares)
    took = []
    for _ in range(7):
        began = perf_counter()
        trends.shifts()
        trends.rows()
        took.append(perf_counter() - began)
    return min(took)


def test_the_time_of_shifts_and_rows_grows_with_the_topics_not_their_square():
    # A ratio, because machines differ: 4 if linear, 16 if topics were compared in pairs.
    assert seconds_of_shifts_and_rows(200) < 10 * seconds_of_shifts_and_rows(50)


def test_typical_documents_have_their_text_and_differ(learned):
    sampled = sample_under(learned.at("all"), learned.timeline)
    for k in range(3):
        found = typical_texts(learned.model, sampled, 3)[k]
        assert len({one["text"] for one in found}) == 3
        assert {one["text"] for one in found} <= set(TEXTS)
        assert all(one["probability"] > 0.9 for one in found)
    by_topic = typical_texts(learned.model, sampled, 3, since=30)
    late = [one for rows in by_topic for one in rows]
    start = name_position(learned.trends().starts[30], by_time=True)
    assert late
    assert all(one["time"] >= start for one in late)


def test_without_texts_only_known_words_are_kept():
    topics = TextTopics(3, learner="hedged", timeline=Timeline(texts=False))
    topics.learn([f"{text} and the Unheard-Of{i}" for i, text in enumerate(TEXTS)], TIMES)
    kept = [text for one in topics.timeline.intervals() for text in one.texts]
    assert not any("and" in text.split() for text in kept)
    assert len(topics.trends().starts) > 30


def test_times_are_not_what_is_learned(learned):
    without = TextTopics(3, learner="hedged")
    without.learn(TEXTS)
    assert same_state(without.learner.to_state(), learned.learner.to_state())
    assert not without.trends().by_time


def test_times_must_be_as_many_as_texts():
    with pytest.raises(ValueError, match="there are 3 texts, and 2 times"):
        TextTopics(2).learn(TEXTS[:3], TIMES[:2])


def test_nothing_learned_has_no_trends():
    assert TextTopics(2).trends().rows() == []


def test_times_are_named_as_fine_as_they_are():
    noon = datetime(2021, 11, 24, 12, tzinfo=UTC).timestamp()
    assert name_date(noon, 86400.0, by_time=True) == "24 Nov 2021"
    assert name_date(noon, 3600.0, by_time=True) == "24 Nov 2021 12:00"
    assert name_date(noon, 1.0, by_time=True) == "24 Nov 2021 12:00:00"
    assert name_position(1e18, by_time=True) == "1000000000000000000"
    assert name_date(1e18, 1.0, by_time=True) == "1000000000000000000 s"


def test_people_count_documents_from_1_and_positions_from_0():
    assert name_date(0.0, 1.0, by_time=False) == "document 1"
    assert name_date(1024.0, 1.0, by_time=False) == "document 1,025"
    topics = TextTopics(2, learner="unigram")
    topics.learn(["rain and wind", "late goal", "wind"] * 100)
    trends = topics.trends()
    assert (trends.starts[0], trends.span) == (0.0, (0.0, 299.0))
    rows = trends.rows()
    assert rows[0]["time"] == "1"
    assert rows[2]["time"] == str(int(trends.starts[1]) + 1)


def test_times_that_cannot_be_read_leave_trends_by_number():
    topics = TextTopics(2, learner="stepwise-em")
    topics.learn(["rain and wind", "a late goal"] * 50, [None] * 100)
    assert topics.timeline.by_time is False
    assert topics.trends().n_docs.sum() == 100


def test_typical_documents_of_short_texts_are_of_their_topic():
    rows = ["rain wind storm snow", "goal cup team match", "shares profit rates bank"] * 100
    rows[1::30] = ["goal cup team match goal goal cup"] * 10
    topics = TextTopics(3)
    topics.learn(rows)
    sampled = sample_under(topics.at("all"), topics.timeline)
    for k in range(3):
        (found,) = typical_texts(topics.model, sampled, 1)[k]
        assert int(topics.posterior([found["text"]]).argmax()) == k


@pytest.mark.parametrize(
    ("days", "said"),
    [(10, "19 Jul 2024"), (11, "Jul 2024"), (310, "Jul 2024"), (900, "Q3 2024"), (1000, "2024")],
)
def test_approximate_times_are_as_precise_as_a_tenth_of_their_interval(days, said):
    assert name_about(datetime(2024, 7, 19, tzinfo=UTC).timestamp(), days * 86_400) == said
    assert name_about(1e18, days * 86_400) == "1000000000000000000 s"


def test_years_have_four_digits():
    assert name_position(-62135596800.0, by_time=True) == "0001-01-01T00:00:00Z"
