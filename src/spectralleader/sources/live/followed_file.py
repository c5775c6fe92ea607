"""A followed file: lines as they are appended, across log rotation."""

from __future__ import annotations

import glob
import os
import re
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from time import sleep
from typing import IO

from spectralleader.sources.files.byte_stream import CHUNK, GZIP, MAX_RECORD, ZSTD
from spectralleader.sources.files.formats import find_format
from spectralleader.sources.live.file_position import (
    FINGERPRINT_SIZE,
    FilePosition,
    LinePositions,
    find_position,
    is_identified,
)
from spectralleader.sources.live.protocol import Json, LiveSettings, MessageBatch

KIND = "file"
WAIT = 0.1  # seconds between polls of a file without new lines
FIRST = 256  # bytes from which the format is guessed
ROTATED = re.compile(r"[.-]\d[\d.\-_:T]*")  # suffix of rotated files: .1, -20240131
FOLLOWED_FORMATS = ("jsonl", "text")
NOWHERE = 2**62  # an offset beyond the end of every file


class FollowedFile:
    """The lines of a growing file, with support for rotation (rename, or copy and truncate).

    A line is read when its line end is there. A renamed file is read to its end before the new one;
    the rest of a truncated file is read from its copy. After a restart, the file of the position is
    searched among the rotated ones.

    Parameters
    ----------
    path : str
        The file; rotated files have the same name with a number or date appended.
    settings : LiveSettings
        The format, "jsonl" or "text", is guessed from name and content if omitted. An incomplete
        last line waits for its end if the file is followed.
    """

    def __init__(self, path: str, settings: LiveSettings) -> None:
        self.name = path
        self._path = Path(path)
        self._settings, self._say = settings, settings.say
        self._file: IO[bytes] | None = None
        self._next_files: deque[Path] = deque()  # rotated files to read after the current one
        self._ready: list[bytes] = []  # complete lines, without line feeds
        self._rest = b""  # the incomplete line read so far
        self._is_cut = False  # whether the last line in `_ready` had no line end
        self._has_blank = True  # whether blank lines are documents; in JSON lines they are not
        self._read_to = 0  # offset up to which the file was read
        self._file_position = FilePosition()  # position after the lines that were returned

    def open(self, position: Json | None) -> Json:
        """Open the file that contains the position, and resume after it."""
        if position is None:
            if not self._path.exists():
                raise ValueError(f"{self._path} does not exist")
            self._open(self._path)
            if self._settings.start == "latest":
                self._to_the_end()
            return self._file_position.to_state()
        found = find_position(position, [self._path, *reversed(self._rotated())])
        if found is None:
            raise ValueError(
                f"the file that was learned up to byte {position['offset']:,} is neither "
                f"{self._path} nor one of the rotated files beside it: restore it (uncompressed), "
                "or start over with --fresh"
            )
        file_position, path = found
        if not is_identified(position, file_position) and (rotated := self._rotated()):
            names = ", ".join(one.name for one in rotated)
            self._say(
                f"nothing was learned from the file of the saved position, and it cannot be "
                f"identified: reading {path} from its beginning; if it was rotated since, its "
                f"earlier lines are skipped, which are in one of {names}"
            )
        self._open(path)
        self._seek(file_position)
        if path != self._path:
            self._say(f"{self._path} was rotated: resuming in {path}")
            self._next_files.extend(self._successors())
        return self._file_position.to_state()

    def _open(self, path: Path) -> None:
        self.close()
        self._file = open(path, "rb")  # noqa: SIM115
        first = self._file.read(FIRST)
        if first.startswith((GZIP, ZSTD)):
            raise ValueError(f"{path} is compressed; compressed files cannot be followed")
        kind = self._settings.format or find_format(self._path.name, first)
        if kind not in FOLLOWED_FORMATS:
            raise ValueError(
                f"{path} looks like {kind}, but only JSON lines and plain text can be followed; "
                "use --format text to treat each line as a text, or omit --follow"
            )
        self._has_blank = kind == "text"
        self._seek(FilePosition(self._file_position.number))

    def _seek(self, file_position: FilePosition) -> None:
        self._file_position = file_position.identified(self._handle)
        self._read_to = file_position.offset
        self._rest, self._ready, self._is_cut = b"", [], False

    def identify(self, position: Json) -> Json:
        """Return a position that `open` returned with what identifies its file by now."""
        is_here = position["number"] == self._file_position.number
        return position | {"identity": self._file_position.identity} if is_here else position

    def _to_the_end(self) -> None:
        """Skip the existing complete lines; an incomplete last line counts as new."""
        while self._read():
            self._file_position, self._ready = self._file_position.after(self._ready), []

    def _rotated(self) -> list[Path]:
        return find_rotated(self._path)

    def _successors(self) -> list[Path]:
        """Return the files written after the open one, the current one last."""
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

    def take(self, n: int, *, rest: bool) -> MessageBatch:
        """Return up to n of the next lines."""
        if not self._ready and not self._read() and not self._move_on():
            if not self._settings.follow:
                self._finish_line()
            else:
                sleep(WAIT)
        lines, self._ready = self._ready[:n], self._ready[n:]
        is_whole = not (self._is_cut and not self._ready)
        places: Sequence[int] = range(len(lines))  # indices of the lines that are messages
        if not self._has_blank:
            places = [i for i, line in enumerate(lines) if line.strip()]
        start, line_positions = (
            self._file_position,
            LinePositions(self._file_position, lines, is_whole=is_whole),
        )
        self._file_position = start.after(lines, is_whole=is_whole)
        return MessageBatch(
            [f"{start.number}:{start.line + i + 1}" for i in places],
            [lines[i].removesuffix(b"\r") for i in places],
            lambda n: line_positions.after(places[n - 1] + 1).to_state(),
            at_end=not lines,
        )

    def _read(self) -> bool:
        """Read the next chunk; return whether there was anything."""
        data = os.pread(self._handle.fileno(), CHUNK, self._read_to)
        if not data or self._is_replaced():
            return False
        if len(self._file_position.start) < FINGERPRINT_SIZE:  # it was short when it was opened
            self._file_position = self._file_position.identified(self._handle)
        self._read_to += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > MAX_RECORD:
            line = self._file_position.line + len(lines) + 1
            raise ValueError(f"{self.name} line {line} is longer than 64 MiB")
        self._ready += lines
        return True

    def _is_replaced(self) -> bool:
        """Return whether the bytes before the position changed: truncated and written to since."""
        return not self._file_position.matches(self._handle)

    def _finish_line(self) -> None:
        """Accept an incomplete last line: nothing will be appended to it."""
        if self._rest:
            self._ready.append(self._rest)
            self._rest, self._is_cut = b"", True

    def _move_on(self) -> bool:
        """At the end of the file, open the next one if this one was rotated."""
        if not self._next_files:
            if not (after := self._rotation()):
                return False
            self._next_files.extend(after)
        # The writer may have appended between our last read and the rotation.
        if self._read():
            return True
        self._finish_line()
        if self._ready:
            return True
        following = self._next_files[0]
        if not following.exists():  # renamed, but the new one is not created yet
            return False
        self._next_files.popleft()
        self._file_position = FilePosition(self._file_position.number + 1)
        self._open(following)
        return True

    def _rotation(self) -> list[Path]:
        """Return the files to read next if this one was rotated, else an empty list."""
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
        """Continue in the copy that was made before the truncation, if there is one."""
        for path in reversed(self._rotated()):
            if path.stat().st_size >= self._read_to and self._is_copy(path):
                file_position = self._file_position
                self._open(path)
                self._seek(file_position)
                return [self._path]
        self._say(
            f"{self._path} was truncated and no copy was found: lines written after byte "
            f"{self._read_to:,} and before the truncation are lost"
        )
        self._rest, self._read_to = b"", NOWHERE
        return [self._path]

    def _is_copy(self, path: Path) -> bool:
        """Return whether a file begins with the bytes that were read."""
        with open(path, "rb") as file:
            return self._file_position.matches(file)

    def describe(self, position: Json) -> str:
        """Return the lag in words: bytes between the position and the end of the file."""
        is_here = position["number"] == self._file_position.number
        n_behind = os.fstat(self._handle.fileno()).st_size - (position["offset"] if is_here else 0)
        return f"{n_behind:,} bytes behind" if n_behind > 0 else "up to date"

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def find_rotated(path: Path) -> list[Path]:
    """Return the rotated files beside a file, oldest first."""
    found = [
        other
        for other in path.parent.glob(f"{glob.escape(path.name)}*")
        if ROTATED.fullmatch(other.name[len(path.name) :]) and other.is_file()
    ]
    return sorted(found, key=lambda other: (other.stat().st_mtime_ns, other.name))
