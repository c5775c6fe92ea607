"""Rotated files beside a log, in order of their age."""

from __future__ import annotations

import glob
import re
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

COMPRESSED = r"\.(gz|zst|bz2|xz)"
ROTATED = re.compile(rf"[.-]\d[\d.\-_:T]*({COMPRESSED})?")  # suffix of rotated files: .1, -20240131


class Rotated(NamedTuple):
    """A rotated file; oldest first in sorted order: .2 is older than .1 of the same time."""

    time: int  # of its last change, in ns: renaming preserves it
    rank: int
    path: Path
    inode: int

    @classmethod
    def of(cls, path: Path) -> Rotated:
        """Return a file with its age."""
        number = path.suffix.removeprefix(".")
        is_number = number.isdecimal() and len(number) < len("2024")  # longer ones are dates
        found = path.stat()
        return cls(found.st_mtime_ns, -int(number) if is_number else 0, path, found.st_ino)

    @property
    def place(self) -> tuple[Path, int]:
        """Its name and inode."""
        return self.path, self.inode

    @property
    def is_compressed(self) -> bool:
        """Whether its name is that of a compressed file."""
        return re.search(rf"{COMPRESSED}$", self.path.name) is not None


def identify(one: Rotated) -> tuple[int, int]:
    """Return what tells a rotated file from others: inodes are used again."""
    return one.inode, one.time


def find_rotated(path: Path) -> list[Rotated]:
    """Return the rotated files beside a file, oldest first.

    They may be renamed while they are listed, so they are listed until two looks agree.
    """
    found, again = list_rotated(path), list_rotated(path)
    while [one.place for one in found] != [one.place for one in again]:
        found, again = again, list_rotated(path)
    return again


def list_rotated(path: Path) -> list[Rotated]:
    """Return the rotated files beside a file; a compressed one only if it is no other's copy."""
    found = []
    for other in path.parent.glob(f"{glob.escape(path.name)}*"):
        if ROTATED.fullmatch(other.name[len(path.name) :]) and other.is_file():
            with suppress(FileNotFoundError):
                found.append(Rotated.of(other))
    paths = {one.path for one in found}
    return sorted(
        one for one in found if not (one.is_compressed and one.path.with_suffix("") in paths)
    )
