"""Closing: why a limit refused or closed a connection."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum


class Closing(StrEnum):
    """The reason, as a label of metrics."""

    TOO_MANY = "too_many"  # refused: there is no room, and no connection is idle
    DISPLACED = "displaced"  # idle, closed to make room for a new one
    IDLE = "idle"  # without a request for too long
    INVALID = "invalid"  # not HTTP
    LONG_HEADERS = "long_headers"
    SLOW_HEADERS = "slow_headers"
    SLOW_BODY = "slow_body"
    SLOW_READER = "slow_reader"  # the client did not take its answer in time
    TOO_MANY_SLOW = "too_many_slow"  # waited longest when too many clients were slow


NoteClosing = Callable[[Closing], None]
