"""Parquet: rows are read in batches by pyarrow, so that a row group need not fit into memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import IO, Any

import msgspec
import numpy as np

from spectralleader.errors import missing_extra
from spectralleader.sources.files.byte_stream import ByteStream
from spectralleader.sources.files.table import N_SAMPLE, Column, Log, Records, Table

BATCH = 5000  # rows read at once; 1,000 take a fifth longer, 20,000 are no faster


class Parquet(Table):
    """An open Parquet file."""

    def __init__(self, source: ByteStream) -> None:
        if source.encoding is not None:
            raise ValueError(f"{source.name} is Parquet, which is always UTF-8; omit the encoding")
        super().__init__(source)
        try:
            self._arrow: Any = import_module("pyarrow")
            parquet = import_module("pyarrow.parquet")
        except ImportError:
            raise ValueError(missing_extra(f"{source.name} is Parquet, which", "parquet")) from None
        # Parquet needs random access: a pipe or a compressed file is copied first.
        self._copy = None if source.can_seek else copy_to_disk(source)
        try:
            self._file = parquet.ParquetFile(self._copy or source.raw)
            self.columns = tuple(self._file.schema_arrow.names)
            head = next(self._file.iter_batches(N_SAMPLE), None)
        except (self._arrow.ArrowException, OSError) as error:
            self.close()
            raise ValueError(f"{source.name} cannot be read: {first_line(error)}") from error
        # A file without rows has columns, but nothing to guess from.
        fields = [] if head is None else map(self._as_texts, head.columns)
        self.sample = dict(zip(self.columns, fields, strict=False))

    def records(self, wanted: Sequence[str], log: Log) -> Iterator[Records]:
        """Yield the wanted columns of all rows."""
        batches = self._file.iter_batches(BATCH, columns=list(wanted))
        row = 1
        while True:
            try:
                batch = next(batches, None)
            except (self._arrow.ArrowException, OSError) as error:
                place = f"{self._source.name} row {row} or after it"
                raise ValueError(f"{place} cannot be read: {first_line(error)}") from error
            if batch is None:
                return
            lines = np.arange(row, row + len(batch))
            yield Records({name: self._as_texts(batch[name]) for name in wanted}, lines)
            row += len(batch)

    def _as_texts(self, column: Any) -> Column:
        """Return the values of a column as text, nested ones as JSON, binary ones as None."""
        arrow, kind = self._arrow, column.type
        if arrow.types.is_nested(kind):
            # Of equal keys in a map the last one counts, as in JSON.
            values = column.to_pylist(maps_as_pydicts="lossy")
            return [None if value is None else as_json(value) for value in values]
        if arrow.types.is_timestamp(kind):  # times in UTC, for which no database of zones is needed
            times = column.cast(arrow.timestamp("us"), safe=False).cast(arrow.string()).to_pylist()
            return [time and f"{time}Z" for time in times]
        if "binary" in str(kind):
            return [None] * len(column)
        texts: Column = column.cast(arrow.large_string()).to_pylist()
        return texts

    @property
    def end(self) -> int | None:
        """Return None: reading cannot resume at a byte offset."""
        return None

    def close(self) -> None:
        """Close the file, and delete the copy if one was made."""
        if self._copy is not None:
            self._copy.close()
        super().close()


def as_json(value: Any) -> str:
    """Return a value of a nested column as JSON."""
    return msgspec.json.encode(value, enc_hook=str).decode()


def copy_to_disk(source: ByteStream) -> IO[bytes]:
    """Return a temporary file with the bytes of a source, which is deleted when it is closed."""
    copy = tempfile.TemporaryFile()  # noqa: SIM115  # `Parquet.close` closes it
    try:
        data, ended = source.more(b"")
        while not ended:
            copy.write(data)
            data, ended = source.more(b"")
    except BaseException:
        copy.close()
        raise
    return copy


def first_line(error: BaseException) -> str:
    """Return the first line of an error message."""
    return (str(error).splitlines() or [""])[0]
