"""Reader: files in, blocks of text out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any

import numpy as np

from spectralleader.sources.files.columns import Columns, Wish, check_columns, choose
from spectralleader.sources.files.feed import check_encoding, check_path
from spectralleader.sources.files.formats import open_table
from spectralleader.sources.files.lines import PlainText
from spectralleader.sources.files.marks import Mark, Start, Trail
from spectralleader.sources.files.problems import (
    BAD_TIME,
    NO_TEXT,
    NOT_TOKENS,
    OUT_OF_ORDER,
    UNDECODABLE,
    Problems,
)
from spectralleader.sources.files.sorting import sort_by_time
from spectralleader.sources.files.table import Log, Records, Table
from spectralleader.sources.files.text_block import TextBlock, cut
from spectralleader.sources.files.times import LONG_AGO, parse_times
from spectralleader.text.tokens import parse_tokens

Path = str | os.PathLike[str]
MARKED = 1024  # documents before the last that can be marked
ENCODING = {UNDECODABLE: "if it has another encoding, name it, such as --encoding latin-1"}


def read(
    paths: Path | Iterable[Path],
    *,
    text: str | Sequence[str] | None = None,
    time: str | None = None,
    label: str | None = None,
    block: int = 1000,
    strict: bool = False,
    sort: bool = False,
    format: str | None = None,
    tokens: str | None = None,
    keep: Sequence[str] = (),
    empty: bool = False,
    encoding: str | None = None,
) -> Reader:
    """Read files of text, one after the other, in blocks, in bounded memory.

    CSV and TSV with a header, JSON lines, Parquet, and plain text of one document a line; the
    first three columns by name. Each may be compressed with gzip or zstd.

    Parameters
    ----------
    paths : path or paths
        "-" is standard input.
    text, time, label : str, optional
        Columns. Several text columns are joined by a space. Guessed where not given and obvious;
        "" means that there is none.
    block : int
        Documents a block.
    strict : bool
        Raise at the first bad row instead of counting it. The rows before it in the same piece
        of the file (1 MiB) are then not handed out.
    sort : bool
        Sort all documents by time. What does not fit into memory (64 MiB of text) waits in a
        temporary file as large as the text. Documents without a time come last.
    format : str, optional
        One of csv, tsv, jsonl, parquet, text, for all files; else by name, else by content.
    tokens : str, optional
        In place of `text`: the column that holds lists of tokens, or objects of counts. Guessed
        from what the column of the text holds; "" keeps everything text.
    keep : sequence of str
        More columns, handed on in `TextBlock.kept`; not with `sort`.
    empty : bool
        Hand out rows without text too, instead of leaving them out as bad.
    encoding : str, optional
        Of the text, such as "latin-1", "cp1252" or "utf-16", by any name that Python knows.
        Defaults to UTF-8. Parquet has its own.

    Raises
    ------
    ValueError
        If a file is not there, empty or damaged, or a column is not there or not obvious.
    """
    names = [os.fspath(p) for p in ([paths] if isinstance(paths, str | os.PathLike) else paths)]
    wish = Wish(text, time, label, keep, tokens)
    how = {"format": format, "encoding": encoding, "empty": empty}
    return Reader(names, wish, block, strict=strict, sort=sort, **how)  # type: ignore[arg-type]


class Reader(Iterator[TextBlock]):
    """An iterator of blocks; made by `read`."""

    columns: Columns  # that are read
    guesses: tuple[str, ...]  # in words, what was not given
    problems: Problems  # so far

    def __init__(
        self,
        names: Sequence[str],
        wish: Wish,
        block: int,
        *,
        strict: bool,
        sort: bool,
        format: str | None,
        empty: bool = False,
        encoding: str | None = None,
    ) -> None:
        if not names:
            raise ValueError('there is nothing to read: name a file, or "-" for standard input')
        if block < 1:
            raise ValueError(f"block must be at least 1, got {block}")
        for name in names:
            check_path(name)
        self.names = tuple(names)
        self.problems = Problems(list(names), strict=strict, advice=ENCODING)
        self._format, self._sort, self._empty = format, sort, empty
        self._encoding = check_encoding(encoding)
        self._table: Table | None = None
        self._latest = LONG_AGO
        self._trail, self._ends = Trail(), list[int | None]()  # bytes of files that are read
        self._n_made = self._n_out = 0  # documents read, and handed out in blocks
        self._mark: Mark | None = None  # where reading begins
        self._spare = 2 * block
        table = self._open(0)
        self._choose(wish, table)
        rows = self._rows(table)
        self._blocks = cut(sort_by_time(rows) if sort else rows, block)

    def _open(self, file: int) -> Table:
        self._table = open_table(self.names[file], self._format, self._encoding)
        return self._table

    def _choose(self, wish: Wish, table: Table) -> None:
        name = self.names[0]
        try:
            self.columns, guesses = choose(wish, table.columns, table.sample, name)
            # a time or label that was guessed may be missing from other files
            self._needed = self.columns._replace(time=wish.time or None, label=wish.label or None)
            if self._sort and self.columns.time is None:
                raise ValueError(f"to sort {name} a column of times must be named")
        except ValueError:
            self.close()
            raise
        self.guesses = ("each line is a text",) if isinstance(table, PlainText) else tuple(guesses)

    def _rows(self, table: Table) -> Iterator[TextBlock]:
        """Yield all the files' documents, as many at a time as they come."""
        mark = self._mark
        for file in range(len(self._ends), len(self.names)):
            if file > 0:
                self.close()
                table = self._open(file)
            try:
                check_columns(self._needed, table.columns, self.names[file])
                if mark is not None:
                    table.seek(Start(mark.offset, mark.line))
                    mark = None
                yield from self._rows_of(table, file)
                self._ends.append(table.end)
            finally:
                self.close()

    def _rows_of(self, table: Table, file: int) -> Iterator[TextBlock]:
        log = Log(self.problems, file)
        for records in read_columns(table, self.columns.wanted, log):
            if records.start is not None:
                self._trail.add(self._n_made, file, records.start)
            if len(records.lines):
                block = self._make_block(records, file, log)
                self._n_made += len(block)
                yield block

    def _make_block(self, records: Records, file: int, log: Log) -> TextBlock:
        names = self.columns.wanted
        texts: list[Any] = join_columns(
            [records.fields[names.index(name)] for name in self.columns.text]
        )
        if self.columns.tokens:
            texts, records = read_tokens(texts, records, log, empty=self._empty)
        elif not self._empty and not all(
            has_text := [not text.isspace() and text != "" for text in texts]
        ):
            for i in np.flatnonzero(~np.array(has_text)):
                log.add(NO_TEXT, records.lines[i])
            records = records.keep(has_text)
            texts = [text for text, kept in zip(texts, has_text, strict=True) if kept]
        times = labels = None
        if self.columns.time is not None:
            times = self._read_times(records, names.index(self.columns.time), log)
        if self.columns.label is not None:
            labels = [label or None for label in records.fields[names.index(self.columns.label)]]
        files = np.full(len(texts), file, np.int64)
        kept = {name: records.fields[names.index(name)] for name in self.columns.keep}
        return TextBlock(texts, times, labels, files, records.lines, self.names, kept)

    def _read_times(self, records: Records, column: int, log: Log) -> list[datetime | None]:
        times = parse_times(records.fields[column])
        latest = self._latest
        for i, time in enumerate(times):
            if time is None:
                log.add(BAD_TIME, records.lines[i])
            elif time >= latest:
                latest = time
            elif not self._sort:
                log.add(OUT_OF_ORDER, records.lines[i])
        self._latest = latest
        return times

    def __next__(self) -> TextBlock:
        block = next(self._blocks)
        self._n_out += len(block)
        self._trail.forget(self._n_out - MARKED - self._spare)
        return block

    def mark(self, n_docs: int) -> Mark | None:
        """Return where to begin to get the documents after the first so many; None to read all.

        These are among the last 1,024 that were handed out, give or take two blocks. There are no
        marks in documents that are sorted, in Parquet, and in what is compressed or recoded.
        """
        found = None if self._sort else self._trail.find(n_docs)
        if found is None:
            return None
        n_before, file, start = found
        ends = [end for end in self._ends[:file] if end is not None]
        if len(ends) < file:
            return None
        try:
            return Mark.at(n_before, start, self.names, ends)
        except OSError:  # the file is gone
            return None

    def skip_to(self, mark: Mark) -> bool:
        """Begin at a mark, before anything is read; return False if the files are not its own."""
        if self._sort or self._encoding is not None or not mark.fits(self.names):
            return False
        self._mark, self._n_made, self._n_out = mark, mark.n_docs, mark.n_docs
        self._ends = list(mark.ends[:-1])
        return True

    def close(self) -> None:
        """Close the file that is open."""
        if self._table is not None:
            self._table.close()
            self._table = None

    def __enter__(self) -> Reader:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def read_tokens(
    texts: list[str], records: Records, log: Log, *, empty: bool
) -> tuple[list[Any], Records]:
    """Return the documents of tokens that texts are in JSON, reporting those that are none."""
    found = [parse_tokens(text) if text and not text.isspace() else [] for text in texts]
    if all(found):
        return found, records
    good = [document is not None and (empty or bool(document)) for document in found]
    for document, line, is_good in zip(found, records.lines.tolist(), good, strict=True):
        if not is_good:
            log.add(NOT_TOKENS if document is None else NO_TEXT, line)
    kept = [document for document, is_good in zip(found, good, strict=True) if is_good]
    return kept, records.keep(good)


def join_columns(columns: list[list[str | None]]) -> list[str]:
    """Return texts of one column, or of several with a space between."""
    if len(columns) == 1:
        return [text or "" for text in columns[0]]
    return [" ".join(filter(None, parts)) for parts in zip(*columns, strict=True)]


def read_columns(table: Table, wanted: Sequence[str], log: Log) -> Iterator[Records]:
    """Yield a table's records with all the wanted columns; None where there is no such column."""
    present = [name for name in wanted if name in table.columns]
    for records in table.records(present, log):
        if len(present) < len(wanted):
            there = dict(zip(present, records.fields, strict=True))
            nothing: list[str | None] = [None] * len(records.lines)
            records = records._replace(fields=[there.get(name, nothing) for name in wanted])
        yield records
