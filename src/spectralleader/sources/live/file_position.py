"""FilePosition: a position in a file that may be rotated, with bytes that identify the file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import IO, NamedTuple

from spectralleader.checks.states import part, text, whole
from spectralleader.sources.live.protocol import Json

FINGERPRINT_SIZE = 256  # bytes at the beginning and before the position that identify a file


class FilePosition(NamedTuple):
    """A position in a file, at the end of a line."""

    number: int = 0  # files finished before this one
    offset: int = 0  # bytes before the position
    line: int = 0  # lines before the position
    head: bytes = b""  # the first `FINGERPRINT_SIZE` bytes of the file, up to the position
    tail: bytes = b""  # the last `FINGERPRINT_SIZE` bytes before the position

    def after(self, lines: Sequence[bytes], *, is_whole: bool = True) -> FilePosition:
        """Return the position after some lines; `is_whole` is False if the last has no line end."""
        data = b"\n".join(lines) + (b"\n" if lines and is_whole else b"")
        return FilePosition(
            self.number,
            self.offset + len(data),
            self.line + len(lines),
            (self.head + data[:FINGERPRINT_SIZE])[:FINGERPRINT_SIZE],
            (self.tail + data[-FINGERPRINT_SIZE:])[-FINGERPRINT_SIZE:],
        )

    def matches(self, file: IO[bytes]) -> bool:
        """Return whether a file has the same identifying bytes."""
        return read_fingerprint(file, self.offset) == (self.head, self.tail)

    def to_state(self) -> Json:
        """Return the position as plain JSON, with digests instead of bytes."""
        return {
            "number": self.number,
            "offset": self.offset,
            "line": self.line,
            "head": {"size": len(self.head), "digest": digest(self.head)},
            "tail": {"size": len(self.tail), "digest": digest(self.tail)},
        }


class LinePositions:
    """A batch of lines, and the positions between them."""

    def __init__(self, start: FilePosition, lines: list[bytes], *, is_whole: bool) -> None:
        self._lines, self._is_whole = lines, is_whole
        self._file_position, self._n = start, 0  # the last one returned, and the lines before it

    def after(self, n: int) -> FilePosition:
        """Return the position after n lines; n must not decrease between calls."""
        is_whole = self._is_whole or n < len(self._lines)
        self._file_position = self._file_position.after(self._lines[self._n : n], is_whole=is_whole)
        self._n = n
        return self._file_position


def find_position(position: Json, paths: Sequence[Path]) -> tuple[FilePosition, Path] | None:
    """Return a stored position with its file, or None if no file contains it."""
    number, offset = whole(position, "number"), whole(position, "offset")
    line = whole(position, "line")
    parts = [part(position, name) for name in ("head", "tail")]
    fingerprints = [(whole(one, "size", 0, FINGERPRINT_SIZE), text(one, "digest")) for one in parts]
    for path in paths:
        if not path.is_file():
            continue
        with open(path, "rb") as file:
            ends = read_fingerprint(file, offset)
        if [(len(end), digest(end)) for end in ends] == fingerprints:
            return FilePosition(number, offset, line, *ends), path
    return None


def read_fingerprint(file: IO[bytes], offset: int) -> tuple[bytes, bytes]:
    """Return the first `FINGERPRINT_SIZE` bytes of a file, and the last before an offset."""
    size = min(FINGERPRINT_SIZE, offset)
    head, tail = (os.pread(file.fileno(), size, start) for start in (0, offset - size))
    return head, tail


def digest(data: bytes) -> str:
    """Return the SHA-256 of bytes."""
    return hashlib.sha256(data).hexdigest()
