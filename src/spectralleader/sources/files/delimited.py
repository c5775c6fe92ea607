"""CSV and TSV: usually a header, then one record per line; quoted records may span lines."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import chain, islice
from typing import NamedTuple

import numpy as np

from spectralleader.sources.files.byte_stream import MAX_RECORD, ByteStream, PieceStart
from spectralleader.sources.files.problems import COLUMN_COUNT, OPEN_QUOTE, UNDECODABLE
from spectralleader.sources.files.table import N_SAMPLE, Column, Log, Records, Table

DELIMITERS = (b",", b"\t", b";", b"|")
MAX_COLUMNS = 10_000  # with more, the first line is no header: it has another delimiter
INVALID = re.compile("[\udc80-\udcff]")  # what bytes that are not UTF-8 become
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
    # Without the sentinel, csv.reader returns an unclosed record like a complete one.
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
    # Commas inside quotes belong to a field, as in `"Berlin, Germany";17`.
    line = re.sub(rb'"[^"]*"', b"", first).lstrip(b"\r\n").split(b"\n", 1)[0]
    return max(DELIMITERS, key=line.count)


class Delimited(Table):
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

    def __init__(
        self, source: ByteStream, delimiter: bytes | None = None, *, header: bool = True
    ) -> None:
        super().__init__(source)
        self._delimiter = (delimiter or find_delimiter(source.first)).decode()
        self._data, self._ended = source.more(b"")
        self._has_header = header  # whether the data begin with the header
        while not (found := self._split().records) and not self._ended:
            self._data, self._ended = source.more(self._data)
        first = found[0] if found else []
        # An unclosed quote in the first line leaves no record at all.
        if not 0 < len(first) <= MAX_COLUMNS:
            what = "header" if header else "row"
            raise ValueError(
                f"{source.name} must start with a {what} of at most {MAX_COLUMNS:,} columns"
            )
        names = first if header else [str(i + 1) for i in range(len(first))]
        self.columns = tuple(show(name).strip() for name in names)
        rows = [row for row in self._first_rows() if len(row) == len(names)]
        self.sample = {name: [show(row[i]) for row in rows] for i, name in enumerate(self.columns)}

    def _split(self) -> Split:
        return split(self._data, self._delimiter, ended=self._ended)

    def _first_rows(self) -> list[list[str]]:
        """Return the first rows without reading more data; the last one may be incomplete."""
        lines = StringIO(decode(self._data)[0], newline="")
        records = filter(None, csv.reader(lines, delimiter=self._delimiter))
        return list(islice(records, self._has_header, self._has_header + N_SAMPLE))

    def records(self, wanted: Sequence[str], log: Log) -> Iterator[Records]:
        """Yield the wanted columns of all records with as many fields as the header."""
        columns = [self.columns.index(name) for name in wanted]
        while True:
            found = self._split()
            start = None if self._has_header else self._source.start_of(self._data, self._line)
            # A piece with the header has no start: resuming there would read it as a document.
            if self._has_header:
                found = found._replace(records=found.records[1:], lines=found.lines[1:])
                self._has_header = False
            if found.records:
                yield self._select(found, columns, log)._replace(start=start)
            self._line += found.n_lines
            self._data = found.rest
            if found.is_open and (self._ended or len(self._data) >= MAX_RECORD):
                log(OPEN_QUOTE, self._line)
                self._drop_line()
            elif self._ended:
                return
            else:
                self._data, self._ended = self._source.more(self._data, self._line)

    def seek(self, start: PieceStart) -> None:
        """Continue at the start of a record."""
        super().seek(start)
        self._has_header = False
        self._data, self._ended = self._source.more(b"", self._line)

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
            elif not found.is_utf8 and INVALID.search("".join(record[c] for c in columns)):
                log(UNDECODABLE, self._line + found.lines[i])
            else:
                good.append(i)
        fields: dict[str, Column] = {
            self.columns[c]: [found.records[i][c] for i in good] for c in columns
        }
        return Records(fields, self._line + np.array(found.lines, np.int64)[good])
