"""A followed file: lines as they are appended, across log rotation."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from time import sleep
from typing import IO, NamedTuple

from spectralleader.checks.states import whole
from spectralleader.errors import ResumeError
from spectralleader.sources.files.byte_stream import CHUNK, GZIP, MAX_RECORD, ZSTD
from spectralleader.sources.files.formats import find_format
from spectralleader.sources.files.position import FilePosition, digest_of, read_ends
from spectralleader.sources.files.problems import LOST_LINES
from spectralleader.sources.live.protocol import BackOff, LiveSource, MessageBatch, in_steps
from spectralleader.sources.options import Json, SourceOptions

WAIT = 0.1  # seconds between polls of a file without new lines
MAX_TIME = 2**63 - 1  # in ns
FIRST = 256  # bytes from which the format is guessed
SAMPLED = 256  # bytes at both ends that identify a file: they are hashed once per block
FOLLOWED_FORMATS = ("jsonl", "text")
COMPRESSED = r"\.(gz|zst|bz2|xz)"
ROTATED = re.compile(rf"[.-]\d[\d.\-_:T]*({COMPRESSED})?")  # suffix of rotated files: .1, -20240131


class Cursor(NamedTuple):
    """A position between two lines, with the bytes that identify the file."""

    number: int = 0  # files finished before this one
    older: int = 0  # time of the rotated file before this one: later ones are not read yet
    offset: int = 0  # bytes before the position
    line: int = 0  # lines before the position
    head: bytes = b""  # the first bytes of the file, up to the position
    tail: bytes = b""  # the last bytes before the position

    def after(self, lines: Sequence[bytes], *, is_whole: bool = True) -> Cursor:
        """Return the position after some lines; `is_whole` is False if the last has no line end."""
        data = b"\n".join(lines) + (b"\n" if lines and is_whole else b"")
        return self._replace(
            offset=self.offset + len(data),
            line=self.line + len(lines),
            head=(self.head + data[:SAMPLED])[:SAMPLED],
            tail=(self.tail + data[-SAMPLED:])[-SAMPLED:],
        )

    @property
    def position(self) -> FilePosition:
        """The position in the file."""
        return FilePosition(self.offset, self.line, digest_of(self.head, self.tail), SAMPLED)

    def to_state(self) -> Json:
        """Return the position as plain JSON."""
        return {"number": self.number, "older": self.older, **self.position.to_state()}


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
        self._back_off = BackOff(path, options.say)
        self._file: IO[bytes] | None = None
        self._left: IO[bytes] | None = (
            None  # read before; while it is open, its inode is not reused
        )
        self._successor: tuple[int, int] | None = None  # of the rotated file after it at first
        self._ready: list[bytes] = []  # complete lines, without line feeds
        self._rest = b""  # the incomplete line read so far
        self._is_cut = False  # whether the last line in `_ready` had no line end
        self._has_blank = True  # whether blank lines are documents; in JSON lines they are not
        self._cursor = Cursor()  # position after the lines that were returned

    def open(self, position: Json | None) -> Json:
        """Open the file that contains the position, and resume after it."""
        if position is not None:
            self._resume(position)
        elif not self._path.exists():
            raise ValueError(f"{self._path} does not exist")
        else:
            rotated = self._rotated()
            self._open(self._path, Cursor(older=self._time_before(len(rotated), rotated)))
            while self._options.start == "latest" and self._read():
                self._cursor, self._ready = self._cursor.after(self._ready), []
        return self._cursor.to_state()

    def _resume(self, position: Json) -> None:
        """Open the file of a position: newer than a time, with the same bytes before it."""
        at, older = FilePosition.from_state(position), whole(position, "older", 0, MAX_TIME)
        number = whole(position, "number")
        rotated = self._rotated()
        newer = [one.path for one in rotated if one.time > older]
        # Without bytes to compare it is the oldest that is new. Else times may have changed.
        others = [one.path for one in reversed(rotated) if one.time <= older and at.offset]
        for path in filter(Path.exists, (*newer, self._path, *others)):
            with open(path, "rb") as file:
                if not at.is_in(file):
                    continue
                ends = read_ends(file, at.offset, SAMPLED)
            cursor = Cursor(number, older, at.offset, at.line, *ends)
            self._open(path, cursor)
            if path != self._path:
                self._options.say(f"{self._path} was rotated: resuming in {path}")
            return
        raise ResumeError(
            f"the file that was learned up to byte {at.offset:,} is neither {self._path} nor one "
            "of the rotated files beside it",
            "restore it (uncompressed)",
        )

    def _open(self, path: Path, cursor: Cursor) -> None:
        """Open a file at a position, which must be in it."""
        file = open(path, "rb", buffering=0)  # noqa: SIM115  # a buffer would hide a truncation
        first = file.read(FIRST)
        kind = self._options.format or find_format(self._path.name, first)
        if first.startswith((GZIP, ZSTD)) or kind not in FOLLOWED_FORMATS:
            file.close()
            if first.startswith((GZIP, ZSTD)):
                raise ValueError(f"{path} is compressed; compressed files cannot be followed")
            raise ValueError(
                f"{path} looks like {kind}, but only JSON lines and plain text can be followed; "
                "use --format text to treat each line as a text, or omit --follow"
            )
        self._leave()
        self._left, self._file, self._cursor = self._file, file, cursor
        self._has_blank = kind == "text"
        self._rest, self._ready, self._is_cut = b"", [], False
        self._successor = next(map(identify, self._newer(self._rotated())), None)

    @property
    def _handle(self) -> IO[bytes]:
        assert self._file is not None
        return self._file

    def take(self, n: int) -> MessageBatch:
        """Return up to n of the next lines."""
        if not self._ready and not self._find_lines():
            if self._options.waits:
                sleep(WAIT)
            else:
                self._finish_line()
        lines, self._ready = self._ready[:n], self._ready[n:]
        is_whole = not (self._is_cut and not self._ready)
        places: Sequence[int] = range(len(lines))  # indices of the lines that are messages
        if not self._has_blank:
            places = [i for i, line in enumerate(lines) if line.strip()]
        if lines:
            self._leave()
        start = at = self._cursor
        self._cursor = start.after(lines, is_whole=is_whole)

        def advance(first: int, n: int) -> Json:
            nonlocal at
            passed = slice(places[first - 1] + 1 if first else 0, places[n - 1] + 1)
            at = at.after(lines[passed], is_whole=is_whole or passed.stop < len(lines))
            return at.to_state()

        return MessageBatch(
            [f"{start.number}:{start.line + i + 1}" for i in places],
            [lines[i].removesuffix(b"\r") for i in places],
            in_steps(advance),
            at_end=not lines,
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
            self._back_off.on_failure(error)
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
        rotated = self._rotated()
        newer = self._newer(rotated)
        others = [one for one in reversed(rotated) if one not in newer]
        # Without bytes to compare it is the oldest that is new.
        for one in [*newer, *others] if self._cursor.offset else newer[:1]:
            if not one.is_compressed and self._contains(one):
                self._open_rotated(one, self._cursor)
                return True
        self._report(
            f"{self._path} was truncated and no copy was found: lines written after byte "
            f"{self._cursor.offset:,} and before the truncation are lost"
        )
        return self._open_next()

    def _contains(self, one: Rotated) -> bool:
        """Return whether a file begins with the bytes that were read."""
        with open(one.path, "rb") as file:
            return self._cursor.position.is_in(file)

    def _open_next(self) -> bool:
        """Open the oldest file that is not read yet; report those that cannot be read."""
        rotated = self._rotated()  # one look: of two, the second could have skipped a file
        newer = self._newer(rotated)
        n_unreadable = next((i for i, one in enumerate(newer) if not one.is_compressed), len(newer))
        for one in newer[:n_unreadable]:
            self._report(f"{one.path} was compressed before it was read: its lines are lost")
        # An open file without a name was deleted, and files after it may have been, too.
        is_deleted = not os.fstat(self._handle.fileno()).st_nlink
        if is_deleted and newer and not n_unreadable and identify(newer[0]) != self._successor:
            self._report(
                f"{self._path} was rotated faster than it was read: files older than "
                f"{newer[0].path} were deleted, and their lines may be lost"
            )
        cursor = Cursor(self._cursor.number + 1)
        if n_unreadable == len(newer):
            self._open(self._path, cursor._replace(older=self._time_before(len(rotated), rotated)))
            return True
        following = newer[n_unreadable]
        older = self._time_before(rotated.index(following), rotated)
        self._open_rotated(following, cursor._replace(older=older))
        return True

    def _time_before(self, at: int, rotated: list[Rotated]) -> int:
        """Return the time of the rotated file before one."""
        return rotated[at - 1].time if at else self._cursor.older

    def _open_rotated(self, one: Rotated, cursor: Cursor) -> None:
        """Open a rotated file, unless it was renamed meanwhile."""
        if one.path.stat().st_ino != one.inode:
            raise FileNotFoundError(one.path)
        self._open(one.path, cursor)

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
        self.problems.add_at(LOST_LINES, f"{self.name} line {self._cursor.line}")

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
    # A log may be renamed from .1 to .2 between two entries of one listing, and be missed.
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
