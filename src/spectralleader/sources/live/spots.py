"""Spots: a place in a file that may be rotated, and the bytes by which the file is known again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import IO, NamedTuple

from spectralleader.checks.states import part, text, whole
from spectralleader.sources.live.protocol import Json

MARK = 256  # bytes at the beginning, and before the position, by which a file is known again


class Spot(NamedTuple):
    """The end of a line of a file."""

    number: int = 0  # files that were finished before
    offset: int = 0  # bytes
    line: int = 0  # lines
    head: bytes = b""  # the first bytes of the file, as far as the spot
    tail: bytes = b""  # those before the spot

    def after(self, lines: Sequence[bytes], *, is_whole: bool = True) -> Spot:
        """Return the spot some lines further on; of the last one, the end may be missing."""
        data = b"\n".join(lines) + (b"\n" if lines and is_whole else b"")
        return Spot(
            self.number,
            self.offset + len(data),
            self.line + len(lines),
            (self.head + data[:MARK])[:MARK],
            (self.tail + data[-MARK:])[-MARK:],
        )

    def is_in(self, file: IO[bytes]) -> bool:
        """Return whether a file has the same bytes there."""
        return ends_in(file, self.offset) == (self.head, self.tail)

    def to_state(self) -> Json:
        """Return the spot as plain JSON, digests in place of bytes."""
        return {
            "number": self.number,
            "offset": self.offset,
            "line": self.line,
            "head": {"size": len(self.head), "digest": digest(self.head)},
            "tail": {"size": len(self.tail), "digest": digest(self.tail)},
        }


class Passed:
    """Lines that were read together, and the spots between them."""

    def __init__(self, start: Spot, lines: list[bytes], *, is_whole: bool) -> None:
        self._lines, self._is_whole = lines, is_whole
        self._spot, self._n = start, 0  # the last one that was asked for

    def after(self, n: int) -> Spot:
        """Return the spot after n of them, no fewer than the last time."""
        is_whole = self._is_whole or n < len(self._lines)
        self._spot = self._spot.after(self._lines[self._n : n], is_whole=is_whole)
        self._n = n
        return self._spot


def find_spot(position: Json, paths: Sequence[Path]) -> tuple[Spot, Path] | None:
    """Return the spot that a stored position is, and the file that it is in; None if in none."""
    number, offset = whole(position, "number"), whole(position, "offset")
    line = whole(position, "line")
    parts = [part(position, name) for name in ("head", "tail")]
    marks = [(whole(one, "size", 0, MARK), text(one, "digest")) for one in parts]
    for path in paths:
        if not path.is_file():
            continue
        with open(path, "rb") as file:
            ends = ends_in(file, offset)
        if [(len(end), digest(end)) for end in ends] == marks:
            return Spot(number, offset, line, *ends), path
    return None


def ends_in(file: IO[bytes], offset: int) -> tuple[bytes, bytes]:
    """Return the first bytes of a file, and those before an offset."""
    size = min(MARK, offset)
    head, tail = (os.pread(file.fileno(), size, start) for start in (0, offset - size))
    return head, tail


def digest(data: bytes) -> str:
    """Return the SHA-256 of bytes."""
    return hashlib.sha256(data).hexdigest()
