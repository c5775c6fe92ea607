"""TextBlock: documents as read from a source, with their positions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain, compress
from typing import Any

import numpy as np

from spectralleader.arrays import Ints
from spectralleader.sources.files.columns import Columns
from spectralleader.sources.files.problems import BAD_TIME, NO_TEXT, NOT_TOKENS, name_place
from spectralleader.sources.files.table import Column, Log, Records
from spectralleader.sources.files.times import parse_times
from spectralleader.text.tokens import parse_tokens

COLUMNS = ("texts", "times", "labels", "files", "lines", "ids")  # with an entry per document


@dataclass(frozen=True)
class TextBlock:
    """A block of documents in reading order.

    Examples
    --------
    >>> block = TextBlock.of(["a b", "c"], names=("tweets.csv",), lines=[2, 17])
    >>> len(block), block.place(1)
    (2, 'tweets.csv line 17')
    """

    texts: list[Any]  # strings, or documents of tokens: lists of strings or dictionaries of counts
    times: list[datetime | None] | None  # in UTC; None without a time column
    labels: list[str | None] | None  # None without a label column
    files: Ints  # (n_docs,) index of the file in `names`
    lines: Ints  # (n_docs,) line at which the record begins, from 1; in Parquet, the row; of
    # messages, the index in the batch that was fetched
    names: tuple[str, ...] = ("-",)  # of all files
    kept: dict[str, list[str | None]] = field(default_factory=dict)  # further columns, by name
    ids: list[str] | None = None  # of messages, as assigned by their source
    # In the source, after this block: JSON, or a function that returns it, because that of files
    # compares bytes.
    at: Any = None

    @classmethod
    def of(
        cls, texts: Iterable[Any], *, names: tuple[str, ...] = ("-",), lines: Iterable[int] = ()
    ) -> TextBlock:
        """Return a block of texts from one file, without times and labels."""
        texts = list(texts)
        line_numbers = np.array(list(lines) or range(1, len(texts) + 1), np.int64)
        return cls(texts, None, None, np.zeros(len(texts), np.int64), line_numbers, names)

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def position(self) -> Any:
        """The position in the source after this block, as JSON; None if it cannot be resumed."""
        return self.at() if callable(self.at) else self.at

    def __getitem__(self, which: slice) -> TextBlock:
        """Return a slice of the documents."""
        return self._map(lambda column: column[which])

    def take(self, order: Ints) -> TextBlock:
        """Return the documents with these indices, in this order."""
        return self._map(
            lambda column: (
                column[order]
                if isinstance(column, np.ndarray)
                else [column[i] for i in order.tolist()]
            )
        )

    def _map(self, pick: Callable[[Any], Any]) -> TextBlock:
        found = {name: getattr(self, name) for name in COLUMNS}
        picked: dict[str, Any] = {
            name: None if column is None else pick(column) for name, column in found.items()
        }
        kept = {name: pick(column) for name, column in self.kept.items()}
        return replace(self, **picked, kept=kept, at=None)

    def id_of(self, i: int) -> str:
        """Return an identifier of document i: the id of a message, else its file and line."""
        return self.place(i) if self.ids is None else self.ids[i]

    def place(self, i: int) -> str:
        """Return the position of document i for a message, as in `tweets.csv line 17`."""
        if self.ids is not None:
            return f"{self.names[0]} message {self.ids[i]}"
        return name_place(self.names[self.files[i]], int(self.lines[i]))


def join(blocks: list[TextBlock]) -> TextBlock:
    """Join blocks of one reader, in order."""
    first = blocks[0]
    if len(blocks) == 1:
        return first
    joined = {name: _chain([getattr(block, name) for block in blocks]) for name in COLUMNS}
    kept = {name: _chain([block.kept[name] for block in blocks]) for name in first.kept}
    return replace(first, **joined, kept=kept)


def _chain(parts: list[Any]) -> Any:
    """Return columns end to end, or None if the blocks have no such column."""
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    return None if parts[0] is None else list(chain.from_iterable(parts))


def cut(blocks: Iterable[TextBlock], size: int) -> Iterator[TextBlock]:
    """Yield the same documents in blocks of `size`; the last one may be shorter."""
    waiting: list[TextBlock] = []
    n_waiting = 0
    for block in blocks:
        # Joined when there is enough for a block, so that each document is copied at most twice.
        waiting.append(block)
        n_waiting += len(block)
        if n_waiting < size:
            continue
        whole = join(waiting)
        full = n_waiting - n_waiting % size
        for start in range(0, full, size):
            yield whole[start : start + size]
        waiting, n_waiting = [whole[full:]], n_waiting - full
    if n_waiting:
        yield join(waiting)


def as_block(
    records: Records,
    columns: Columns,
    log: Log,
    *,
    time_format: str | None = None,
    empty: bool = False,
) -> TextBlock:
    """Return the documents of records, with their times and labels; log those without text.

    `time_format` and `empty` are those of `SourceOptions`.
    """
    lines = records.lines
    # A column that was guessed may be missing from a later file.
    column = {name: records.columns.get(name, [None] * len(lines)) for name in columns.wanted}
    texts, good = _read_documents([column[name] for name in columns.text], columns, empty=empty)
    if not all(good):
        for text, line, is_good in zip(texts, lines.tolist(), good, strict=True):
            if not is_good:
                log(NOT_TOKENS if text is None else NO_TEXT, line)
        texts, lines = list(compress(texts, good)), lines[np.array(good, bool)]
        column = {name: list(compress(values, good)) for name, values in column.items()}
    times = labels = None
    if columns.time is not None:
        written = column[columns.time]
        times = parse_times(written, time_format)
        for i in [i for i, time in enumerate(times) if time is None]:
            log(BAD_TIME, lines[i], f"{written[i]!r:.40}" if written[i] else "")
    if columns.label is not None:
        labels = [label or None for label in column[columns.label]]
    kept = {name: column[name] for name in columns.keep}
    return TextBlock(texts, times, labels, np.zeros(len(texts), np.int64), lines, kept=kept)


def _read_documents(
    parts: list[Column], columns: Columns, *, empty: bool
) -> tuple[list[Any], list[bool]]:
    """Return the texts or lists of tokens of records, and which of them are documents."""
    if len(parts) == 1:
        # The usual case: one column, whose texts need no joining.
        texts: list[Any] = [text or "" for text in parts[0]]
    else:
        texts = [" ".join(filter(None, row)) for row in zip(*parts, strict=True)]
    good = [text != "" and not text.isspace() for text in texts]
    if columns.tokens:
        # A record without text is an empty document; one that is not JSON is invalid.
        texts = [parse_tokens(text) if has else [] for text, has in zip(texts, good, strict=True)]
        good = [bool(tokens) for tokens in texts]
    return texts, [text is not None for text in texts] if empty else good
