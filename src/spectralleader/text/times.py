"""Times of texts as Unix seconds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import UTC, date, datetime

import numpy as np

from spectralleader.arrays import Floats

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
    seconds = [
        time.timestamp() if type(time) is datetime and time.tzinfo else as_seconds(time)
        for time in times
    ]
    return np.array(seconds, np.float64)


def check_n_times(n_texts: int, n_times: int) -> None:
    """Raise `ValueError` unless there is one time per text."""
    if n_times != n_texts:
        raise ValueError(
            f"there are {n_texts:,} texts, and {n_times:,} times; give one time per text, None "
            "where it is unknown"
        )
