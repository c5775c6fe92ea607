"""Validation of arguments: return the value, or raise a `ValueError` that states the rule.

Examples
--------
>>> check_whole("n", 3, least=1)
3
>>> check_whole("n", 2.5, least=1)
Traceback (most recent call last):
ValueError: n must be an integer of at least 1, got 2.5
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np


def is_whole(value: Any) -> bool:
    """Return whether a value is an integer; booleans are not."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Return an integer within bounds; raise `ValueError` otherwise."""
    if not is_whole(value) or value < least:
        raise ValueError(f"{name} must be an integer of at least {least}, got {show(value)}")
    if most is not None and value > most:
        raise ValueError(f"{name} must be at most {most}, got {show(value)}")
    return int(value)


def check_truth(name: str, value: Any) -> bool:
    """Return a boolean; raise `ValueError` otherwise."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be true or false, got {show(value)}")
    return bool(value)


def is_number(value: object) -> bool:
    """Return whether a value is a real number; booleans are not."""
    return is_whole(value) or isinstance(value, float | np.floating)


def check_json(name: str, value: Any) -> str:
    """Return plain values as JSON text, or raise if reading it back gives other values."""
    # Read back, because JSON makes lists of tuples, and strings of keys that are numbers.
    try:
        text = json.dumps(value, allow_nan=False)
        if json.loads(text) == value:
            return text
    except (TypeError, ValueError, RecursionError):
        pass
    raise ValueError(f"{name} must be plain JSON values, got {value!r:.60}")


def show(value: Any) -> str:
    """Return a value in one short line; integers of thousands of digits cannot be printed."""
    if isinstance(value, int) and abs(value) >= 10**40:
        return "a huge number"
    return f"{value!r:.60}"
