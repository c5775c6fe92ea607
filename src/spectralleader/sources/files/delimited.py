"""CSV and TSV: a header, then one record a line, or on several lines if quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from spectralleader.arrays import Ints
from spectralleader.sources.files.columns import Sample
from spectralleader.sources.files.csv_kernel import Split, split
from spectralleader.sources.files.feed import MAX_RECORD, Feed
from spectralleader.sources.files.problems import COLUMN_COUNT, OPEN_QUOTE, UNDECODABLE
from spectralleader.sources.files.table import N_SAMPLE, Log, Records

DELIMITERS = (b",", b"\t", b";", b"|")
MAX_COLUMNS = 10_000
CAPACITY = 2**14  # records split together


def find_delimiter(first: bytes) -> bytes:
    """Return the delimiter that occurs most in the first line, outside quotes."""
    line = re.sub(rb'"[^"]*"', b"", first).lstrip(b"\r\n").split(b"\n", 1)[0]
    return max(DELIMITERS, key=line.count)


class Delimited:
    """An open CSV or TSV file."""

    def __init__(self, feed: Feed, delimiter: bytes | None = None) -> None:
        self._feed = feed
        self._delimiter = delimiter or find_delimiter(feed.first)
        self._data, self._ended = feed.more(b"")
        self._line = 1  # at which the data begin
        self.columns = self._read_header()
        self.sample = self._read_sample()

    def _read_header(self) -> tuple[str, ...]:
        slots = np.arange(MAX_COLUMNS)
        header = split(self._data, self._delimiter, slots, 1, ended=self._ended)
        while not len(header.spans) and not self._ended:
            self._data, self._ended = self._feed.more(self._data)
            header = split(self._data, self._delimiter, slots, 1, ended=self._ended)
        if not len(header.spans) or header.n_fields[0] > MAX_COLUMNS:
            raise ValueError(f"{self._feed.name} has no header of at most {MAX_COLUMNS:,} columns")
        self._data = self._data[header.used :]
        self._line += header.n_lines
        raw = header.fields.tobytes()
        spans = header.spans[0, : header.n_fields[0]].tolist()
        return tuple(raw[a:b].decode("utf-8", "replace").strip() for a, b in spans)

    def _read_sample(self) -> Sample:
        """Return the first records, without reading on."""
        slots = np.arange(len(self.columns))
        found = split(self._data, self._delimiter, slots, N_SAMPLE, ended=True)
        spans = found.spans[found.n_fields == len(self.columns)]
        raw = found.fields.tobytes()
        return {
            name: [raw[a:b].decode("utf-8", "replace") for a, b in spans[:, slot].tolist()]
            for slot, name in enumerate(self.columns)
        }

    def records(self, wanted: Sequence[str], log: Log) -> Iterator[Records]:
        """Yield the records with as many fields as the header, with the wanted columns."""
        slots = np.full(len(self.columns), -1, np.int64)
        for slot, name in enumerate(wanted):
            slots[self.columns.index(name)] = slot
        while True:
            found = split(self._data, self._delimiter, slots, CAPACITY, ended=self._ended)
            if len(found.lines):
                yield self._decode(found, log)
            self._line += found.n_lines
            self._data = self._data[found.used :]
            if len(found.lines) == CAPACITY:
                continue
            if found.is_open and (self._ended or len(self._data) >= MAX_RECORD):
                log.add(OPEN_QUOTE, self._line)
                self._drop_line()
            elif self._ended:
                return
            else:
                self._data, self._ended = self._feed.more(self._data, self._line)

    def _drop_line(self) -> None:
        """Go on after the line with the open quote, so that it does not take the rest with it."""
        line, newline, rest = self._data.partition(b"\n")
        if not newline and not self._ended:
            self._feed.more(line, self._line)  # raises: the line is too long
        self._data = rest
        self._line += 1

    def _decode(self, found: Split, log: Log) -> Records:
        lines = self._line + found.lines
        good = found.n_fields == len(self.columns)
        for i in np.flatnonzero(~good):
            detail = f"{found.n_fields[i]} instead of {len(self.columns)}"
            log.add(COLUMN_COUNT, lines[i], detail)
        spans = found.spans[good]
        raw = found.fields.tobytes()
        try:
            fields = [decode_all(raw, spans[:, slot]) for slot in range(spans.shape[1])]
        except UnicodeDecodeError:
            decodable = [is_text(raw, record) for record in spans.tolist()]
            for i in np.flatnonzero(good)[~np.array(decodable)]:
                log.add(UNDECODABLE, lines[i])
            good[good] = decodable
            spans = spans[decodable]
            fields = [decode_all(raw, spans[:, slot]) for slot in range(spans.shape[1])]
        return Records(fields, lines[good])

    def close(self) -> None:
        """Close the file."""
        self._feed.close()


def decode_all(raw: bytes, spans: Ints) -> list[str | None]:
    """Return the stretches of bytes as strings."""
    begins, ends = spans.T.tolist()
    return [raw[a:b].decode() for a, b in zip(begins, ends, strict=True)]


def is_text(raw: bytes, spans: list[list[int]]) -> bool:
    """Say whether all the stretches are UTF-8."""
    try:
        for a, b in spans:
            raw[a:b].decode()
    except UnicodeDecodeError:
        return False
    return True
