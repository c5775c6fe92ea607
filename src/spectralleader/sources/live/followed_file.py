"""A followed file: lines as they are appended, across log rotation."""

from __future__ import annotations

import glob
import os
import re
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
        self._is_rotated = False  # whether another file is read after the end of the open one
        self._seen: dict[int, bytes] = {}  # inodes and first bytes of files that are not read again
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
            self._note_all(self._rotated())
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
        rotated = self._rotated()
        self._note_all(rotated[: rotated.index(path) + 1] if path in rotated else rotated)
        self._open(path)
        self._seek(file_position)
        if path != self._path:
            self._say(f"{self._path} was rotated: resuming in {path}")
            self._is_rotated = True
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

    def _note(self, file: IO[bytes]) -> None:
        """Record that a file is not to be read, also under another name."""
        start = os.pread(file.fileno(), FINGERPRINT_SIZE, 0)
        self._seen[os.fstat(file.fileno()).st_ino] = start

    def _note_all(self, paths: Sequence[Path]) -> None:
        for path in paths:
            with open(path, "rb") as file:
                self._note(file)

    def _new_files(self) -> list[Path]:
        """Return the rotated files that appeared since the start and are unread, oldest first."""
        mine = os.fstat(self._handle.fileno()).st_ino
        found = [(path, path.stat().st_ino, read_start(path)) for path in self._rotated()]
        return [
            path
            for path, inode, start in found
            if start and inode != mine and not self._is_seen(inode, start)
        ]

    def _is_seen(self, inode: int, start: bytes) -> bool:
        """Return whether a file is known; a deleted file may have left its inode to another one."""
        return inode in self._seen and start.startswith(self._seen[inode])

    def _unread(self) -> list[Path]:
        """Return the new rotated files, except copies of what the file itself still contains."""
        current = read_start(self._path) if self._path.exists() else b""
        return [path for path in self._new_files() if not current.startswith(read_start(path))]

    @property
    def _handle(self) -> IO[bytes]:
        assert self._file is not None
        return self._file

    def take(self, n: int, *, rest: bool) -> MessageBatch:
        """Return up to n of the next lines."""
        if not self._ready and not self._find_lines():
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
        """Return whether the file was truncated, and possibly written to, since it was read.

        The bytes before the position show it. If nothing was read yet, a new copy shows it.
        """
        if not self._file_position.matches(self._handle):
            return True
        return not self._file_position.start and self._is_current() and bool(self._unread())

    def _is_current(self) -> bool:
        """Return whether the open file still has the name that is followed."""
        try:
            there = self._path.stat()
        except FileNotFoundError:
            return False
        return os.path.samestat(there, os.fstat(self._handle.fileno()))

    def _finish_line(self) -> None:
        """Accept an incomplete last line: nothing will be appended to it."""
        if self._rest:
            self._ready.append(self._rest)
            self._rest, self._is_cut = b"", True

    def _find_lines(self) -> bool:
        """Read on, here or in the next file; return whether something changed."""
        try:
            return self._read() or self._move_on()
        except FileNotFoundError:  # a file was rotated while we looked: look again
            return False

    def _move_on(self) -> bool:
        """At the end of the file, open the next one if this one was rotated."""
        if not self._is_rotated and not self._look_for_rotation():
            return False
        self._is_rotated = True
        # The writer may have appended between our last read and the rotation.
        if self._read():
            return True
        self._finish_line()
        if self._ready:
            return True
        if self._read_to < NOWHERE:
            self._note(self._handle)
        if not (following := self._next_file()).exists():  # renamed, but not created again yet
            return False
        self._file_position = FilePosition(self._file_position.number + 1)
        self._open(following)
        # If the file was rotated between these two looks, what it held before comes first.
        while following == self._path and (following := self._next_file()) != self._path:
            self._open(following)
        self._is_rotated = following != self._path
        return True

    def _next_file(self) -> Path:
        """Return the oldest file that is not read yet.

        It is looked up anew each time, because the next rotation gives files other names.
        """
        return next(iter(self._unread()), self._path)

    def _look_for_rotation(self) -> bool:
        """Return whether the open file was rotated; if truncated, open its copy."""
        if not self._is_current():
            return True
        is_short = os.fstat(self._handle.fileno()).st_size < self._read_to
        if is_short or self._is_replaced():
            self._continue_in_copy()
            return True
        return False

    def _continue_in_copy(self) -> None:
        """Open the copy that was made before the file was truncated; report if there is none."""
        for path in self._new_files():
            if path.stat().st_size >= self._file_position.offset and self._is_copy(path):
                file_position = self._file_position
                self._open(path)
                self._seek(file_position)
                return
        lost = (
            f"{self._path} was truncated and no copy was found: lines written after byte "
            f"{self._file_position.offset:,} and before the truncation are lost"
        )
        if self._settings.strict:
            raise ValueError(
                f"{lost}; restore the copy (uncompressed) beside it, start over with --fresh, or "
                "omit --strict"
            )
        self._say(lost)
        self._rest, self._read_to = b"", NOWHERE

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


def read_start(path: Path) -> bytes:
    """Return the first bytes of a file, which identify it."""
    with open(path, "rb") as file:
        return file.read(FINGERPRINT_SIZE)


def find_rotated(path: Path) -> list[Path]:
    """Return the rotated files beside a file, oldest first."""
    found = [
        other
        for other in path.parent.glob(f"{glob.escape(path.name)}*")
        if ROTATED.fullmatch(other.name[len(path.name) :]) and other.is_file()
    ]
    return sorted(found, key=age_of)


def age_of(path: Path) -> tuple[int, int, str]:
    """Return a sort key of rotated files, oldest first: .2 is older than .1 of the same time."""
    number = path.suffix.removeprefix(".")
    is_number = number.isdecimal() and len(number) < len("2024")  # longer ones are dates
    return path.stat().st_mtime_ns, -int(number) if is_number else 0, path.name
