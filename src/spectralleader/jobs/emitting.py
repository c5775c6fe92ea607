"""Emitting: write the topic of each document as it is learned."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from spectralleader.arrays import Floats
from spectralleader.errors import NotEmittedError
from spectralleader.jobs.options import LearnOptions
from spectralleader.jobs.progress import Progress
from spectralleader.sources.files import TextBlock
from spectralleader.sources.live import is_address
from spectralleader.sources.live.redis_stream import RedisWriter

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
