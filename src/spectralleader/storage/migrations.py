"""Migrations: headers of older file formats, converted one version at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spectralleader import __version__
from spectralleader.checks.states import take, text, whole
from spectralleader.errors import StorageError
from spectralleader.storage.kinds import find_kind

Header = dict[str, Any]
Migration = Callable[[Header], Header]

OLDEST = 3  # oldest readable format; formats 1 and 2 were never released
# The first migration converts a header with its arrays from format 3 to 4, and so on. Add one
# when a header or a state changes its meaning, and a stored file of the last format to the tests. A
# new field needs no migration: give it a default in `from_state`.
MIGRATIONS: tuple[Migration, ...] = ()
FORMAT = OLDEST + len(MIGRATIONS)  # the format that is written


def migrate(header: Header) -> Header:
    """Return the header converted to the current format; raise if its kind is unknown."""
    newest = OLDEST + len(MIGRATIONS)
    found = whole(header, "format", 1, 10**6)
    if found < OLDEST:
        raise StorageError(
            f"has format {found}, which spectralleader {__version__} cannot read: learn it again"
        )
    if found > newest:
        raise StorageError(
            f"has format {found}, spectralleader {__version__} reads up to {newest}; it was "
            f"written by {take(header, 'library')!r:.40}: install that or a newer one"
        )
    for step in MIGRATIONS[found - OLDEST :]:
        header = step(header)
    find_kind(text(header, "kind"))
    take(header, "state")
    return header
