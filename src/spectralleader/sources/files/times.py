"""Parsing of times: ISO 8601, Unix time, Twitter's format, the format of e-mail."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

LONG_AGO = datetime.min.replace(tzinfo=UTC)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NAMES = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
MONTHS = {name: f"{month:02}" for month, name in enumerate(NAMES, 1)}
LOOSE = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[ T]+(.*))?")
# Twitter's format has a reader of its own: that of e-mail dates takes three times as long, and
# `datetime.strptime` ten times.
TWITTER = re.compile(r"\w{3} \w{3} +\d+ [\d:.]+ [+-]\d{4} \d{4}")
NUMBER = re.compile(r"-?\d+(\.\d*)?")


def parse_time(text: str | None) -> datetime | None:
    """Return a time in UTC, or None if it is invalid; a time without a zone is taken as UTC.

    Examples
    --------
    >>> for text in ("2016-11-08T13:00:00Z", "1478610000", "Tue Nov 08 13:00:00 +0000 2016"):
    ...     print(parse_time(text))
    2016-11-08 13:00:00+00:00
    2016-11-08 13:00:00+00:00
    2016-11-08 13:00:00+00:00
    """
    if not text:
        return None
    try:
        return _in_utc(_parse(text.strip()))
    except (ValueError, OverflowError, KeyError, TypeError):
        return None


def parse_times(texts: Sequence[str | None], format: str | None = None) -> list[datetime | None]:
    """Return `parse_time` of all texts, with a fast path if all are in ISO 8601.

    With a format of `datetime.strptime`, no other one is read.
    """
    if format is not None:
        return [_parse_as(text, format) for text in texts]
    try:
        # One comprehension; a text in another format sends the whole column to `parse_time`.
        times = [datetime.fromisoformat(text) for text in texts if text and text[4] == "-"]
        if len(times) == len(texts):
            return [time if time.tzinfo is UTC else _in_utc(time) for time in times]
    except (ValueError, OverflowError, IndexError):
        pass
    return [parse_time(text) for text in texts]


def check_time_format(format: str | None) -> str | None:
    """Return a format of `datetime.strptime`, or None; raise `ValueError` if it is invalid.

    Examples
    --------
    >>> check_time_format("%d/%m/%Y")
    '%d/%m/%Y'
    """
    if format is not None:
        try:
            datetime.strptime(EPOCH.strftime(format), format)
        except (ValueError, re.error) as error:
            raise ValueError(
                f"{format!r} is not a format of times: {error}; write it as in %d/%m/%Y %H:%M"
            ) from error
    return format


def _parse_as(text: str | None, format: str) -> datetime | None:
    try:
        return _in_utc(datetime.strptime((text or "").strip(), format))
    except (ValueError, OverflowError):
        return None


def _in_utc(time: datetime) -> datetime:
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def _parse(text: str) -> datetime:
    if text[4:5] != "-":
        if text[:1].isalpha():
            return _parse_twitter(text) if TWITTER.fullmatch(text) else parsedate_to_datetime(text)
        if NUMBER.fullmatch(text):
            return _parse_number(text)
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return _parse_loose(text)


def _parse_number(text: str) -> datetime:
    """Parse a year (2016), a date (20161108), or Unix time in s, ms, us or ns."""
    if len(text) == 4:
        return datetime(int(text), 1, 1)
    # Eight digits are a date only in this range: others may be Unix time.
    if len(text) == 8 and "19000101" <= text < "21010101":
        return datetime.fromisoformat(text)
    value = float(text)
    # Seconds stay below 1e11 until the year 5138; larger numbers are in a smaller unit.
    scale = 1000.0 ** max(0, math.ceil((math.log10(abs(value) or 1) - 11) / 3))
    return EPOCH + timedelta(seconds=value / scale)


def _parse_twitter(text: str) -> datetime:
    """Parse `Tue Nov 08 13:00:00 +0000 2016`."""
    _, month, day, clock, zone, year = text.split()
    return datetime.fromisoformat(f"{year}-{MONTHS[month]}-{int(day):02}T{clock}{zone}")


def _parse_loose(text: str) -> datetime:
    """Parse `2017/2/7`, `2016/12/30 7:11`, `2016-11-08 13:00:00 UTC`, `... +0000`."""
    match = LOOSE.fullmatch(text)
    if match is None:
        return parsedate_to_datetime(text)
    year, month, day, clock = match.groups()
    date = f"{year}-{int(month):02}-{int(day):02}"
    clock = re.sub(r" *(UTC|GMT)$", "Z", clock or "").replace(" ", "")
    hour, colon, rest = clock.partition(":")
    return datetime.fromisoformat(f"{date}T{hour:0>2}{colon}{rest}" if clock else date)
