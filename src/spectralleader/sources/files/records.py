"""Records: rows or messages as columns of strings, and the blocks of documents made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from spectralleader.arrays import Ints
from spectralleader.sources.files.columns import Columns
from spectralleader.sources.files.problems import BAD_TIME, NO_TEXT, NOT_TOKENS
from spectralleader.sources.files.resume_point import PieceStart
from spectralleader.sources.files.text_block import TextBlock
from spectralleader.sources.files.times import parse_times
from spectralleader.text.tokens import parse_tokens

Column = list[str | None]
Log = Callable[..., None]  # called with the kind of a problem, the line and, optionally, a detail


class Records(NamedTuple):
    """Some records of a source: the wanted columns and the line of each record."""

    fields: list[Column]  # one per column
    lines: (
        Ints  # (n,) line at which each record begins, from 1; of messages, the index in the batch
    )
    start: PieceStart | None = None  # where reading these again starts; None if that is impossible

    def keep(self, mask: Sequence[bool]) -> Records:
        """Return the records selected by a mask."""
        fields = [list(compress(column, mask)) for column in self.fields]
        return Records(fields, self.lines[np.array(mask, bool)], self.start)


def as_block(
    records: Records,
    columns: Columns,
    log: Log,
    names: tuple[str, ...],
    file: int = 0,
    *,
    empty: bool = False,
    time_format: str | None = None,
) -> TextBlock:
    """Return the documents of records, with their times and labels; log those without text.

    Parameters
    ----------
    records : Records
        Their fields are those of `columns.wanted`, in that order.
    columns : Columns
        Which columns are text, time and label.
    log : callable
        Called with each problem.
    names : tuple of str
        The files of the source; `file` is the number of this one.
    empty : bool
        Keep records without text.
    time_format : str, optional
        Format of the times, see `parse_times`.
    """
    texts, records = _read_documents(records, columns, log, empty=empty)
    column = dict(zip(columns.wanted, records.fields, strict=True))
    times = labels = None
    if columns.time is not None:
        written = column[columns.time]
        times = parse_times(written, time_format)
        for line, text, time in zip(records.lines.tolist(), written, times, strict=True):
            if time is None:
                log(BAD_TIME, line, f"{text!r:.40}" if text else "")
    if columns.label is not None:
        labels = [label or None for label in column[columns.label]]
    kept = {name: column[name] for name in columns.keep}
    files = np.full(len(texts), file, np.int64)
    return TextBlock(texts, times, labels, files, records.lines, names, kept)


def _read_documents(
    records: Records, columns: Columns, log: Log, *, empty: bool
) -> tuple[list[Any], Records]:
    """Return the texts or lists of tokens, and the records that have one."""
    wanted = columns.wanted
    texts: list[Any] = _join([records.fields[wanted.index(name)] for name in columns.text])
    good = [text != "" and not text.isspace() for text in texts]
    if columns.tokens:
        # A record without text is an empty document; one that is not JSON is invalid.
        texts = [parse_tokens(text) if has else [] for text, has in zip(texts, good, strict=True)]
        good = [bool(tokens) for tokens in texts]
    if empty:
        good = [text is not None for text in texts]
    if all(good):
        return texts, records
    for text, line, is_good in zip(texts, records.lines.tolist(), good, strict=True):
        if not is_good:
            log(NOT_TOKENS if text is None else NO_TEXT, line)
    return list(compress(texts, good)), records.keep(good)


def _join(columns: list[Column]) -> list[str]:
    """Return the texts of one column, or of several joined by a space."""
    if len(columns) == 1:
        return [text or "" for text in columns[0]]
    return [" ".join(filter(None, parts)) for parts in zip(*columns, strict=True)]


def is_whole(value: str | None) -> bool:
    """Return whether a string can be encoded: it has no lone surrogate."""
    try:
        (value or "").encode()
    except UnicodeEncodeError:
        return False
    return True
