"""Validation of the keys and values of tables in a scenario file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def check_keys(
    table: Mapping[str, Any], where: str, *, required: Iterable[str] = (), known: Iterable[str]
) -> None:
    """Raise for an unknown or missing key; the message names the place and the known keys."""
    required, known = list(required), list(known)
    listed = f"known keys: {', '.join([*required, *(k for k in known if k not in required)])}"
    for key in table:
        if key not in known and key not in required:
            raise ValueError(f"{where}: unknown key {key!r}; {listed}")
    for key in required:
        if key not in table:
            raise ValueError(f"{where}: key {key!r} is missing; {listed}")


def check_choice(value: Any, key: str, where: str, known: Iterable[str]) -> None:
    """Raise for a value that is not one of the known ones."""
    if not isinstance(value, str) or value not in (known := list(known)):
        raise ValueError(f"{where}: {key} must be one of {', '.join(known)}, got {value!r}")


def check_count(value: Any, key: str, where: str, least: int = 1) -> int:
    """Return an integer of at least `least`; raise `ValueError` otherwise."""
    if type(value) is not int or value < least:
        raise ValueError(f"{where}: {key} must be an integer from {least} on, got {value!r}")
    return value
