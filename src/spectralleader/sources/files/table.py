"""Table: what every format of file looks like to the reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from spectralleader.arrays import Ints
from spectralleader.sources.files.columns import Sample
from spectralleader.sources.files.marks import Start
from spectralleader.sources.files.problems import Problems

N_SAMPLE = 100  # rows looked at to guess the columns


class Records(NamedTuple):
    """Some records of a file: the columns that were asked for, and where each record stood."""

    fields: list[list[str | None]]  # one list a column
    lines: Ints  # (n,) line at which it begins, from 1
    start: Start | None = None  # where reading can resume to get these again; None if it cannot

    def keep(self, mask: Sequence[bool]) -> Records:
        """Return the records that are marked."""
        chosen = [i for i, kept in enumerate(mask) if kept]
        fields = [[column[i] for i in chosen] for column in self.fields]
        return Records(fields, self.lines[chosen], self.start)


class Log:
    """Problems of one file."""

    def __init__(self, problems: Problems, file: int) -> None:
        self._problems = problems
        self._file = file

    def add(self, kind: str, line: int, detail: str = "") -> None:
        """Count a bad record."""
        self._problems.add(kind, self._file, int(line), detail)


class Table(Protocol):
    """A file that is open: its columns, a sample, and its records."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""

    @property
    def sample(self) -> Sample:
        """Some values of each column, to guess from."""

    def records(self, wanted: Sequence[str], log: Log) -> Iterator[Records]:
        """Yield the file's good records, some at a time; once only."""

    @property
    def end(self) -> int | None:
        """Bytes read; None if one cannot resume in them."""

    def seek(self, start: Start) -> None:
        """Continue at the start of some records, before `records` is called."""

    def close(self) -> None:
        """Close the file."""
