"""A folder of files, read in order of their names; new files are picked up."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from time import sleep
from typing import Any, Literal

import msgspec

from spectralleader.errors import ResumeError
from spectralleader.runtime.interrupts import raise_if_interrupted
from spectralleader.sources.files.columns import Columns
from spectralleader.sources.files.problems import LATE_FILE, Problems
from spectralleader.sources.files.reader import FileReader
from spectralleader.sources.files.text_block import TextBlock
from spectralleader.sources.live.reader import NOTHING
from spectralleader.sources.options import Json, SourceOptions
from spectralleader.sources.reader import Lag, Reader, check_position

WAIT = 0.2  # seconds between polls of the folder
HIDDEN = (".", "_")  # prefixes of names that are no data, or not complete yet (as in Hadoop)


def list_folder(folder: str | Path) -> list[Path]:
    """Return the files of a folder in order of their names, without hidden and empty ones."""
    found = [path for path in Path(folder).iterdir() if not path.name.startswith(HIDDEN)]
    # An empty file may still be waiting for its content.
    there = [path for path in found if path.is_file() and path.stat().st_size]
    return sorted(there, key=lambda path: path.name)


class FolderPosition(msgspec.Struct):
    """A position in a folder."""

    kind: Literal["folder"]
    file: str  # name of the file
    at: dict[str, Any]  # the position in it


class FolderReader(Reader):
    """A reader of the files in a folder, created by `open_source`.

    A file must be complete when it appears: write it under a name that starts with a dot, then
    rename it. A new file whose name sorts before one that was already read is reported and skipped.
    Blocks do not cross files.
    """

    kind = "folder"

    def __init__(self, folder: str, options: SourceOptions) -> None:
        self.names = (folder,)
        self.problems = Problems(strict=options.strict)
        self._folder, self._options = Path(folder), options
        self._columns: Columns | None = None
        self._reader: FileReader | None = None
        self._name = ""  # of the current or last file
        self._known: set[str] = set()  # names at the last poll of the folder

    @property
    def columns(self) -> Columns:  # type: ignore[override]  # known at once in other readers
        """The columns that are read; waits for the first file."""
        self.open_once()
        return self._columns or Columns(("text",))

    def open(self, position: Json | None) -> None:
        """Resume from a position, or start from the beginning if it is None."""
        self._is_open = True
        if position is not None:
            self._resume(position)
        while self._reader is None and not self._open_next() and self._options.waits:
            if self.is_over:
                break
            raise_if_interrupted()
            sleep(WAIT)

    def _resume(self, position: Json) -> None:
        found = check_position(FolderPosition, position)
        path = self._folder / found.file
        if not path.is_file():
            raise ResumeError(f"{path} is missing, which was learned in part", "restore it")
        changed = ResumeError(f"{path} has changed since it was learned", "restore it")
        try:
            reader = self._open_file(path, found.at)
            reader.catch_up(lambda n_docs: None)
        except ResumeError as error:
            raise changed from error
        if not reader.is_last_kept:  # files are complete when they appear
            raise changed
        self.at = position

    def _open_file(self, path: Path, position: Json | None = None) -> FileReader:
        self.close()
        self._name = path.name
        self._reader = reader = FileReader([str(path)], self._options, self.problems)
        reader.open(position)
        if self._columns is None:
            self._columns, self.guesses = reader.columns, reader.guesses
            # All files have the columns of the first one: what is text must not change on the way.
            text, tokens = self._columns.text, self._columns.text[0] * self._columns.tokens
            self._options = replace(self._options, text=text, tokens=tokens)
        return reader

    def _open_next(self) -> bool:
        """Open the next file in order of names; return False if there is none."""
        found = list_folder(self._folder)
        self._report_late({path.name for path in found})
        following = next((path for path in found if path.name > self._name), None)
        if following is not None:
            self._open_file(following)
        return following is not None

    def _report_late(self, names: set[str]) -> None:
        # At the first look nothing is late: what sorts before the position was learned.
        late = {name for name in names - self._known if self._known and name < self._name}
        for name in sorted(late):
            self._options.say(f"{name} sorts before {self._name}, which was already read; skipped")
            self.problems.add(LATE_FILE, f"{self._folder} file {name}")
        self._known = names

    def next_or_idle(self) -> TextBlock:
        """Return the next block, or an empty block if there is nothing new yet."""
        self.open_once()
        raise_if_interrupted()
        if self.is_over:
            raise StopIteration
        block = None if self._reader is None else next(self._reader, None)
        if block is not None:
            self.at = partial(self._write_position, self._name, block)
            return replace(block, at=self.at)
        if not self._open_next():
            if not self._options.waits:
                raise StopIteration
            sleep(WAIT)
        return NOTHING

    def _write_position(self, name: str, block: TextBlock) -> Json | None:
        inside = block.position
        return inside and msgspec.to_builtins(FolderPosition("folder", name, inside))

    def lag(self) -> Lag:
        """Return how many files are still to be read, beside the current one."""
        n_behind = sum(path.name > self._name for path in list_folder(self._folder))
        return Lag(n_behind, "files")

    def close(self) -> None:
        """Close the current file."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None
