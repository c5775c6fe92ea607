"""Stored files of every format: ``python -m tests.storage.stored`` makes missing ones of this one.

Run it when there is a new format, or a new kind. Files that exist are never made again: that those
of earlier commits can be read, or before the oldest readable format are refused, is what the tests
are about. If a kind changes before it is released, delete its file first.
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
    """Make one of every kind that has none."""
    folder = FOLDER / f"format-{FORMAT}"
    folder.mkdir(parents=True, exist_ok=True)
    for kind, thing in things():
        path = folder / f"{kind.replace('/', '.')}.stored"
        if not path.exists():
            save(thing, path)


if __name__ == "__main__":
    main()
