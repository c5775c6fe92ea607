"""A followed file: lines as they are appended, also after the file was rotated."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from time import sleep
from typing import IO

from spectralleader.sources.files.feed import CHUNK, GZIP, MAX_RECORD, ZSTD
from spectralleader.sources.files.formats import find_format
from spectralleader.sources.live.protocol import Json, Say, Taken
from spectralleader.sources.live.spots import Passed, Spot, ends_in, find_spot

KIND = "file"
WAIT = 0.1  # seconds between two looks at a file that has nothing new
FIRST = 256  # bytes by which a format is known
ROTATED = re.compile(r"[.-]\d[\d.\-_:T]*")  # what rotation appends to a name: .1, -20240131
FOLLOWED = ("jsonl", "text")
NOWHERE = 2**62  # behind the end of every file


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
        self._ready: list[bytes] = []  # lines, without the character that ends them
        self._rest = b""  # a line without its end, read already
        self._is_cut = False  # whether the last of the lines is without its end
        self._has_blank = True  # whether blank lines are handed out: they are no JSON
        self._read_to = 0  # bytes read
        self._spot = Spot()  # after the lines that were handed out

    def open(self, position: Json | None) -> Json:
        """Open the file that the position is in, and go on after it."""
        if position is None:
            self._open(self._path)
            if self._start == "latest":
                self._to_the_end()
            return self._spot.to_state()
        found = find_spot(position, [self._path, *reversed(self._rotated())])
        if found is None:
            raise ValueError(
                f"{self._path} is not the file that was learned up to byte "
                f"{position['offset']:,}, and it is not among the rotated ones beside it: bring it "
                "back (uncompressed), or start anew with --fresh"
            )
        spot, path = found
        self._open(path)
        self._seek(spot)
        if path != self._path:
            self._say(f"{self._path} was rotated: goes on in {path}")
            self._next_files.extend(self._successors())
        return self._spot.to_state()

    def _open(self, path: Path) -> None:
        self._close_file()
        self._file = open(path, "rb")  # noqa: SIM115
        first = self._file.read(FIRST)
        if first.startswith((GZIP, ZSTD)):
            raise ValueError(f"{path} is compressed, and cannot be followed")
        kind = self._format or find_format(self._path.name, first)
        if kind not in FOLLOWED:
            raise ValueError(
                f"{path} looks like {kind}, but only JSON lines and plain text can be followed; "
                "say --format text to take each line as a text, or leave out --follow"
            )
        self._has_blank = kind == "text"
        self._seek(Spot(self._spot.number))

    def _seek(self, spot: Spot) -> None:
        self._spot, self._read_to = spot, spot.offset
        self._rest, self._ready, self._is_cut = b"", [], False

    def _to_the_end(self) -> None:
        """Skip the lines that are there; one without its end is new."""
        while self._read():
            self._spot, self._ready = self._spot.after(self._ready), []

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

    def take(self, n: int, *, rest: bool) -> Taken:
        """Return up to n of the next lines."""
        if not self._ready and not self._read() and not self._move_on():
            if not self._follow:
                self._finish_line()
            else:
                sleep(WAIT)
        lines, self._ready = self._ready[:n], self._ready[n:]
        is_whole = not (self._is_cut and not self._ready)
        places: Sequence[int] = range(len(lines))  # of those that are messages
        if not self._has_blank:
            places = [i for i, line in enumerate(lines) if line.strip()]
        start, passed = self._spot, Passed(self._spot, lines, is_whole=is_whole)
        self._spot = start.after(lines, is_whole=is_whole)
        return Taken(
            [f"{start.number}:{start.line + i + 1}" for i in places],
            [lines[i].removesuffix(b"\r") for i in places],
            lambda n: passed.after(places[n - 1] + 1).to_state(),
            at_end=not lines,
        )

    def _read(self) -> bool:
        """Read on; return whether there was anything."""
        data = os.pread(self._handle.fileno(), CHUNK, self._read_to)
        if not data or self._is_replaced():
            return False
        self._read_to += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > MAX_RECORD:
            line = self._spot.line + len(lines) + 1
            raise ValueError(f"{self.name} line {line}: more than 64 MiB")
        self._ready += lines
        return True

    def _is_replaced(self) -> bool:
        """Return whether other bytes are before the position: truncated, and written to since."""
        return not self._spot.is_in(self._handle)

    def _finish_line(self) -> None:
        """Take a last line without its end: nothing will be added to it."""
        if self._rest:
            self._ready.append(self._rest)
            self._rest, self._is_cut = b"", True

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
        self._spot = Spot(self._spot.number + 1)
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
                spot = self._spot
                self._open(path)
                self._seek(spot)
                return [self._path]
        self._say(
            f"{self._path} was truncated, and no copy of it was found: what was written to it "
            f"after byte {self._read_to:,} and before that is not learned"
        )
        self._rest, self._read_to = b"", NOWHERE
        return [self._path]

    def _is_copy(self, path: Path) -> bool:
        """Return whether a file begins as the lines that were read."""
        with open(path, "rb") as file:
            return ends_in(file, self._spot.offset)[0] == self._spot.head

    def describe(self, position: Json) -> str:
        """Return how many bytes of the file are behind the position."""
        is_here = position["number"] == self._spot.number
        n_behind = os.fstat(self._handle.fileno()).st_size - (position["offset"] if is_here else 0)
        return f"{n_behind:,} bytes behind" if n_behind > 0 else "up to date"

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def close(self) -> None:
        """Close the file."""
        self._close_file()


def glob_escape(name: str) -> str:
    """Return a name so that it stands for itself in a pattern."""
    return re.sub(r"([*?[])", r"[\1]", name)
