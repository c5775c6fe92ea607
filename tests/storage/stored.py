"""Stored files of every format: ``python -m tests.storage.stored`` makes those of the present one.

Run it when there is a new format, or a new kind. Files of earlier formats are never made again:
that they can be read, or before the oldest readable format are refused, is what the tests are
about.
"""

from __future__ import annotations

from pathlib import Path

from spectralleader import save
from spectralleader.storage import FORMAT
from tests.storage.things import things

FOLDER = Path(__file__).parent / "stored"


def paths(number: int) -> list[Path]:
    """Return the stored files of a format."""
    return sorted((FOLDER / f"format-{number}").glob("*.stored"))


def main() -> None:
    """Make one of every kind."""
    folder = FOLDER / f"format-{FORMAT}"
    folder.mkdir(parents=True, exist_ok=True)
    for kind, thing in things():
        save(thing, folder / f"{kind.replace('/', '.')}.stored")


if __name__ == "__main__":
    main()
