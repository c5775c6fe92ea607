"""TextBlock: documents as read from a source, with their positions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import compress
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from spectralleader.arrays import Ints


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
    names: tuple[str, ...]  # of all files
    kept: dict[str, list[str | None]] = field(default_factory=dict)  # further columns, by name
    ids: list[str] | None = None  # of messages, as assigned by their source
    position: Any = None  # in a live source, after this block; plain JSON

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

    def __getitem__(self, which: slice) -> TextBlock:
        """Return a slice of the documents."""
        return self._select(which, lambda column: column[which])

    def keep(self, mask: NDArray[np.bool_]) -> TextBlock:
        """Return the documents selected by a mask, (n_docs,)."""
        return self._select(mask, lambda column: list(compress(column, mask)))

    def _select(self, which: Any, pick: Callable[[list[Any]], list[Any]]) -> TextBlock:
        return TextBlock(
            pick(self.texts),
            self.times and pick(self.times),
            self.labels and pick(self.labels),
            self.files[which],
            self.lines[which],
            self.names,
            {name: pick(column) for name, column in self.kept.items()},
            self.ids and pick(self.ids),
        )

    def at(self, position: Any) -> TextBlock:
        """Return the block with the position after it."""
        return replace(self, position=position)

    def id_of(self, i: int) -> str:
        """Return an identifier of document i: the id of a message, else its file and line."""
        return self.place(i) if self.ids is None else self.ids[i]

    def place(self, i: int) -> str:
        """Return the position of document i for a message, as in `tweets.csv line 17`."""
        if self.ids is not None:
            return f"{self.names[0]} message {self.ids[i]}"
        return name_place(self.names[self.files[i]], int(self.lines[i]))


class Blocks(Iterator[TextBlock]):
    """An iterator over blocks, which the end of a `with` statement closes."""

    def close(self) -> None:
        """Close what is read."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def name_place(file: str, line: int) -> str:
    """Return the name of a line in a file for a message; Parquet files have rows."""
    unit = "row" if file.lower().endswith((".parquet", ".pq")) else "line"
    return f"{'standard input' if file == '-' else file} {unit} {line}"


def join(blocks: list[TextBlock]) -> TextBlock:
    """Join blocks of one reader, in order."""
    if len(blocks) == 1:
        return blocks[0]
    times, labels = ([getattr(b, name) for b in blocks] for name in ("times", "labels"))
    return TextBlock(
        [text for block in blocks for text in block.texts],
        None if times[0] is None else [time for part in times for time in part],
        None if labels[0] is None else [label for part in labels for label in part],
        np.concatenate([block.files for block in blocks]),
        np.concatenate([block.lines for block in blocks]),
        blocks[0].names,
        {name: [v for block in blocks for v in block.kept[name]] for name in blocks[0].kept},
        None if blocks[0].ids is None else [id for block in blocks for id in block.ids or ()],
    )


def cut(blocks: Iterable[TextBlock], size: int) -> Iterator[TextBlock]:
    """Yield the same documents in blocks of `size`; the last one may be shorter."""
    waiting: list[TextBlock] = []
    n_waiting = 0
    for block in blocks:
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
