"""Predict: the topics of documents in files."""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.errors import NotEmittedError, StorageError
from spectralleader.jobs.options import LearnOptions, Progress, Source
from spectralleader.runtime.interrupts import Interrupts, raise_if_interrupted
from spectralleader.sources.files import TextBlock
from spectralleader.sources.live import is_address
from spectralleader.sources.live.redis_stream import RedisWriter
from spectralleader.storage import load_topics
from spectralleader.text.surprise import score
from spectralleader.text.topics import TextTopics

FORMATS = ("csv", "jsonl")
DIGITS = 4  # decimals of probabilities
# Names of output columns; input columns with such a name are renamed.
OURS = re.compile(
    "file|line|topic|name|probability|known_words|log_prob|p_value|best|probabilities|shares"
    r"|(p|s|best)\d+"
)


class Prediction(NamedTuple):
    """The predictions for a block of documents."""

    block: TextBlock
    posterior: Floats  # (n_docs, K) P(topic | document)
    log_prob: Floats  # (n_docs,) of the known words
    n_known: Floats  # (n_docs,) number of known words
    names: tuple[str, ...] = ()  # of the topics, if any has one
    shares: Floats | None = None  # (n_docs, K) topic proportions within each document
    n_best: int | None = None  # topics reported per document; None: all, in order
    p_values: Floats | None = None  # (n_docs,) see `Snapshot.p_values`; NaN if undefined

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one row per document; topics count from 1.

        A document without known words has no topic: its posterior is the weights of the topics.
        """
        best = self.posterior.argmax(axis=1)
        columns = (self.block.files, best, self.log_prob, self.n_known)
        lines = self.block.lines.tolist() if self.block.ids is None else self.block.ids
        given = self.posterior if self.shares is None else self.shares
        for i, (line, file, k, log_prob, n_known) in enumerate(
            zip(lines, *(column.tolist() for column in columns), strict=True)
        ):
            row: dict[str, Any] = {kept_as(name): c[i] for name, c in self.block.kept.items()}
            row |= {
                "file": self.block.names[file],
                "line": line,
                "topic": k + 1 if n_known else None,
            }
            if self.names:
                row["name"] = self.names[k] if n_known else None
            row |= {
                "probability": round(float(self.posterior[i, k]), DIGITS) if n_known else None,
                "known_words": int(n_known),
                "log_prob": round(log_prob, DIGITS),
                "p_value": self._p_value(i),
            }
            yield row | self._values(given[i].round(DIGITS), has_topic=n_known > 0)

    def _p_value(self, i: int) -> float | None:
        if self.p_values is None or np.isnan(self.p_values[i]):
            return None
        return round(float(self.p_values[i]), DIGITS)

    def _values(self, values: Floats, *, has_topic: bool) -> dict[str, Any]:
        """Return the values of all topics, or of the `n_best` topics, if the document has any."""
        kind = "probabilities" if self.shares is None else "shares"
        if self.n_best is None:
            return {kind: values.tolist()}
        order = np.argsort(-values, kind="stable")[: self.n_best]
        if not has_topic:
            return {"best": [None for _ in order], kind: [None for _ in order]}
        return {"best": [k + 1 for k in order.tolist()], kind: values[order].tolist()}


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

    def __init__(
        self,
        path: str | os.PathLike[str],
        progress: Progress | None = None,
        load: Callable[[str], TextTopics] = load_topics,
    ) -> None:
        self._path, self._progress, self._load = Path(path), progress or Progress(), load
        self._seen = self._state()  # before loading, so that no update in between is missed
        self._topics = load(str(path))

    def latest(self) -> TextTopics:
        """Return the current topics."""
        if (state := self._state()) not in (self._seen, None):
            self._seen = state
            try:
                found = self._load(str(self._path))
            except (StorageError, OSError) as error:
                self._progress.say(f"{error}; predicting with the previous topics")
                return self._topics
            self._topics = found
            self._progress.say(f"reloaded {self._path}: {found.n_docs:,} documents learned")
        return self._topics

    def _state(self) -> tuple[int, ...] | None:
        """Return inode, size and time of the file, or None if it is missing."""
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns


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
    now: TextTopics | None = None
    for block in blocks:
        raise_if_interrupted()
        if (found := latest()) is not now:
            now, shown = found, found.at(level)
            model, names = shown.model, shown.names if any(shown.names) else ()
        documents = shown.count(block.texts)
        log_prob, posterior = model.log_prob(documents), model.posterior(documents)
        within = model.shares(documents) if shares else None
        per_word = log_prob / np.maximum(documents.lengths, 1.0)
        if shown.fine is not None:  # past scores are those of all topics, not of merged ones
            per_word, _ = score(shown.fine, documents)
        p_values = shown.past.p_values(per_word, documents.lengths)
        told = (posterior, log_prob, documents.lengths, names, within, n_best, p_values)
        yield Prediction(block, *told)


def write(predictions: Iterable[Prediction], file: TextIO, format: str = "csv") -> int:
    """Write one line per document, as CSV with a header or JSON lines; return their number."""
    if format not in FORMATS:
        raise ValueError(f"unknown format {format!r}; choose one of {', '.join(FORMATS)}")
    write_rows = CsvRows(file).write if format == "csv" else partial(write_json, file)
    n_docs = 0
    for prediction in predictions:
        if Interrupts.entered is not None:
            Interrupts.entered.at_stake = True  # a second Ctrl-C could leave half a line
        write_rows(prediction)
        file.flush()
        n_docs += len(prediction.block)
    return n_docs


def write_json(file: TextIO, prediction: Prediction) -> None:
    """Write a line per document."""
    file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in prediction.rows())


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


Row = dict[str, Any]


def rows_of(block: TextBlock, posterior: Floats, n_known: Floats) -> list[Row]:
    """Return the id, the likeliest topic (from 1) and its probability for each document.

    A document without known words has no topic: its posterior is the weights of the topics.
    """
    best, rows = posterior.argmax(axis=1).tolist(), []
    for i, (k, n) in enumerate(zip(best, n_known.tolist(), strict=True)):
        probability = round(float(posterior[i, k]), 6)
        found = (k + 1, probability) if n else (None, None)
        rows.append({"id": block.id_of(i), "topic": found[0], "probability": found[1]})
    return rows


class FileEmitter:
    """Appends rows to a file of JSON lines."""

    def __init__(self, path: str) -> None:
        try:
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
            self._file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
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


def open_emitter(target: str, progress: Progress) -> Emitter:
    """Return an emitter for a file or a stream redis://host:port/db/STREAM."""
    if is_address(target) and target.startswith("redis"):
        return RedisWriter(target, progress.say)
    if "://" in target:
        raise ValueError(f"--emit takes a file or redis://host:port/db/STREAM, got {target}")
    if not Path(target).absolute().parent.is_dir():
        raise ValueError(f"cannot write to {target}: {Path(target).parent} does not exist")
    return FileEmitter(target)


@contextmanager
def emitting(options: LearnOptions, progress: Progress) -> Iterator[Emitter | None]:
    """Yield the emitter of the option `emit`, or None."""
    if options.emit is None:
        yield None
        return
    if "://" not in options.emit:
        options.source.check_kept(options.emit)
        # The model need not exist yet; links to it are resolved.
        if (
            options.save is not None
            and Path(options.emit).resolve() == Path(options.save).resolve()
        ):
            raise ValueError(f"{options.emit} is the model file; emit to another file")
    emitter = open_emitter(options.emit, progress)
    try:
        yield emitter
    finally:
        emitter.close()
