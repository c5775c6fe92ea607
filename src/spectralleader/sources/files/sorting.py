"""External merge sort by time: sorted runs in a temporary file, then one merge."""

from __future__ import annotations

import heapq
import json
import tempfile
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import IO, Any

import numpy as np

from spectralleader.sources.files.text_block import TextBlock
from spectralleader.sources.files.times import EPOCH
from spectralleader.text.tokens import size_of

RUN_CHARACTERS = 2**26  # characters of text per run, which is sorted in memory
BATCH_CHARACTERS = 2**16  # characters of text per write and read
NEVER = 2**62  # key of a document without a time: sorts last
MICROSECOND = timedelta(microseconds=1)

Row = tuple[Any, ...]  # key, file, line, label, text: compared in that order


def sort_by_time(blocks: Iterable[TextBlock]) -> Iterator[TextBlock]:
    """Yield the documents in order of time; the sort is stable."""
    first: TextBlock | None = None
    run: list[Row] = []
    n_characters = 0
    with tempfile.TemporaryFile() as store:
        runs: list[Iterator[Row]] = []
        for block in blocks:
            first = first or block
            run += as_rows(block)
            n_characters += sum(map(size_of, block.texts))
            if n_characters >= RUN_CHARACTERS:
                runs.append(spill(sorted(run), store))
                run, n_characters = [], 0
        if first is not None:
            runs.append(iter(sorted(run)))
            yield from as_blocks(heapq.merge(*runs), first)


def as_rows(block: TextBlock) -> list[Row]:
    """Return a block as rows that sort by time, then by file and line."""
    keys = [NEVER if t is None else (t - EPOCH) // MICROSECOND for t in block.times or ()]
    labels = block.labels or [None] * len(block)
    places = (block.files.tolist(), block.lines.tolist())
    return list(zip(keys, *places, labels, block.texts, strict=True))


def as_blocks(rows: Iterable[Row], like: TextBlock) -> Iterator[TextBlock]:
    """Yield rows as blocks with the columns of another block."""
    for batch in batches(rows):
        keys, files, lines, labels, texts = (list(column) for column in zip(*batch, strict=True))
        yield TextBlock(
            texts,
            [as_time(key) for key in keys],
            None if like.labels is None else labels,
            np.array(files, np.int64),
            np.array(lines, np.int64),
            like.names,
        )


def as_time(key: int) -> datetime | None:
    """Return the time of a key."""
    return None if key == NEVER else EPOCH + key * MICROSECOND


def batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield lists of rows with about `BATCH_CHARACTERS` characters of text."""
    batch: list[Row] = []
    n_characters = 0
    for row in rows:
        batch.append(row)
        n_characters += size_of(row[-1])
        if n_characters >= BATCH_CHARACTERS or len(batch) >= 1000:
            yield batch
            batch, n_characters = [], 0
    if batch:
        yield batch


def spill(rows: list[Row], store: IO[bytes]) -> Iterator[Row]:
    """Write a sorted run to the end of the store; return an iterator that reads it again."""
    begin = store.seek(0, 2)
    for batch in batches(rows):
        store.write(json.dumps(batch).encode() + b"\n")
    return read_run(store, begin, store.tell())


def read_run(store: IO[bytes], at: int, end: int) -> Iterator[Row]:
    """Yield the rows of a run; runs share the file, so each keeps its own offset."""
    while at < end:
        store.seek(at)
        batch = json.loads(store.readline())
        at = store.tell()
        yield from map(tuple, batch)
