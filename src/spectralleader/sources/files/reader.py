"""Reader: an iterator over the documents of files, in blocks."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from typing import Any

import numpy as np
from msgspec import structs

from spectralleader.sources.files.byte_stream import PieceStart, check_path
from spectralleader.sources.files.columns import check_columns, choose
from spectralleader.sources.files.formats import open_table
from spectralleader.sources.files.position import LearnedInput, Piece, Position
from spectralleader.sources.files.problems import OUT_OF_ORDER, Problems, name_place
from spectralleader.sources.files.table import Log, PlainText, Table
from spectralleader.sources.files.text_block import TextBlock, as_block, cut, join
from spectralleader.sources.files.times import LONG_AGO
from spectralleader.sources.options import Json, SourceOptions
from spectralleader.sources.reader import Reader, check_position
from spectralleader.text.tokens import size_of

Path = str | os.PathLike[str]
NEVER = datetime.max.replace(tzinfo=UTC)  # documents without a time come last
# Sorting is in memory, so it has a limit, which 1 GiB of memory suffices for.
MAX_SORTED = 2**30  # characters of all documents, with `PER_DOCUMENT` for each
PER_DOCUMENT = 450  # bytes of the objects that hold a text, its time, label and line: measured


def read(paths: Path | Iterable[Path], *, block: int = 1000, **options: Any) -> FileReader:
    """Return an iterator over the documents of files, in blocks and bounded memory.

    Formats are CSV and TSV with a header, JSON lines, Parquet, and plain text with one document per
    line. Files may be compressed with gzip or zstd.

    Parameters
    ----------
    paths : path or paths
        Files, read one after the other; "-" is standard input.
    block : int
        Documents per block.
    **options
        Columns, format and others, see `SourceOptions`.

    Raises
    ------
    ValueError
        If a file is missing, empty or damaged, or a column is missing or ambiguous.
    """
    names = [os.fspath(p) for p in ([paths] if isinstance(paths, str | os.PathLike) else paths)]
    how = SourceOptions(block=block, **options)
    if how.follow:
        raise ValueError("files are read to their end; use open_source to follow one")
    return FileReader(names, how)


class FileReader(Reader):
    """A reader of files to their end, created by `read`; blocks have positions once it is open."""

    kind = "files"

    def __init__(
        self, names: Sequence[str], options: SourceOptions, problems: Problems | None = None
    ) -> None:
        if not names:
            raise ValueError('nothing to read: name a file, or "-" for standard input')
        # All of them now, rather than to stop after hours at a name that was mistyped.
        for name in names:
            check_path(name)
        self.names = tuple(names)
        self.problems = problems or Problems(strict=options.strict)
        self._options = options
        self._table: Table | None = None
        self._latest = LONG_AGO
        self._pieces = deque[Piece]()  # those that were read, see `LearnedInput`
        self.is_last_kept = True  # whether the last document learned is still the same
        self._ends = list[int]()  # sizes of the files already read
        self._first = Piece()  # where reading starts
        self._learned: LearnedInput | None = None  # documents returned; None if not needed
        self._resumed: Position | None = None
        table = self._open(0)
        self._choose(table)
        rows = self._rows(table)
        self._documents = sort_by_time(rows) if options.sort else rows
        self._blocks = cut(self._documents, options.block)

    def _open(self, file: int) -> Table:
        how = self._options
        self._table = open_table(self.names[file], how.format, how.encoding, header=how.header)
        return self._table

    def _choose(self, table: Table) -> None:
        """Choose the columns by the first file."""
        name, options = self.names[0], self._options
        try:
            self.columns, guesses = choose(options, table.columns, table.sample, name)
            if (options.sort or options.time_format) and self.columns.time is None:
                verb = "sort" if options.sort else "read the times of"
                raise ValueError(
                    f"cannot {verb} {name} without times: name the column with time=... (--time)"
                )
        except ValueError:
            self.close()
            raise
        # A guessed time or label column may be missing from the other files.
        self._needed = structs.replace(
            self.columns, time=options.time or None, label=options.label or None
        )
        self.guesses = ("each line is a text",) if isinstance(table, PlainText) else tuple(guesses)

    def _rows(self, table: Table) -> Iterator[TextBlock]:
        """Yield the documents of all files, in the pieces in which they are read."""
        n_docs, first = self._first.n_docs, self._first
        for file in range(first.file, len(self.names)):
            if file > 0:
                self.close()
                table = self._open(file)
            try:
                name = self.names[file]
                check_columns(self._needed, table.columns, name)
                if file == first.file and first.start.offset:
                    if table.end is None:
                        raise ValueError(f"{name} was learned as UTF-8; omit the encoding")
                    table.seek(first.start)
                for block in self._rows_of(table, file, n_docs):
                    n_docs += len(block)
                    yield block
                # A compressed file is as long as it is on the disk; a pipe has no size.
                is_file = table.end is None and os.path.isfile(name)
                self._ends.append(os.path.getsize(name) if is_file else table.end or 0)
            finally:
                self.close()

    def _rows_of(self, table: Table, file: int, n_docs: int) -> Iterator[TextBlock]:
        """Yield the documents of a file; `n_docs` are before it."""
        how = self._options

        def log(kind: str, line: int, detail: str = "") -> None:
            self.problems.add(kind, name_place(self.names[file], int(line)), detail)

        first: PieceStart | None = PieceStart(0, 1)  # of a file that has no pieces
        wanted = [name for name in self.columns.wanted if name in table.columns]
        for records in table.records(wanted, log):
            start, first = records.start or first, None
            # Sorted documents are in no piece: which one the next comes from is not known.
            if start is not None and not how.sort:
                self._pieces.append(Piece(n_docs, file, start))
            if len(records.lines):
                block = as_block(
                    records, self.columns, log, time_format=how.time_format, empty=how.empty
                )
                block = replace(block, files=block.files + file, names=self.names)
                self._check_order(block, log)
                n_docs += len(block)
                yield block

    def _check_order(self, block: TextBlock, log: Log) -> None:
        """Log the documents that are earlier than a previous one."""
        for i, time in enumerate(block.times or ()):
            if time is not None and time >= self._latest:
                self._latest = time
            elif time is not None and not self._options.sort:
                log(OUT_OF_ORDER, block.lines[i])

    @property
    def starts_alike(self) -> bool:  # type: ignore[override]  # a constant in other readers
        """Whether no file is a pipe, which has no position to resume from."""
        return all(os.path.isfile(name) for name in self.names)

    def open(self, position: Json | None) -> None:
        """Go to the place before a position that can be jumped to; compare the bytes before it."""
        if not self.starts_alike:
            return  # what is in a pipe is new
        self._learned = LearnedInput(self.names, self._pieces, self._ends)
        self.at = self._learned.position
        if position is not None:
            self._resumed = check_position(Position, position)
            self._first = self._learned.resume(self._resumed)

    def catch_up(self, counted: Callable[[int], None]) -> None:
        """Read up to the position; see `Reader.catch_up`."""
        if self._learned is None or (resumed := self._resumed) is None:
            return
        rest = self._learned.retrace(self._documents, resumed, counted)
        self._blocks = cut(chain(rest, self._documents), self._options.block)
        self.is_last_kept = self._learned.has_same_end(resumed)
        if not self.is_last_kept:
            self._options.say(
                f"document {resumed.offset:,}, the last one learned, has changed since: probably "
                "an incomplete line; it stays as it was learned"
            )

    def next_or_idle(self) -> TextBlock:
        """Return the next block."""
        block = next(self._blocks)
        if self._learned is None:
            return block
        self._learned.add(block.texts)
        self.at = self._learned.position
        return replace(block, at=self.at)

    def describe(self) -> str:
        """Return what resuming does, for a message."""
        if self._resumed is None:
            return "the input of a pipe is new"
        if self._resumed.start:
            return f"the first {self._resumed.start:,} are skipped if they are the same"
        return "checking that the input is the same"

    def close(self) -> None:
        """Close the current file."""
        if self._table is not None:
            self._table.close()
            self._table = None


def sort_by_time(blocks: Iterable[TextBlock]) -> Iterator[TextBlock]:
    """Yield the documents in order of time, those of equal times as they come, as one block.

    Raises
    ------
    ValueError
        If there are more than `MAX_SORTED` characters of them.
    """
    waiting, size = [], 0
    for block in blocks:
        waiting.append(block)
        size += sum(map(size_of, block.texts)) + PER_DOCUMENT * len(block)
        if size > MAX_SORTED:
            raise ValueError(
                f"the input is too large to sort in memory: {MAX_SORTED:,} characters (text, and "
                f"{PER_DOCUMENT} per document) are reached at {block.place(-1)}; sort it before, "
                "for example with DuckDB or sort, and omit sort=True (--sort)"
            )
    if waiting:
        whole = join(waiting)
        times = [time or NEVER for time in whole.times or ()]
        yield whole.take(np.array(sorted(range(len(whole)), key=times.__getitem__), np.int64))
