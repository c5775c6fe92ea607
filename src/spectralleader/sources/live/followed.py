"""A followed file: lines as they are appended, also after the file was rotated."""

from __future__ import annotations

import hashlib
import os
import re
from collections import deque
from pathlib import Path
from time import sleep
from typing import IO, NamedTuple

from spectralleader.checks.states import part, text, whole
from spectralleader.sources.files.feed import CHUNK, GZIP, MAX_RECORD, ZSTD
from spectralleader.sources.files.formats import find_format
from spectralleader.sources.live.protocol import Json, Message, Say, Taken

KIND = "file"
WAIT = 0.1  # seconds between two looks at a file that has nothing new
MARK = 256  # bytes at the beginning, and before the position, by which a file is known again
ROTATED = re.compile(r"[.-]\d[\d.\-_:T]*")  # what rotation appends to a name: .1, -20240131
FOLLOWED = ("jsonl", "text")
NOWHERE = 2**62  # behind the end of every file


class Line(NamedTuple):
    """A line, and where it ends."""

    data: bytes
    end: int  # bytes
    number: int  # from 1


class Followed:
    """Lines of a file that grows. Rotation by renaming and by copying and truncating is noticed.

    A line counts once it has its end. A file that was renamed is read to its end before the new one
    is begun; of one that was truncated, the rest is looked for in the copy. After a restart the
    file with the position is looked for among the rotated ones.

    Parameters
    ----------
    path : str
        Its name; rotated files have the same one with a number or a date after it.
    start : str
        At the first start, "earliest" or "latest".
    say : callable
        Takes a line for the user.
    format : str, optional
        "jsonl" or "text"; known by name or content if omitted.
    follow : bool
        Whether a last line without its end waits for it.
    """

    def __init__(
        self, path: str, *, start: str, say: Say, format: str | None = None, follow: bool = True
    ) -> None:
        self.name = path
        self._path = Path(path)
        self._start, self._say, self._format, self._follow = start, say, format, follow
        self._file: IO[bytes] | None = None
        self._next_files: deque[Path] = deque()  # to be read before the present one
        self._number = 0  # files that were finished before
        self._ready: deque[Line] = deque()
        self._rest = b""  # a line without its end, read already
        self._read_to = self._line_to = 0  # bytes and lines read
        self._at, self._line = 0, 0  # bytes and lines handed out
        self._marks: list[tuple[int, str]] = []  # of the bytes before that

    def open(self, position: Json | None) -> Json:
        """Open the file that the position is in, and go on after it."""
        if position is None:
            self._open(self._path)
            if self._start == "latest":
                self._to_the_end()
            return self._position()
        self._number = whole(position, "number")
        offset, line = whole(position, "offset"), whole(position, "line")
        parts = [part(position, name) for name in ("head", "tail")]
        marks = [(whole(one, "size", 0, MARK), text(one, "digest")) for one in parts]
        found = self._find(offset, marks)
        self._open(found)
        self._seek(offset, line)
        if found != self._path:
            self._say(f"{self._path} was rotated: goes on in {found}")
            self._next_files.extend(self._successors())
        return self._position()

    def _open(self, path: Path) -> None:
        self._close_file()
        self._file = open(path, "rb")  # noqa: SIM115
        first = self._file.read(MARK)
        if first.startswith((GZIP, ZSTD)):
            raise ValueError(f"{path} is compressed, and cannot be followed")
        kind = self._format or find_format(self._path.name, first)
        if kind not in FOLLOWED:
            raise ValueError(
                f"{path} looks like {kind}, but only JSON lines and plain text can be followed; "
                "say --format text to take each line as a text, or leave out --follow"
            )
        self._seek(0, 0)

    def _seek(self, offset: int, line: int) -> None:
        self._at = self._read_to = offset
        self._line = self._line_to = line
        self._rest = b""
        self._ready.clear()
        self._marks = marks_in(self._handle, offset) or self._marks

    def _to_the_end(self) -> None:
        """Skip the lines that are there; one without its end is new."""
        while self._read():
            if self._ready:
                last = self._ready[-1]
                self._at, self._line = last.end, last.number
                self._ready.clear()

    def _find(self, offset: int, marks: list[tuple[int, str]]) -> Path:
        """Return the file that a position is in: this one, or one that it was rotated to."""
        for path in [self._path, *reversed(self._rotated())]:
            if path.is_file() and marks_of(path, offset, marks) == [digest for _, digest in marks]:
                return path
        raise ValueError(
            f"{self._path} is not the file that was learned up to byte {offset:,}, and it is not "
            "among the rotated ones beside it: bring it back (uncompressed), or start anew with "
            "--fresh"
        )

    def _rotated(self) -> list[Path]:
        """Return what this file was rotated to, the oldest first."""
        beside = self._path.name
        found = [
            path
            for path in self._path.parent.glob(f"{glob_escape(beside)}*")
            if ROTATED.fullmatch(path.name[len(beside) :]) and path.is_file()
        ]
        return sorted(found, key=lambda path: (path.stat().st_mtime_ns, path.name))

    def _successors(self) -> list[Path]:
        """Return the files written after the one that is open, the present one last."""
        mine = os.fstat(self._handle.fileno())
        later = [
            path
            for path in self._rotated()
            if path.stat().st_mtime_ns > mine.st_mtime_ns and path.stat().st_ino != mine.st_ino
        ]
        return [*later, self._path]

    @property
    def _handle(self) -> IO[bytes]:
        assert self._file is not None
        return self._file

    def take(self, n: int) -> Taken:
        """Return up to n of the next lines that are not blank."""
        if not self._ready and not self._read() and not self._move_on():
            if not self._follow:
                self._finish_line()
            else:
                sleep(WAIT)
        messages: list[Message] = []
        while self._ready and len(messages) < n:
            line = self._ready.popleft()
            self._at, self._line = line.end, line.number
            if line.data.strip():
                messages.append(Message(f"{self._number}:{line.number}", line.data))
        return Taken(messages, self._position(), at_end=not messages and not self._ready)

    def _read(self) -> bool:
        """Read on; return whether there was anything."""
        data = os.pread(self._handle.fileno(), CHUNK, self._read_to)
        if not data or self._is_replaced():
            return False
        self._read_to += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > MAX_RECORD:
            raise ValueError(f"{self.name} line {self._line_to + 1}: more than 64 MiB")
        end = self._read_to - len(self._rest) - sum(len(line) + 1 for line in lines)
        for line in lines:
            end += len(line) + 1
            self._line_to += 1
            self._ready.append(Line(line.removesuffix(b"\r"), end, self._line_to))
        return True

    def _is_replaced(self) -> bool:
        """Say whether other bytes are before the position: truncated, and written to since."""
        return marks_in(self._handle, self._at) != self._marks

    def _finish_line(self) -> None:
        """Take a last line without its end: nothing will be added to it."""
        if self._rest:
            self._line_to += 1
            self._ready.append(Line(self._rest, self._read_to, self._line_to))
            self._rest = b""

    def _move_on(self) -> bool:
        """At the end of the file: go on to the next one if this one was rotated."""
        if not self._next_files:
            if not (after := self._rotation()):
                return False
            self._next_files.extend(after)
        if self._read():  # written since, before it was rotated
            return True
        self._finish_line()
        if self._ready:
            return True
        following = self._next_files[0]
        if not following.exists():  # renamed, and not yet created
            return False
        self._next_files.popleft()
        self._number += 1
        self._open(following)
        return True

    def _rotation(self) -> list[Path]:
        """Return the files to be read next if this one was rotated, none if it was not."""
        mine = os.fstat(self._handle.fileno())
        try:
            there = self._path.stat()
        except FileNotFoundError:
            return [self._path]
        if (there.st_ino, there.st_dev) != (mine.st_ino, mine.st_dev):
            return self._successors()
        if mine.st_size < self._read_to or self._is_replaced():
            return self._truncated()
        return []

    def _truncated(self) -> list[Path]:
        """Go on in the copy that was made before the file was truncated, if there is one."""
        for path in reversed(self._rotated()):
            if path.stat().st_size >= self._read_to and self._is_copy(path):
                offset, line = self._at, self._line
                self._open(path)
                self._seek(offset, line)
                return [self._path]
        self._say(
            f"{self._path} was truncated, and no copy of it was found: what was written to it "
            f"after byte {self._read_to:,} and before that is not learned"
        )
        self._rest, self._read_to = b"", NOWHERE
        return [self._path]

    def _is_copy(self, path: Path) -> bool:
        """Say whether a file begins as the lines that were read."""
        return marks_of(path, self._at, self._marks)[:1] == [
            digest for _, digest in self._marks[:1]
        ]

    def describe(self) -> str:
        """Return how many bytes are behind the position."""
        n_behind = os.fstat(self._handle.fileno()).st_size - self._at
        return f"{n_behind:,} bytes behind" if n_behind > 0 else "up to date"

    def _position(self) -> Json:
        self._marks = marks_in(self._handle, self._at) or self._marks
        (head_size, head), (tail_size, tail) = self._marks
        return {
            "number": self._number,
            "offset": self._at,
            "line": self._line,
            "head": {"size": head_size, "digest": head},
            "tail": {"size": tail_size, "digest": tail},
        }

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def close(self) -> None:
        """Close the file."""
        self._close_file()


def marks_in(file: IO[bytes], offset: int) -> list[tuple[int, str]] | None:
    """Return the sizes and digests of the first bytes, and of those before an offset."""
    size = min(MARK, offset)
    found = [os.pread(file.fileno(), size, start) for start in (0, offset - size)]
    if any(len(data) < size for data in found):
        return None  # truncated
    return [(size, hashlib.sha256(data).hexdigest()) for data in found]


def marks_of(path: Path, offset: int, marks: list[tuple[int, str]]) -> list[str]:
    """Return the digests of a file where a position has its own."""
    with open(path, "rb") as file:
        starts = (0, offset - marks[1][0])
        found = [
            os.pread(file.fileno(), size, max(0, start))
            for (size, _), start in zip(marks, starts, strict=True)
        ]
    return [hashlib.sha256(data).hexdigest() for data in found]


def glob_escape(name: str) -> str:
    """Return a name so that it stands for itself in a pattern."""
    return re.sub(r"([*?[])", r"[\1]", name)
