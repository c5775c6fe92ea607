"""Predict: write the topics of documents, of files or as they are learned."""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.checks.paths import check_target
from spectralleader.errors import NotEmittedError, StorageError
from spectralleader.jobs.options import LearnOptions, Progress, Source
from spectralleader.reading.snapshot import Classified
from spectralleader.runtime.interrupts import Interrupts, raise_if_interrupted
from spectralleader.sources.addresses import is_address
from spectralleader.sources.files.text_block import TextBlock
from spectralleader.sources.live.redis_stream import RedisWriter
from spectralleader.sources.options import SourceOptions
from spectralleader.storage import load_topics
from spectralleader.topics.text_topics import TextTopics

FORMATS = ("csv", "jsonl")
Row = dict[str, Any]
DIGITS, EMITTED_DIGITS = 4, 6  # decimals of probabilities
# Names of output columns; input columns with such a name are renamed.
OURS = re.compile(
    "file|line|topic|name|probability|known_words|log_prob|p_value|best|probabilities|shares"
    r"|(p|s|best)\d+"
)


class Prediction(NamedTuple):
    """The predictions for a block of documents."""

    block: TextBlock
    classified: Classified  # likeliest topics
    posterior: Floats  # (n_docs, K) P(topic | document)
    log_prob: Floats  # (n_docs,) of the known words
    shares: Floats | None = None  # (n_docs, K) topic proportions within each document
    n_best: int | None = None  # topics reported per document; None: all, in order

    def rows(self) -> Iterator[Row]:
        """Yield one row per document, see `Classified.rows`, with the values of topics."""
        block, kept = self.block, {kept_as(name): c for name, c in self.block.kept.items()}
        # A message of a broker has an id instead of a line.
        lines = block.lines.tolist() if block.ids is None else block.ids
        values = (self.posterior if self.shares is None else self.shares).round(DIGITS)
        for i, row in enumerate(self.classified.rows(DIGITS)):
            if not any(self.classified.names):
                del row["name"]
            p_value = row.pop("p_value")
            yield {
                **{name: column[i] for name, column in kept.items()},
                "file": block.names[block.files[i]],
                "line": lines[i],
                **row,
                "log_prob": round(float(self.log_prob[i]), DIGITS),
                "p_value": p_value,
                **self._values(values[i], has_topic=row["topic"] is not None),
            }

    def _values(self, values: Floats, *, has_topic: bool) -> dict[str, Any]:
        """Return the values of all topics, or of the `n_best` topics, if the document has any."""
        kind = "probabilities" if self.shares is None else "shares"
        if self.n_best is None:
            return {kind: values.tolist()}
        # Stable, so that equal topics are in the order of their numbers on every platform.
        order = np.argsort(-values, kind="stable")[: self.n_best]
        if not has_topic:
            return {"best": [None for _ in order], kind: [None for _ in order]}
        return {"best": (order + 1).tolist(), kind: values[order].tolist()}


def kept_as(column: str) -> str:
    """Return the output name of an input column.

    Examples
    --------
    >>> kept_as("id"), kept_as("topic"), kept_as("p1")
    ('id', 'input_topic', 'input_p1')
    """
    return f"input_{column}" if OURS.fullmatch(column) else column


def predict(topics: TextTopics, source: Source | str | os.PathLike[str]) -> Iterator[Prediction]:
    """Yield predictions block by block, in bounded memory."""
    with Source.of(source, block=1000).open() as reader:
        yield from predict_blocks(topics, reader)


class WatchedTopics:
    """Topics in a file that another process updates; `latest` reloads them after a change.

    If the file cannot be loaded, this is reported once and the previous topics are used.
    """

    def __init__(self, path: str | os.PathLike[str], progress: Progress) -> None:
        self._path, self._progress = Path(path), progress
        self._seen = self._state()  # before loading, so that no update in between is missed
        self._topics = load_topics(path)

    def latest(self) -> TextTopics:
        """Return the current topics."""
        # A missing file is being replaced at this moment.
        if (state := self._state()) not in (self._seen, None):
            self._seen = state
            try:
                self._topics = load_topics(self._path)
            except (StorageError, OSError) as error:
                self._progress.say(f"{error}; predicting with the previous topics")
                return self._topics
            n_docs = self._topics.n_docs
            self._progress.say(f"reloaded {self._path}: {n_docs:,} documents learned")
        return self._topics

    def _state(self) -> tuple[int, ...] | None:
        """Return inode, size and time of the file, or None if it is missing."""
        try:
            status = self._path.stat()
        except OSError:
            return None
        return status.st_ino, status.st_size, status.st_mtime_ns


def predict_blocks(
    topics: TextTopics | WatchedTopics,
    blocks: Iterable[TextBlock],
    *,
    level: int | str | None = None,
    shares: bool = False,
    n_best: int | None = None,
) -> Iterator[Prediction]:
    """Yield the predictions for blocks.

    Parameters
    ----------
    topics : TextTopics or Watched
        A `WatchedTopics` file is checked for changes before each block.
    level : int, "all" or "auto", optional
        Merge the topics to this number, see `TextTopics.at`.
    shares : bool
        Return topic proportions within each document instead of probabilities.
    n_best : int, optional
        Return only this many topics per document, the best first.
    """
    latest = topics.latest if isinstance(topics, WatchedTopics) else lambda: topics
    current: TextTopics | None = None
    for block in blocks:
        raise_if_interrupted()
        if (newest := latest()) is not current:
            current, shown = newest, newest.at(level)
        documents, model = shown.count(block.texts), shown.model
        yield Prediction(
            block,
            shown.classify_counted(documents),
            model.posterior(documents),
            model.log_prob(documents),
            model.shares(documents) if shares else None,
            n_best,
        )


