"""FilePosition: a position in a file that may be rotated, with bytes that identify the file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import IO, NamedTuple

from spectralleader.checks.states import part, text, whole
from spectralleader.sources.live.protocol import Json

MAX_INODE = 2**64 - 1
FINGERPRINT_SIZE = 256  # bytes at the beginning and before the position that identify a file


class FilePosition(NamedTuple):
    """A position in a file, at the end of a line."""

    number: int = 0  # files finished before this one
    offset: int = 0  # bytes before the position
    line: int = 0  # lines before the position
    head: bytes = b""  # the first `FINGERPRINT_SIZE` bytes of the file, up to the position
    tail: bytes = b""  # the last `FINGERPRINT_SIZE` bytes before the position
    # What identifies the file if there are few bytes before the position, or none:
    start: bytes = b""  # the first `FINGERPRINT_SIZE` bytes, also after the position, as last read
    inode: int = 0  # which renaming preserves

    def identified(self, file: IO[bytes]) -> FilePosition:
        """Return the position with the first bytes and the inode that its file has now."""
        start = os.pread(file.fileno(), FINGERPRINT_SIZE, 0)
        return self._replace(start=start, inode=os.fstat(file.fileno()).st_ino)

    def after(self, lines: Sequence[bytes], *, is_whole: bool = True) -> FilePosition:
        """Return the position after some lines; `is_whole` is False if the last has no line end."""
        data = b"\n".join(lines) + (b"\n" if lines and is_whole else b"")
        return FilePosition(
            self.number,
            self.offset + len(data),
            self.line + len(lines),
            (self.head + data[:FINGERPRINT_SIZE])[:FINGERPRINT_SIZE],
            (self.tail + data[-FINGERPRINT_SIZE:])[-FINGERPRINT_SIZE:],
            self.start,
            self.inode,
        )

    def matches(self, file: IO[bytes]) -> bool:
        """Return whether a file has the same identifying bytes."""
        is_same = os.pread(file.fileno(), len(self.start), 0) == self.start
        return is_same and read_fingerprint(file, self.offset) == (self.head, self.tail)

    def to_state(self) -> Json:
        """Return the position as plain JSON, with digests instead of bytes."""
        return {
            "number": self.number,
            "offset": self.offset,
            "line": self.line,
            "head": {"size": len(self.head), "digest": digest(self.head)},
            "tail": {"size": len(self.tail), "digest": digest(self.tail)},
            "identity": self.identity,
        }

    @property
    def identity(self) -> Json:
        """The first bytes and the inode of the file, as plain JSON."""
        start = {"size": len(self.start), "digest": digest(self.start)}
        return {"start": start, "inode": self.inode}


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
    """Return a stored position with its file, or None if no file contains it.

    If the bytes of several files match, it is the one with the same inode, or else the first one.
    """
    number, offset = whole(position, "number"), whole(position, "offset")
    line = whole(position, "line")
    parts = [part(position, name) for name in ("head", "tail")]
    inode = 0
    if "identity" in position:  # absent from the positions of older files
        identity = part(position, "identity")
        inode = whole(identity, "inode", 0, MAX_INODE)
        parts.append(part(identity, "start"))
    fingerprints = [(whole(one, "size", 0, FINGERPRINT_SIZE), text(one, "digest")) for one in parts]
    found = None
    for path in paths:
        if not path.is_file():
            continue
        with open(path, "rb") as file:
            ends = read_fingerprint(file, offset)
            here = FilePosition(number, offset, line, *ends).identified(file)
        pieces = [*ends, here.start[: fingerprints[-1][0]]][: len(fingerprints)]
        if [(len(piece), digest(piece)) for piece in pieces] != fingerprints:
            continue
        if here.inode == inode:
            return here, path
        found = found or (here, path)
    return found


def is_identified(position: Json, found: FilePosition) -> bool:
    """Return whether a valid position identifies the file that was found: by bytes or inode."""
    identity = position.get("identity", {"start": {"size": 0}, "inode": 0})
    return bool(found.offset or identity["start"]["size"] or identity["inode"] == found.inode)


def read_fingerprint(file: IO[bytes], offset: int) -> tuple[bytes, bytes]:
    """Return the first `FINGERPRINT_SIZE` bytes of a file, and the last before an offset."""
    size = min(FINGERPRINT_SIZE, offset)
    head, tail = (os.pread(file.fileno(), size, start) for start in (0, offset - size))
    return head, tail


def digest(data: bytes) -> str:
    """Return the SHA-256 of bytes."""
    return hashlib.sha256(data).hexdigest()
