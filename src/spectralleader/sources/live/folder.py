"""A folder of files, read in order of their names; new files are picked up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import sleep
from typing import Any

from spectralleader.checks.states import take, text
from spectralleader.runtime.interrupts import raise_if_interrupted
from spectralleader.sources.files.reader import Reader
from spectralleader.sources.files.text_block import TextBlock
from spectralleader.sources.live.protocol import Json
from spectralleader.sources.live.reader import NOTHING, LiveBlocks
from spectralleader.sources.options import SourceOptions
from spectralleader.sources.position import LearnedInput, Position

KIND = "folder"
SAMPLED = 2**16  # bytes at both ends of a file that are compared: they are hashed once per MiB
WAIT = 0.2  # seconds between polls of the folder
HIDDEN = (".", "_")  # prefixes of names that are no data, or not complete yet (as in Hadoop)


def list_folder(folder: str | Path) -> list[Path]:
    """Return the files of a folder in order of their names, without hidden and empty ones."""
    found = [path for path in Path(folder).iterdir() if not path.name.startswith(HIDDEN)]
    # An empty file may still be waiting for its content.
    there = [path for path in found if path.is_file() and path.stat().st_size]
    return sorted(there, key=lambda path: path.name)


class FolderReader(LiveBlocks):
    """An iterator over blocks of the files in a folder, created by `open_source`.

    A file must be complete when it appears: write it under a name that starts with a dot, then
    rename it. A new file whose name sorts before one that was already read is reported and skipped.
    Blocks do not cross files.
    """

    def __init__(self, folder: str, options: SourceOptions) -> None:
        super().__init__(KIND, folder, options)
        self._folder = Path(folder)
        self._reader: Reader | None = None
        self._learned: LearnedInput | None = None  # documents returned from it
        self._name = ""  # of the current or last file
        self._known: set[str] = set()  # names at the last poll of the folder

    def start(self, position: Json | None) -> None:
        """Resume from a position, or start from the beginning if it is None."""
        super().start(position)
        if position is not None:
            self._resume(position)
        while self._reader is None and not self._open_next() and self._options.waits:
            raise_if_interrupted()
            sleep(WAIT)

    def _resume(self, position: Any) -> None:
        if take(position, "kind") != KIND:
            raise ValueError("the position does not belong to a folder")
        name, at = text(position, "file"), Position.from_state(position)
        path = self._folder / name
        if not path.is_file():
            raise ValueError(
                f"{path} is missing, which was learned up to document {at.offset:,}; restore it, "
                "or start over with --fresh"
            )
        changed = f"{path} has changed since its first {at.offset:,} documents were learned"
        try:
            self._learned = self._open(path).resume(at, lambda n_docs: None)
        except ValueError as error:
            raise ValueError(f"{changed}: {error}") from error
        if not self._learned.has_same_end(at):  # files are complete when they appear
            raise ValueError(f"{changed}; restore it, or start over with --fresh")
        self.position = position

    def _open(self, path: Path) -> Reader:
        self.close()
        self._name = path.name
        self._reader = reader = Reader([str(path)], self._options)
        reader.sampled = SAMPLED
        self._learned = reader.learned()
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
            self._open(following)
        return following is not None

    def _report_late(self, names: set[str]) -> None:
        # At the first look nothing is late: what sorts before the position was learned.
        late = {name for name in names - self._known if self._known and name < self._name}
        for name in sorted(late):
            self._options.say(f"{name} sorts before {self._name}, which was already read; skipped")
        self._known = names

    def next_or_idle(self) -> TextBlock:
        """Return the next block, or an empty block if there is nothing new yet."""
        self._start_once()
        raise_if_interrupted()
        block = None if self._reader is None else next(self._reader, None)
        if block is not None and self._learned is not None:
            # The position counts what is returned: the reader is ahead of it.
            self._learned.add(block.texts)
            at = self._learned.position.to_state()
            self.position = {"kind": KIND, "file": self._name, **at}
            return replace(block, position=self.position)
        if not self._open_next():
            if not self._options.waits:
                raise StopIteration
            sleep(WAIT)
        return NOTHING

    def describe(self) -> str:
        """Return the lag in words: how many files are still to be read."""
        n_behind = sum(path.name > self._name for path in list_folder(self._folder))
        return f"{n_behind:,} files behind" if n_behind else "in the last file"

    def close(self) -> None:
        """Close the current file."""
        if self._reader is not None:
            self.problems.absorb(self._reader.problems)
            self._reader.close()
            self._reader = None
