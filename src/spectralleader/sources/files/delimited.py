"""CSV and TSV: usually a header, then one record per line; quoted records may span lines."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import chain
from typing import NamedTuple

import numpy as np

from spectralleader.sources.files.byte_stream import MAX_RECORD, ByteStream
from spectralleader.sources.files.columns import Sample
from spectralleader.sources.files.lines import LineFile
from spectralleader.sources.files.problems import COLUMN_COUNT, OPEN_QUOTE, UNDECODABLE
from spectralleader.sources.files.records import Column, Log, Records, is_whole
from spectralleader.sources.files.resume_point import PieceStart
from spectralleader.sources.files.table import N_SAMPLE

DELIMITERS = (b",", b"\t", b";", b"|")
MAX_COLUMNS = 10_000
END = "end"  # sentinel record appended to the data: an unclosed quote swallows it
# The csv module rejects fields of more than 131,072 characters; records are already bounded.
csv.field_size_limit(max(csv.field_size_limit(), 2 * MAX_RECORD))


class Split(NamedTuple):
    """The complete records in some bytes; blank lines are skipped."""

    records: list[list[str]]  # bytes that are not UTF-8 become lone surrogates
    lines: list[int]  # line at which each record begins, from 0
    is_utf8: bool
    rest: bytes  # after the last complete record
    n_lines: int  # lines before the rest
    is_open: bool  # whether the data end inside quotes


def split(data: bytes, delimiter: str, *, ended: bool) -> Split:
    r"""Split bytes into records by ``csv.reader``; an incomplete last line is left in the rest.

    Examples
    --------
    >>> found = split(b'1,"a\nb"\r\n2,"c\n', ",", ended=False)
    >>> found.records, found.lines, found.rest, found.is_open
    ([['1', 'a\nb']], [0], b'2,"c\n', True)
    """
    # A CR in the last position may be followed by an LF in the next piece.
    last = max(data.rfind(b"\n"), data.rfind(b"\r", 0, len(data) - 1))
    end = len(data) if ended else last + 1
    text, is_utf8 = decode(data[:end])
    all_lines = list(StringIO(text, newline=""))
    reader = csv.reader(chain(all_lines, [END]), delimiter=delimiter)
    records, lines, line = [], [], 0
    for record in reader:
        if record:
            records.append(record)
            lines.append(line)
        line = reader.line_num
    records.pop()  # END, or the unclosed record that swallowed it
    n_lines = lines.pop()
    is_open = n_lines < len(all_lines)
    rest = "".join(all_lines[n_lines:]).encode("utf-8", "surrogateescape")
    return Split(records, lines, is_utf8, rest + data[end:], n_lines, is_open)


def decode(data: bytes) -> tuple[str, bool]:
    """Return the decoded text, and whether all bytes are valid UTF-8."""
    try:
        return data.decode(), True
    except UnicodeDecodeError:
        return data.decode("utf-8", "surrogateescape"), False


def show(field: str) -> str:
    """Return a field with invalid bytes shown as replacement characters."""
    return field.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def find_delimiter(first: bytes) -> bytes:
    """Return the delimiter that occurs most often in the first line, outside quotes."""
    line = re.sub(rb'"[^"]*"', b"", first).lstrip(b"\r\n").split(b"\n", 1)[0]
    return max(DELIMITERS, key=line.count)


class Delimited(LineFile):
    """An open CSV or TSV file.

    Parameters
    ----------
    source : ByteStream
        The file.
    delimiter : bytes, optional
        Guessed by default.
    header : bool
        Whether the first record has the names of the columns; if not, they are "1", "2", ...
    """

    header_line: int | None = None  # line at which the header begins, from 1; None without a header

    def __init__(
        self, source: ByteStream, delimiter: bytes | None = None, *, header: bool = True
    ) -> None:
        super().__init__(source)
        self._delimiter = (delimiter or find_delimiter(source.first)).decode()
        self._data, self._ended = source.more(b"")
        self._has_header = header  # whether the data begin with the header
        self._found = self._split()
        while not self._found.records and not self._ended:
            self._data, self._ended = source.more(self._data)
            self._found = self._split()
        self.columns = self._name_columns()
        self.sample = self._read_sample()

    def _split(self) -> Split:
        return split(self._data, self._delimiter, ended=self._ended)

    def _name_columns(self) -> tuple[str, ...]:
        header, *records = self._found.records or [[]]
        if not 0 < len(header) <= MAX_COLUMNS:
            what = "header" if self._has_header else "row"
            raise ValueError(
                f"{self._source.name} must start with a {what} of at most {MAX_COLUMNS:,} columns"
            )
        if not self._has_header:
            return tuple(str(i + 1) for i in range(len(header)))
        first, *lines = self._found.lines
        self.header_line = self._line + first
        self._found = self._found._replace(records=records, lines=lines)
        return tuple(show(name).strip() for name in header)

    def _read_sample(self) -> Sample:
        """Return the first records without reading more data; the last one may be incomplete."""
        records = split(self._data, self._delimiter, ended=True).records
        first = 1 if self._has_header else 0
        found = records[first : first + N_SAMPLE]
        good = [record for record in found if len(record) == len(self.columns)]
        return {name: [show(one[i]) for one in good] for i, name in enumerate(self.columns)}

    def records(self, wanted: Sequence[str], log: Log) -> Iterator[Records]:
        """Yield the wanted columns of all records with as many fields as the header."""
        columns, found = [self.columns.index(name) for name in wanted], self._found
        while True:
            if found.records:
                start = None if self._has_header else self._source.start_of(self._data, self._line)
                yield self._select(found, columns, log)._replace(start=start)
            self._has_header = False
            self._line += found.n_lines
            self._data = found.rest
            if found.is_open and (self._ended or len(self._data) >= MAX_RECORD):
                log(OPEN_QUOTE, self._line)
                self._drop_line()
            elif self._ended:
                return
            else:
                self._data, self._ended = self._source.more(self._data, self._line)
            found = self._split()

    def seek(self, start: PieceStart) -> None:
        """Continue at the start of a record."""
        super().seek(start)
        self._has_header = False
        self._data, self._ended = self._source.more(b"", self._line)
        self._found = self._split()

    def _drop_line(self) -> None:
        """Skip the line with the unclosed quote, so that it does not swallow the rest."""
        line, newline, rest = self._data.partition(b"\n")
        if not newline and not self._ended:
            self._source.more(line, self._line)  # raises: the line is too long
        self._data = rest
        self._line += 1

    def _select(self, found: Split, columns: list[int], log: Log) -> Records:
        """Return the wanted columns of the valid records; log the others."""
        good, n_columns = [], len(self.columns)
        for i, record in enumerate(found.records):
            if len(record) != n_columns:
                detail = f"{len(record)} instead of {n_columns}"
                log(COLUMN_COUNT, self._line + found.lines[i], detail)
            elif not (found.is_utf8 or all(is_whole(record[column]) for column in columns)):
                log(UNDECODABLE, self._line + found.lines[i])
            else:
                good.append(i)
        fields: list[Column] = [[found.records[i][c] for i in good] for c in columns]
        return Records(fields, self._line + np.array(found.lines, np.int64)[good])
