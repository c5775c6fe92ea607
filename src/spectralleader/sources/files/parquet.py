"""Parquet: rows in slices, so that one row group need not fit."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from spectralleader.sources.files.feed import Feed
from spectralleader.sources.files.marks import Start
from spectralleader.sources.files.table import N_SAMPLE, Log, Records

SLICE_BYTES = 2**24  # of the wanted columns, read together
MAX_ROWS = 50_000  # read together
UTC_FORM = "%Y-%m-%dT%H:%M:%S%.6fZ"


class Parquet:
    """An open Parquet file."""

    def __init__(self, feed: Feed) -> None:
        self._name = feed.name
        self._copy = copy_to_disk(feed)  # if it is a pipe, or compressed as a whole
        feed.close()
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
        """Return columns as strings, but for nested ones; of bytes only that there is none."""
        return [as_text(name, self._schema[name]) for name in names]

    def records(self, wanted: Sequence[str], log: Log) -> Iterator[Records]:
        """Yield all rows, of the wanted columns."""
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
        """Return None: rows have no place in bytes."""
        return None

    def seek(self, start: Start) -> None:
        """Raise: no records of this have a start."""
        raise ValueError(f"{self._name} cannot be resumed at a byte")

    def close(self) -> None:
        """Delete the copy, if one was made."""
        if self._copy is not None:
            self._copy.unlink(missing_ok=True)


def as_text(name: str, kind: pl.DataType) -> pl.Expr:
    """Return a column as strings; times in UTC; nested ones as they are; nothing for bytes."""
    column = pl.col(name)
    if isinstance(kind, pl.Datetime):
        column = column.dt.convert_time_zone("UTC") if kind.time_zone else column
        return column.dt.to_string(UTC_FORM)
    if kind in (pl.Binary, pl.Object, pl.Null):
        return pl.lit(None, pl.String).alias(name)
    return column if kind.is_nested() else column.cast(pl.String)


def as_strings(column: pl.Series) -> list[str | None]:
    """Return the values of a column; those of a nested one as JSON writes them."""
    values = column.to_list()
    if not column.dtype.is_nested():
        return values
    return [None if value is None else json.dumps(value, default=str) for value in values]


def copy_to_disk(feed: Feed) -> Path | None:
    """Write a pipe, or what a compressed file holds, where one can move about in it."""
    if feed.name != "-" and feed.stream is feed.raw:
        return None
    with tempfile.NamedTemporaryFile(suffix=".parquet", delete=False) as copy:
        try:
            data, ended = feed.more(b"")
            while not ended:
                copy.write(data)
                data, ended = feed.more(b"")
        except BaseException:
            Path(copy.name).unlink()
            raise
    return Path(copy.name)


def first_line(error: BaseException) -> str:
    """Return what an error says first."""
    return (str(error).splitlines() or [""])[0]
