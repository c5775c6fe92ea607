"""Parquet: rows are read in slices, so that a row group need not fit into memory."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from spectralleader.sources.files.byte_stream import ByteStream
from spectralleader.sources.files.records import Column, Log, Records
from spectralleader.sources.files.resume_point import PieceStart
from spectralleader.sources.files.table import N_SAMPLE

SLICE_BYTES = 2**24  # approximate size of the wanted columns in one slice
MAX_ROWS = 50_000  # of one slice
UTC_FORM = "%Y-%m-%dT%H:%M:%S%.6fZ"


class Parquet:
    """An open Parquet file."""

    def __init__(self, source: ByteStream) -> None:
        self._name = source.name
        self._copy = copy_to_disk(source)  # Parquet needs random access: a pipe is copied first
        source.close()
        try:
            self._frame = pl.scan_parquet(self._copy or self._name)
            self._schema = self._frame.collect_schema()
            head = self._frame.head(N_SAMPLE).select(self._as_text(self._schema.names()))
            self.sample = {column.name: as_strings(column) for column in head.collect()}
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            self.close()
            raise ValueError(f"{self._name} cannot be read: {first_line(error)}") from error
        self.columns = tuple(self._schema.names())

    def _as_text(self, names: Sequence[str]) -> list[pl.Expr]:
        """Return the expressions that convert columns to strings, see `as_text`."""
        return [as_text(name, self._schema[name]) for name in names]

    def records(self, wanted: Sequence[str], log: Log) -> Iterator[Records]:
        """Yield the wanted columns of all rows."""
        query = self._frame.select(self._as_text(wanted))
        row, size = 0, 1000
        while True:
            try:
                part = query.slice(row, size).collect()
            except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
                place = f"{self._name} row {row + 1} or after it"
                raise ValueError(f"{place} cannot be read: {first_line(error)}") from error
            if not len(part):
                return
            lines = row + 1 + np.arange(len(part))
            yield Records([as_strings(part[name]) for name in wanted], lines)
            row += len(part)
            per_row = part.estimated_size() / len(part) + 1
            size = int(min(MAX_ROWS, SLICE_BYTES / per_row)) + 1

    @property
    def end(self) -> int | None:
        """Return None: reading cannot resume at a byte offset."""
        return None

    def seek(self, start: PieceStart) -> None:
        """Raise `ValueError`: reading cannot resume at a byte offset."""
        raise ValueError(f"{self._name} cannot be resumed at a byte")

    def close(self) -> None:
        """Delete the copy, if one was made."""
        if self._copy is not None:
            self._copy.unlink(missing_ok=True)


def as_text(name: str, kind: pl.DataType) -> pl.Expr:
    """Return a column as strings, times in UTC; keep nested columns; binary ones become null."""
    column = pl.col(name)
    if isinstance(kind, pl.Datetime):
        column = column.dt.convert_time_zone("UTC") if kind.time_zone else column
        return column.dt.to_string(UTC_FORM)
    if kind in (pl.Binary, pl.Object, pl.Null):
        return pl.lit(None, pl.String).alias(name)
    return column if kind.is_nested() else column.cast(pl.String)


def as_strings(column: pl.Series) -> Column:
    """Return the values of a column; those of a nested column as JSON."""
    values = column.to_list()
    if not column.dtype.is_nested():
        return values
    return [None if value is None else json.dumps(value, default=str) for value in values]


def copy_to_disk(source: ByteStream) -> Path | None:
    """Copy a pipe or a compressed file to a temporary file; None if the file can be used."""
    if source.name != "-" and source.stream is source.raw:
        return None
    with tempfile.NamedTemporaryFile(suffix=".parquet", delete=False) as copy:
        try:
            data, ended = source.more(b"")
            while not ended:
                copy.write(data)
                data, ended = source.more(b"")
        except BaseException:
            Path(copy.name).unlink()
            raise
    return Path(copy.name)


def first_line(error: BaseException) -> str:
    """Return the first line of an error message."""
    return (str(error).splitlines() or [""])[0]