def write(predictions: Iterable[Prediction], file: TextIO, format: str = "csv") -> int:
    """Write one line per document, as CSV with a header or JSON lines; return their number."""
    if format not in FORMATS:
        raise ValueError(f"unknown format {format!r}; choose one of {', '.join(FORMATS)}")
    columns = CsvRows(file) if format == "csv" else None
    n_docs = 0
    for prediction in predictions:
        if Interrupts.entered is not None:
            Interrupts.entered.at_stake = True  # a second Ctrl-C could leave half a line
        if columns is None:
            write_json(file, prediction.rows())
        else:
            columns.write(prediction)
        # After every block: behind a live pipe, somebody waits for these lines.
        file.flush()
        n_docs += len(prediction.block)
    return n_docs


def write_json(file: TextIO, rows: Iterable[Row]) -> None:
    """Write rows as lines of JSON."""
    file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


class CsvRows:
    """Writes CSV with the columns of the first prediction."""

    def __init__(self, file: TextIO) -> None:
        self._writer = csv.writer(file, lineterminator="\n")
        self._header: list[str] = []  # before the columns of topics
        self._n_values = 0  # columns of topics

    def write(self, prediction: Prediction) -> None:
        """Write a line per document.

        Raises
        ------
        ValueError
            If the number of topics has changed, because the model was replaced.
        """
        kind, letter = ("shares", "s") if prediction.shares is not None else ("probabilities", "p")
        for row in prediction.rows():
            values, best = row.pop(kind), row.pop("best", None)
            if best is not None:
                values = [value for pair in zip(best, values, strict=True) for value in pair]
            # The first row tells which columns there are: names, kept columns, numbers of topics.
            if not self._header:
                self._begin(list(row), len(values), ("best", letter) if best else (letter,))
            if len(values) != self._n_values:
                raise ValueError(
                    "the model was replaced by one with another number of topics, which does not "
                    "fit the columns of the output; write JSON lines (--to jsonl), or restart"
                )
            self._writer.writerow([*(row.get(name, "") for name in self._header), *values])

    def _begin(self, header: list[str], n_values: int, names: tuple[str, ...]) -> None:
        self._header, self._n_values = header, n_values
        numbered = [f"{name}{i + 1}" for i in range(n_values // len(names)) for name in names]
        self._writer.writerow([*header, *numbered])


def rows_of(block: TextBlock, classified: Classified) -> list[Row]:
    """Return the id, the likeliest topic (from 1) and its probability for each document."""
    return [
        {"id": block.id_of(i), "topic": row["topic"], "probability": row["probability"]}
        for i, row in enumerate(classified.rows(EMITTED_DIGITS))
    ]


class FileEmitter:
    """Appends rows to a file of JSON lines."""

    def __init__(self, path: str) -> None:
        try:
            # Readable, too: its last line may be incomplete.
            self._file = open(path, "a+", encoding="utf-8")  # noqa: SIM115
            self._end_line()
        except OSError as error:
            raise ValueError(f"cannot write to {path}: {error.strerror}") from error
        self._path = path

    def _end_line(self) -> None:
        """Terminate a line that a killed process left incomplete."""
        if (size := self._file.seek(0, os.SEEK_END)) and os.pread(
            self._file.fileno(), 1, size - 1
        ) != b"\n":
            self._file.write("\n")

    def write(self, rows: Sequence[Row]) -> None:
        """Append one line per row."""
        try:
            write_json(self._file, rows)
            self._file.flush()
        except OSError as error:
            raise NotEmittedError(
                f"cannot write to {self._path}: {error.strerror}; after resuming, the documents "
                "since the last checkpoint are learned and written again"
            ) from error

    def flush(self) -> None:
        """Sync the lines to disk."""
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()


Emitter = FileEmitter | RedisWriter


def open_emitter(
    options: LearnOptions, progress: Progress
) -> AbstractContextManager[Emitter | None]:
    """Return what writes to `emit`, a file or a stream redis://host:port/db/STREAM, if anything."""
    target = options.emit
    if target is None:
        return nullcontext()
    if target.startswith("redis") and is_address(target):
        given = SourceOptions(broker_settings=options.source.broker_settings, say=progress.say)
        return closing(RedisWriter(target, given))
    if "://" in target:
        raise ValueError(f"--emit takes a file or redis://host:port/db/STREAM, got {target}")
    check_target(target, options.source.files, is_replaced=False)
    # The model need not exist yet; links to it are resolved.
    if options.save is not None and Path(target).resolve() == Path(options.save).resolve():
        raise ValueError(f"{target} is the model file; emit to another file")
    return closing(FileEmitter(target))
