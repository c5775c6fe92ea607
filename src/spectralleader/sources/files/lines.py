"""Plain text: one document per line; and the splitting into lines that other formats share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from spectralleader.sources.files.byte_stream import Feed
from spectralleader.sources.files.columns import Sample
from spectralleader.sources.files.problems import UNDECODABLE
from spectralleader.sources.files.records import Column, Log, Records
from spectralleader.sources.files.resume_point import Start


class Piece(NamedTuple):
    """Some complete lines of a file."""

    data: bytes
    line: int  # number of the first line, from 1
    start: Start | None = None  # position of the piece in the file


def read_pieces(feed: Feed, line: int = 1) -> Iterator[Piece]:
    """Yield a file in pieces of complete lines; `line` is the number of the next one."""
    rest, ended = b"", False
    while not ended:
        data, ended = feed.more(rest, line)
        end = len(data) if ended else data.rfind(b"\n") + 1
        piece, rest = data[:end], data[end:]
        if piece:
            yield Piece(piece, line, feed.start_of(data, line))
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

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._line = 1  # number of the next line

    @property
    def end(self) -> int | None:
        """Number of bytes read, or None if reading cannot resume at a byte offset."""
        return self._feed.n_read if self._feed.can_seek else None

    def seek(self, start: Start) -> None:
        """Continue at the start of a record."""
        self._feed.seek(start.offset)
        self._line = start.line

    def close(self) -> None:
        """Close the file."""
        self._feed.close()


class PlainText(LineFile):
    """An open file with one document per line."""

    columns: tuple[str, ...] = ("text",)
    sample: Sample = {}  # noqa: RUF012  # no column is guessed

    def records(self, wanted: Sequence[str], log: Log) -> Iterator[Records]:
        """Yield the lines without their line ends."""
        for piece in read_pieces(self._feed, self._line):
            lines = piece.data.removesuffix(b"\n").split(b"\n")
            yield decode_lines(enumerate(lines, piece.line), log)._replace(start=piece.start)
