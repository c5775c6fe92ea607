"""Times of texts as Unix seconds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import UTC, datetime

import numpy as np

from spectralleader.arrays import Floats

Time = datetime | float | np.datetime64 | None


def as_seconds(time: Time) -> float:
    """Return a time as Unix seconds, NaN if there is none; one without a zone is in UTC.

    Examples
    --------
    >>> as_seconds(datetime(1970, 1, 2)), as_seconds(7), as_seconds(None)
    (86400.0, 7.0, nan)
    """
    if time is None:
        return math.nan
    if isinstance(time, np.datetime64):
        return float(time.astype("datetime64[us]").astype(np.int64)) / 1e6
    if isinstance(time, datetime):
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    return float(time)


def as_positions(times: Iterable[Time]) -> Floats:
    """Return times as Unix seconds, see `as_seconds`."""
    seconds = [
        time.timestamp() if type(time) is datetime and time.tzinfo else as_seconds(time)
        for time in times
    ]
    return np.array(seconds, np.float64)
