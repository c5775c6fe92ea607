"""A followed file: lines as they are appended, across log rotation."""

from __future__ import annotations

import glob
import os
import re
from collections import deque
from collections.abc import Collection
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from time import sleep
from typing import IO, NamedTuple

import msgspec

from spectralleader.errors import ResumeError
from spectralleader.sources.files.byte_stream import CHUNK, GZIP, MAX_RECORD, ZSTD
from spectralleader.sources.files.formats import find_format
from spectralleader.sources.files.problems import LOST_LINES
from spectralleader.sources.live.protocol import BackOff, LiveSource, MessageBatch
from spectralleader.sources.options import Json, SourceOptions
from spectralleader.sources.reader import (
    FilePosition,
    Whole,
    check_position,
    digest_of,
    read_ends,
)

WAIT = 0.1  # seconds between polls of a file without new lines
FIRST = 256  # bytes from which the format is guessed
SAMPLED = 256  # bytes at both ends that identify a file: they are hashed once per block
FOLLOWED_FORMATS = ("jsonl", "text")
COMPRESSED = r"\.(gz|zst|bz2|xz)"
ROTATED = re.compile(rf"[.-]\d[\d.\-_:T]*({COMPRESSED})?")  # suffix of rotated files: .1, -20240131


class LogPosition(FilePosition, frozen=True):
    """A position in one of the files of a log."""

    number: Whole  # files finished before this one
    older: Whole  # time of the rotated file before this one: later ones are not read yet


class Cursor(NamedTuple):
    """A position between two lines, with the bytes that identify the file."""

    number: int = 0  # as in `LogPosition`
    older: int = 0
    offset: int = 0
    line: int = 0
    head: bytes = b""  # the first bytes of the file, up to the position
    tail: bytes = b""  # the last bytes before the position

    def after(self, lines: Collection[bytes], *, is_whole: bool = True) -> Cursor:
        """Return the position after some lines; `is_whole` is False if the last has no line end."""
        data = b"\n".join(lines) + (b"\n" if lines and is_whole else b"")
        return self._replace(
            offset=self.offset + len(data),
            line=self.line + len(lines),
            head=(self.head + data[:SAMPLED])[:SAMPLED],
            tail=(self.tail + data[-SAMPLED:])[-SAMPLED:],
        )

    @property
    def position(self) -> LogPosition:
        """The position as it is saved."""
        digest = digest_of(self.head, self.tail)
        return LogPosition(self.offset, self.line, digest, SAMPLED, self.number, self.older)


