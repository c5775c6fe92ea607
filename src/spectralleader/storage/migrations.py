"""Files of earlier versions: headers brought up to date, one version after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spectralleader import __version__
from spectralleader.checks.states import take, text, whole
from spectralleader.errors import StorageError
from spectralleader.storage.kinds import find_kind

Header = dict[str, Any]
Migration = Callable[[Header], Header]

OLDEST = 2  # format that is read; format 1, never released, had checkpoints in another layout
# The first brings a header, its arrays in place, from format 2 to format 3, and so on. Add one when
# a header or a state changes its meaning, with a stored file of the last format in the tests: what
# is only new can be left to `from_state`, with a default.
MIGRATIONS: tuple[Migration, ...] = ()
FORMAT = OLDEST + len(MIGRATIONS)  # that files are written in


def migrate(header: Header) -> Header:
    """Return a header in the present format, of a kind that is known."""
    newest = OLDEST + len(MIGRATIONS)
    found = whole(header, "format", 1, 10**6)
    if found < OLDEST:
        raise StorageError(
            f"has format {found}, which spectralleader {__version__} does not read: learn it again"
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
