"""Positions: how much of a file or an input has been learned, as plain values that are saved."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from typing import IO, Any

from spectralleader.checks.states import take, text, whole

# Bytes at the beginning of a file, and before the position, that are compared at most. Reading and
# hashing both takes 0.03 s, and files of up to 16 MiB are compared as a whole.
SAMPLED = 2**23


@dataclass(frozen=True)
class FilePosition:
    """A position in a file that is read as it is, with digests of bytes that tell it from others.

    A change that is far from both the beginning of the file and the position goes unnoticed.
    """

    offset: int  # bytes before it
    line: int  # lines before it
    head: str  # digest of the first bytes of the file, up to the position
    tail: str  # digest of the last bytes before the position
    sampled: int = SAMPLED  # at most as many bytes are in each digest

    @classmethod
    def at(cls, file: IO[bytes], offset: int, line: int, sampled: int = SAMPLED) -> FilePosition:
        """Return a position in an open file."""
        size = min(sampled, offset)
        file.seek(0)
        head = digest_of(file.read(size))
        file.seek(offset - size)
        return cls(offset, line, head, digest_of(file.read(size)), sampled)

    def is_in(self, file: IO[bytes]) -> bool:
        """Return whether an open file has the same bytes before the position."""
        return FilePosition.at(file, self.offset, self.line, self.sampled) == self

    def to_state(self) -> dict[str, Any]:
        """Return the position as plain values."""
        return asdict(self)

    @classmethod
    def from_state(cls, state: Any) -> FilePosition:
        """Return the position that `to_state` described, after validation."""
        offset, line = whole(state, "offset"), whole(state, "line")
        sampled = whole(state, "sampled", 0, SAMPLED)
        return cls(offset, line, text(state, "head"), text(state, "tail"), sampled)


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of bytes."""
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True)
class Position:
    """The point in an input at which learning resumes.

    The documents before `start` are identified by the bytes of their files, and those after it by a
    digest of their texts.

    Examples
    --------
    >>> Position.from_state(Position(3, "ab12", "34cd").to_state())
    Position(offset=3, digest='ab12', digest_before_last='34cd', start=0, files=())
    """

    offset: int = 0  # number of the next document or batch, from 0
    digest: str | None = None  # of the documents from `start` on; None if they cannot be read again
    digest_before_last: str | None = None  # the same without the last document
    start: int = 0  # documents before the point at which reading starts
    files: tuple[FilePosition, ...] = ()  # the files up to that point; empty if it is the beginning

    def to_state(self) -> dict[str, Any]:
        """Return the position as plain values."""
        return asdict(self) | {"files": [at.to_state() for at in self.files]}

    @classmethod
    def from_state(cls, state: Any) -> Position:
        """Return the position that `to_state` described, after validation."""
        digest, before_last = take(state, "digest"), take(state, "digest_before_last")
        files = take(state, "files")
        if not all(type(one) in (str, type(None)) for one in (digest, before_last)):
            raise ValueError("a digest must be a string")
        if type(files) is not list:
            raise ValueError("files must be a list of positions")
        offset = whole(state, "offset")
        start = whole(state, "start", 0, offset)
        return cls(offset, digest, before_last, start, tuple(map(FilePosition.from_state, files)))
