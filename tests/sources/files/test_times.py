from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader.sources.files.times import parse_time, parse_times

NOON = datetime(2016, 11, 8, 13, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "2016-11-08T13:00:00Z",
        "2016-11-08T13:00:00.000+00:00",
        "2016-11-08 08:00:00-05:00",
        "2016-11-08 13:00:00",
        "2016-11-08 13:00:00 UTC",
        "2016-11-08 13:00:00 +0000",
        "2016/11/8 13:00",
        "20161108T130000Z",
        " 2016-11-08T13:00 ",
        "1478610000",
        "1478610000.0",
        "1478610000000",
        "1478610000000000",
        "1478610000000000000",
        "Tue Nov 08 13:00:00 +0000 2016",
        "Tue Nov 08 08:00:00 -0500 2016",
        "Tue, 08 Nov 2016 13:00:00 GMT",
        "Tue, 08 Nov 2016 08:00:00 -0500",
        "8 Nov 2016 13:00:00 +0000",
    ],
)
def test_a_time_is_read_in_every_common_form(text):
    assert parse_time(text) == NOON
    assert parse_time(text).tzinfo is UTC


@pytest.mark.parametrize("text", ["2016-11-08", "20161108", "2016/11/8", "2016.11.8", "2016-11-8"])
def test_a_date_is_its_midnight(text):
    assert parse_time(text) == NOON.replace(hour=0)


def test_a_year_is_its_first_day_and_a_small_hour_has_one_digit():
    assert parse_time("2016") == datetime(2016, 1, 1, tzinfo=UTC)
    assert parse_time("2016/12/30 7:11") == datetime(2016, 12, 30, 7, 11, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        *(None, "", " ", "soon", "11/08/2016", "2016-13-01", "Tue Now 08 13:00:00 +0000 2016"),
        *("1e400", "9" * 400, "nan", "0001-01-01T00:00:00+14:00", "May I ask", "\x00", "-"),
    ],
)
def test_what_is_no_time_is_none(text):
    assert parse_time(text) is None


@given(st.text())
def test_any_text_is_a_time_or_none(text):
    assert parse_time(text) is None or parse_time(text).tzinfo is UTC


@given(st.datetimes(datetime(1800, 1, 1), datetime(2200, 1, 1)), st.integers(-14, 14))
def test_iso_times_come_back(time, hours):
    time = time.replace(tzinfo=timezone(timedelta(hours=hours)))
    assert parse_time(time.isoformat()) == time


ISO = st.datetimes(timezones=st.sampled_from([None, UTC, timezone(timedelta(hours=-5))]))


@given(st.lists(ISO.map(datetime.isoformat) | st.sampled_from(["1478610000000", "", "x"])))
def test_many_times_are_read_as_each_one_is(texts):
    assert parse_times(texts) == [parse_time(text) for text in texts]
