"""Table: the interface of all file formats to the reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from spectralleader.sources.files.columns import Sample
from spectralleader.sources.files.records import Log, Records
from spectralleader.sources.files.resume_point import PieceStart

N_SAMPLE = 100  # rows examined to guess the columns


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

    def seek(self, start: PieceStart) -> None:
        """Continue at the start of some records, before `records` is called."""

    def close(self) -> None:
        """Close the file."""
