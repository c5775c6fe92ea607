"""Emitting: the topic of each learned document, written as it goes by."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from spectralleader.arrays import Floats
from spectralleader.errors import NotEmittedError
from spectralleader.jobs.progress import Progress
from spectralleader.sources.files import TextBlock
from spectralleader.sources.live import is_address
from spectralleader.sources.live.redis_stream import RedisWriter

Row = dict[str, Any]


class Emitter(Protocol):
    """Where rows go. What was written and flushed is there, whatever happens then."""

    def write(self, rows: Sequence[Row]) -> None:
        """Write rows, or raise `NotEmittedError`."""

    def flush(self) -> None:
        """Bring what was written to where it is safe, before it counts as learned."""

    def close(self) -> None:
        """Let go of it."""


def rows_of(block: TextBlock, posterior: Floats) -> list[Row]:
    """Return the id, the likeliest topic (from 1) and its probability for each document."""
    best = posterior.argmax(axis=1)
    return [
        {"id": block.id_of(i), "topic": k + 1, "probability": round(float(posterior[i, k]), 6)}
        for i, k in enumerate(best.tolist())
    ]


class FileEmitter:
    """A file of JSON lines that rows are appended to."""

    def __init__(self, path: str) -> None:
        try:
            self._file = open(path, "a+", encoding="utf-8")  # noqa: SIM115
            self._end_line()
        except OSError as error:
            raise ValueError(f"{path} cannot be written to: {error.strerror}") from error
        self._path = path

    def _end_line(self) -> None:
        """End a line that a process was killed in, so that it does not spoil the next one."""
        if (size := self._file.seek(0, os.SEEK_END)) and os.pread(
            self._file.fileno(), 1, size - 1
        ) != b"\n":
            self._file.write("\n")

    def write(self, rows: Sequence[Row]) -> None:
        """Append a line for each row."""
        try:
            self._file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            self._file.flush()
        except OSError as error:
            raise NotEmittedError(
                f"{self._path} cannot be written to: {error.strerror}; the documents after the "
                "last checkpoint are learned and written again when this is resumed"
            ) from error

    def flush(self) -> None:
        """Bring the lines to the disk."""
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def open_emitter(target: str, progress: Progress) -> Emitter:
    """Return what writes to a file, or to a stream redis://host:port/db/STREAM."""
    if is_address(target) and target.startswith("redis"):
        return RedisWriter(target, progress.say)
    if "://" in target:
        raise ValueError(f"rows are emitted to a file or to redis://host:port/db/STREAM: {target}")
    if not Path(target).absolute().parent.is_dir():
        raise ValueError(f"there is no folder {Path(target).parent}")
    return FileEmitter(target)