class FollowedFile(LiveSource):
    """The lines of a growing file, with support for rotation (rename, or copy and truncate).

    A line is read when its line end is there. A renamed file is read to its end before the newer
    ones; the rest of a truncated file is read from its copy. After a restart, the file of the
    position is searched among the rotated ones.

    Parameters
    ----------
    path : str
        The file; rotated files have the same name with a number or date appended.
    options : SourceOptions
        The format, "jsonl" or "text", is guessed from name and content if omitted. An incomplete
        last line waits for its end if the file is followed. If strict, lines that are lost by
        rotation are an error instead of being reported.
    """

    kind, unit = "file", "bytes"

    def __init__(self, path: str, options: SourceOptions) -> None:
        self.name = path
        self._path = Path(path)
        self._options = options
        self._back_off = BackOff(path, options.say, OSError, str)
        self._file: IO[bytes] | None = None
        # The one read before: while it is open, its inode is not used again.
        self._left: IO[bytes] | None = None
        self._successor: tuple[int, int] | None = None  # of the rotated file after it at first
        self._ready = deque[bytes]()  # complete lines, without line feeds
        self._rest = b""  # the incomplete line read so far
        self._is_cut = False  # whether the last line in `_ready` had no line end
        self._has_blank = True  # whether blank lines are documents; in JSON lines they are not
        self._cursor = Cursor()  # position after the lines that were returned

    def open(self, position: Json | None) -> Json:
        """Open the file that contains the position, and resume after it."""
        if position is not None:
            self._resume(check_position(LogPosition, position))
        elif not self._path.exists():
            raise ValueError(f"{self._path} does not exist")
        else:
            self._begin(0, Rotated.of(self._path), self._rotated())
            while self._options.start == "latest" and self._read():
                self._cursor = self._cursor.after(self._ready)
                self._ready.clear()
        return msgspec.to_builtins(self._cursor.position)

    def _resume(self, at: LogPosition) -> None:
        """Open the file of a position: newer than a time, with the same bytes before it."""
        rotated = self._rotated()
        newer = [one for one in rotated if one.time > at.older]
        # Without bytes to compare it is the oldest that is new. Else times may have changed.
        others = [one for one in reversed(rotated) if one.time <= at.older and at.offset]
        current = [Rotated.of(self._path)] if self._path.exists() else []
        for one in (*newer, *current, *others):
            if self._open(one, at):
                if one.path != self._path:
                    self._options.say(f"{self._path} was rotated: resuming in {one.path}")
                return
        raise ResumeError(
            f"the file that was learned up to byte {at.offset:,} is neither {self._path} nor one "
            "of the rotated files beside it",
            "restore it (uncompressed)",
        )

    def _begin(self, number: int, one: Rotated, before: list[Rotated]) -> bool:
        """Open a file from its beginning; return whether that is still there."""
        older = before[-1].time if before else self._cursor.older
        return self._open(one, Cursor(number, older).position)

    def _open(self, one: Rotated, at: LogPosition) -> bool:
        """Open a file at a position; return whether that is in it."""
        file = open(one.path, "rb", buffering=0)  # noqa: SIM115  # a buffer hides truncation
        ends = read_ends(file, at.offset, SAMPLED)
        # Without bytes to compare, its inode shows that it is the one that was found.
        is_same = bool(at.offset) or os.fstat(file.fileno()).st_ino == one.inode
        if not is_same or digest_of(*ends) != at.digest:
            file.close()
            return False
        try:
            self._check_format(file)
        except ValueError:
            file.close()
            raise
        self._leave()
        self._left, self._file = self._file, file
        self._cursor = Cursor(at.number, at.older, at.offset, at.line, *ends)
        self._rest, self._is_cut = b"", False
        self._ready.clear()
        newer = self._newer(self._rotated())
        self._successor = newer[0].identity if newer else None
        return True

    def _check_format(self, file: IO[bytes]) -> None:
        """Raise unless a file is one that can be followed."""
        file.seek(0)
        first = file.read(FIRST)
        kind = self._options.format or find_format(self._path.name, first)
        if first.startswith((GZIP, ZSTD)):
            raise ValueError(f"{file.name} is compressed; compressed files cannot be followed")
        if kind not in FOLLOWED_FORMATS:
            raise ValueError(
                f"{file.name} looks like {kind}, but only JSON lines and plain text can be "
                "followed; use --format text to treat each line as a text, or omit --follow"
            )
        self._has_blank = kind == "text"

    @property
    def _handle(self) -> IO[bytes]:
        assert self._file is not None
        return self._file

    def take(self, n: int) -> MessageBatch:
        """Return up to n of the next lines."""
        has_more = bool(self._ready) or self._find_lines()
        if not has_more and self._options.waits:
            sleep(WAIT)
        elif not has_more:
            self._finish_line()
        lines = [self._ready.popleft() for _ in range(min(n, len(self._ready)))]
        if lines:
            self._leave()
        start = self._cursor
        self._cursor = start.after(lines, is_whole=bool(self._ready) or not self._is_cut)
        found = enumerate(lines, start.line + 1)
        messages = [(i, line) for i, line in found if self._has_blank or line.strip()]
        return MessageBatch(
            [f"{start.number}:{i}" for i, _ in messages],
            [line.removesuffix(b"\r") for _, line in messages],
            msgspec.to_builtins(self._cursor.position),
            at_end=not (lines or has_more),
        )

    def _find_lines(self) -> bool:
        """Read on, here or in the next file; return whether something changed."""
        try:
            is_changed = self._read() or self._move_on()
        except FileNotFoundError:  # a file was rotated while we looked: look again
            return False
        except OSError as error:  # such as a folder that may not be searched at the moment
            if not self._options.waits:
                raise
            self._back_off.on_failure(error, str(error))
            return False
        self._back_off.on_success()
        return is_changed

    def _read(self) -> bool:
        """Read the next chunk; return whether there was anything."""
        read_to = self._cursor.offset + len(self._rest)
        self._handle.seek(read_to)
        data = self._handle.read(CHUNK)
        # Looking after reading proves that what was read is of the same file.
        if not data or self._is_truncated():
            return False
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > MAX_RECORD:
            line = self._cursor.line + len(lines) + 1
            raise ValueError(f"{self.name} line {line} is longer than 64 MiB")
        self._ready += lines
        return True

    def _is_truncated(self) -> bool:
        """Return whether the file was truncated, and possibly written to, since it was opened.

        The bytes before the position show it. If there are none, a new rotated file shows it.
        """
        size = os.fstat(self._handle.fileno()).st_size
        # A smaller file needs no comparison.
        if size < self._cursor.offset + len(self._rest):
            return True
        if self._cursor.offset:
            return not self._cursor.position.is_in(self._handle)
        return self._is_current() and bool(self._newer(self._rotated()))

    def _is_current(self) -> bool:
        """Return whether the open file still has the name that is followed."""
        return self._path.exists() and os.path.samestat(
            self._path.stat(), os.fstat(self._handle.fileno())
        )

    def _finish_line(self) -> None:
        """Accept an incomplete last line: nothing will be appended to it."""
        if self._rest:
            self._ready.append(self._rest)
            self._rest, self._is_cut = b"", True

    def _move_on(self) -> bool:
        """At the end of a file that was rotated, open the next one; return whether it is open."""
        if self._is_truncated():
            return self._continue_in_copy()
        if self._is_current():
            return False
        # Until the new file has a line, its writer may still append to the old one.
        is_over = bool(self._newer(self._rotated())) or (
            self._path.exists() and self._path.stat().st_size > 0
        )
        if self._read():
            return True
        if is_over:
            self._finish_line()
        return bool(self._ready) or (is_over and self._open_next())

    def _continue_in_copy(self) -> bool:
        """Open the copy that was made before the file was truncated; report if there is none."""
        rotated, at = self._rotated(), self._cursor.position
        newer = self._newer(rotated)
        others = [one for one in reversed(rotated) if one not in newer]
        # Without bytes to compare it is the oldest that is new.
        for one in [*newer, *others] if at.offset else newer[:1]:
            if not one.is_compressed and self._open(one, at):
                return True
        self._report(
            f"{self._path} was truncated and no copy was found: lines written after byte "
            f"{at.offset:,} and before the truncation are lost"
        )
        return self._open_next()

    def _open_next(self) -> bool:
        """Open the oldest file that is not read yet; report those that cannot be read."""
        rotated = self._rotated()  # one look: of two, the second could have skipped a file
        newer = self._newer(rotated)
        lost = list(takewhile(lambda one: one.is_compressed, newer))
        for one in lost:
            self._report(f"{one.path} was compressed before it was read: its lines are lost")
        # An open file without a name was deleted, and files after it may have been, too.
        is_deleted = not os.fstat(self._handle.fileno()).st_nlink
        if is_deleted and newer and not lost and newer[0].identity != self._successor:
            self._report(
                f"{self._path} was rotated faster than it was read: files older than "
                f"{newer[0].path} were deleted, and their lines may be lost"
            )
        readable = newer[len(lost) :]
        following = readable[0] if readable else Rotated.of(self._path)
        before = rotated[: rotated.index(following)] if readable else rotated
        return self._begin(self._cursor.number + 1, following, before)

    def _rotated(self) -> list[Rotated]:
        """Return the rotated files, oldest first, but not a copy of what the file still has.

        A copy that is not complete, or after which the file is not truncated yet, is the newest.
        """
        rotated = find_rotated(self._path)
        if rotated and self._path.exists():
            with open(rotated[-1].path, "rb") as newest, open(self._path, "rb") as file:
                size = os.fstat(newest.fileno()).st_size
                if FilePosition.at(newest, size, 0, SAMPLED).is_in(file):
                    return rotated[:-1]
        return rotated

    def _newer(self, rotated: list[Rotated]) -> list[Rotated]:
        """Return the rotated files that are to be read after the open one, oldest first."""
        here = os.fstat(self._handle.fileno())
        # A late line may have changed the time of the file before this one.
        left = None if self._left is None else os.fstat(self._left.fileno()).st_ino
        at = next((i for i, one in enumerate(rotated) if one.inode == here.st_ino), None)
        if at is None:
            time = self._cursor.older if self._is_current() else here.st_mtime_ns
            return [one for one in rotated if one.time > time and one.inode != left]
        return [one for one in rotated[at + 1 :] if one.inode != left]

    def _report(self, lost: str) -> None:
        """Report lines that are lost, or raise if strict."""
        if self._options.strict:
            raise ValueError(f"{lost}; restore the file (uncompressed), or omit --strict")
        self._options.say(lost)
        self.problems.add(LOST_LINES, f"{self.name} line {self._cursor.line}")

    def lag(self, position: Json) -> float:
        """Return the bytes between a position and the end of the file that is read."""
        is_here = position["number"] == self._cursor.number
        size = os.fstat(self._handle.fileno()).st_size
        return max(0, size - (position["offset"] if is_here else 0))

    def _leave(self) -> None:
        """Close the file that was read before."""
        if self._left is not None:
            self._left.close()
            self._left = None

    def close(self) -> None:
        """Close the files."""
        self._leave()
        if self._file is not None:
            self._file.close()
            self._file = None


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
    def identity(self) -> tuple[int, int]:
        """What tells it from others: inodes are used again."""
        return self.inode, self.time

    @property
    def is_compressed(self) -> bool:
        """Whether its name is that of a compressed file."""
        return re.search(rf"{COMPRESSED}$", self.path.name) is not None


def find_rotated(path: Path) -> list[Rotated]:
    """Return the rotated files beside a file, oldest first.

    They may be renamed while they are listed, so they are listed until two looks agree.
    """
    # A log may be renamed from .1 to .2 between two entries of one listing, and be missed.
    found = list_rotated(path)
    while found != (again := list_rotated(path)):
        found = again
    return found


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
