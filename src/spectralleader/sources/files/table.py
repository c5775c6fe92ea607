"""Table: an open file with columns and records; the simplest one has a text on each line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Ints
from spectralleader.sources.files.byte_stream import ByteStream, PieceStart
from spectralleader.sources.files.columns import Sample
from spectralleader.sources.files.problems import UNDECODABLE

N_SAMPLE = 100  # rows examined to guess the columns
Column = list[str | None]
Log = Callable[..., None]  # called with the kind of a problem, the line and, optionally, a detail


class Records(NamedTuple):
    """Some records of a file or source, as columns of strings."""

    columns: dict[str, Column]  # by name
    # (n,) line at which each record begins, from 1; of messages, the index in the batch
    lines: Ints
    start: PieceStart | None = None  # where reading these again starts; None if that is impossible


class Table:
    """An open file whose records begin at lines; formats say what its records are.

    Attributes
    ----------
    columns : tuple of str
        Names of the columns.
    sample : mapping
        Some values of each column, to guess from.
    """

    columns: tuple[str, ...]
    sample: Sample

    def __init__(self, source: ByteStream) -> None:
        self._source = source
        self._line = 1  # number of the next line

    def records(self, wanted: Sequence[str], log: Log) -> Iterator[Records]:
        """Yield the wanted columns of the valid records in pieces; may be called once."""
        raise NotImplementedError

    @property
    def end(self) -> int | None:
        """Number of bytes read, or None if reading cannot resume at a byte offset."""
        return self._source.n_read if self._source.can_seek else None

    def seek(self, start: PieceStart) -> None:
        """Continue at the start of a record, before `records` is called."""
        self._source.seek(start.offset)
        self._line = start.line

    def close(self) -> None:
        """Close the file."""
        self._source.close()

    def _pieces(self) -> Iterator[tuple[list[bytes], int, PieceStart | None]]:
        """Yield some complete lines, the number of the first one, and where they start."""
        rest, ended = b"", False
        while not ended:
            data, ended = self._source.more(rest, self._line)
            # A line without its end may go on in the next piece.
            end = len(data) if ended else data.rfind(b"\n") + 1
            piece, rest = data[:end], data[end:]
            if piece:
                lines = piece.removesuffix(b"\n").split(b"\n")
                yield lines, self._line, self._source.start_of(data, self._line)
                self._line += len(lines)


class PlainText(Table):
    """An open file with one document per line."""

    columns = ("text",)
    sample: Sample = {}  # noqa: RUF012  # no column is guessed

    def records(self, wanted: Sequence[str], log: Log) -> Iterator[Records]:
        """Yield the lines without their line ends."""
        for lines, first, start in self._pieces():
            yield decode_lines(enumerate(lines, first), log)._replace(start=start)


def decode_lines(numbered: Iterable[tuple[int, bytes]], log: Log) -> Records:
    """Return lines as records of the column "text", without their line ends."""
    texts: Column = []
    lines = []
    for line, raw in numbered:
        try:
            texts.append(raw.removesuffix(b"\r").decode())
            lines.append(line)
        except UnicodeDecodeError:
            log(UNDECODABLE, line)
    return Records({"text": texts}, np.array(lines, np.int64))
