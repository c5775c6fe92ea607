"""Table: the interface of all file formats to the reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from spectralleader.arrays import Ints
from spectralleader.sources.files.columns import Sample
from spectralleader.sources.files.marks import Start
from spectralleader.sources.files.problems import Problems

N_SAMPLE = 100  # rows examined to guess the columns


class Records(NamedTuple):
    """Some records of a file: the wanted columns and the line of each record."""

    fields: list[list[str | None]]  # one list per column
    lines: Ints  # (n,) line at which each record begins, from 1
    start: Start | None = None  # where reading these again starts; None if that is impossible

    def keep(self, mask: Sequence[bool]) -> Records:
        """Return the records selected by a mask."""
        chosen = [i for i, kept in enumerate(mask) if kept]
        fields = [[column[i] for i in chosen] for column in self.fields]
        return Records(fields, self.lines[chosen], self.start)


class Log:
    """Problems of one file."""

    def __init__(self, problems: Problems, file: int) -> None:
        self._problems = problems
        self._file = file

    def add(self, kind: str, line: int, detail: str = "") -> None:
        """Count an invalid record."""
        self._problems.add(kind, self._file, int(line), detail)


class Table(Protocol):
    """An open file: its columns, a sample of values, and its records."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""

    @property
    def sample(self) -> Sample:
        """Some values of each column, to guess from."""

    def records(self, wanted: Sequence[str], log: Log) -> Iterator[Records]:
        """Yield the valid records in pieces; may be called once."""

    @property
    def end(self) -> int | None:
        """Number of bytes read, or None if reading cannot resume at a byte offset."""

    def seek(self, start: Start) -> None:
        """Continue at the start of some records, before `records` is called."""

    def close(self) -> None:
        """Close the file."""
