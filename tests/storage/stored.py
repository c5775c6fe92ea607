"""Stored files of every format: ``python -m tests.storage.stored`` makes those that are missing.

Run it when there is a new format, or a new kind. A file is made once: that files of earlier commits
can be read, or before the oldest readable format are refused, is what the tests are about. Where a
state changes before its format was released, delete the file first.
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
            print(path)


if __name__ == "__main__":
    main()
