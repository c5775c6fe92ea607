"""Plain text: one document per line; and the splitting into lines that other formats share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from spectralleader.sources.files.byte_stream import ByteStream
from spectralleader.sources.files.columns import Sample
from spectralleader.sources.files.problems import UNDECODABLE
from spectralleader.sources.files.records import Column, Log, Records
from spectralleader.sources.files.resume_point import PieceStart


class Piece(NamedTuple):
    """Some complete lines of a file."""

    data: bytes
    line: int  # number of the first line, from 1
    start: PieceStart | None = None  # position of the piece in the file


def read_pieces(source: ByteStream, line: int = 1) -> Iterator[Piece]:
    """Yield a file in pieces of complete lines; `line` is the number of the next one."""
    rest, ended = b"", False
    while not ended:
        data, ended = source.more(rest, line)
        end = len(data) if ended else data.rfind(b"\n") + 1
        piece, rest = data[:end], data[end:]
        if piece:
            yield Piece(piece, line, source.start_of(data, line))
            line += piece.count(b"\n")


def decode_lines(numbered: Iterable[tuple[int, bytes]], log: Log) -> Records:
    """Return lines as records of one column, without their line ends."""
    texts: Column = []
    lines = []
    for line, raw in numbered:
        try:
            texts.append(raw.removesuffix(b"\r").decode())
            lines.append(line)
        except UnicodeDecodeError:
            log(UNDECODABLE, line)
    return Records([texts], np.array(lines, np.int64))


class LineFile:
    """An open file whose records begin at lines."""

    def __init__(self, source: ByteStream) -> None:
        self._source = source
        self._line = 1  # number of the next line

    @property
    def end(self) -> int | None:
        """Number of bytes read, or None if reading cannot resume at a byte offset."""
        return self._source.n_read if self._source.can_seek else None

    def seek(self, start: PieceStart) -> None:
        """Continue at the start of a record."""
        self._source.seek(start.offset)
        self._line = start.line

    def close(self) -> None:
        """Close the file."""
        self._source.close()


class PlainText(LineFile):
    """An open file with one document per line."""

    columns: tuple[str, ...] = ("text",)
    sample: Sample = {}  # noqa: RUF012  # no column is guessed

    def records(self, wanted: Sequence[str], log: Log) -> Iterator[Records]:
        """Yield the lines without their line ends."""
        for piece in read_pieces(self._source, self._line):
            lines = piece.data.removesuffix(b"\n").split(b"\n")
            yield decode_lines(enumerate(lines, piece.line), log)._replace(start=piece.start)
