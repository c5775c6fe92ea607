"""JSON lines: one object per line.

Polars reads them (1.8 us/document); pieces that it rejects are parsed line by line by `json`
(5.3 us/document), which finds out which lines are invalid.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from spectralleader.sources.files.columns import Sample
from spectralleader.sources.files.feed import Feed
from spectralleader.sources.files.lines import LineFile, Piece, read_pieces
from spectralleader.sources.files.problems import BROKEN_JSON, UNDECODABLE
from spectralleader.sources.files.table import N_SAMPLE, Log, Records
from spectralleader.text.tokens import parse_tokens

# An escaped surrogate, with the other half of its pair if that follows.
SURROGATE = re.compile(
    rb"\\u[dD][89a-fA-F]..(?:(?<=\\u[dD][89abAB]..)\\u[dD][c-fC-F]..)?", re.DOTALL
)
PAIR_LENGTH = 12


class JsonLines(LineFile):
    """An open file of JSON lines; columns are the keys of its first objects."""

    columns: tuple[str, ...]
    sample: Sample

    def __init__(self, feed: Feed) -> None:
        super().__init__(feed)
        if feed.first.lstrip().startswith(b"["):
            raise ValueError(
                f"{feed.name} begins like a JSON array; convert it to one object per line, for "
                "example with `jq -c '.[]'`"
            )
        objects = [entry for entry in map(parse, feed.first.split(b"\n")[:N_SAMPLE]) if entry]
        self._keys = frozenset(key for entry in objects for key in entry)
        self.columns = tuple(dict.fromkeys(key for entry in objects for key in list_paths(entry)))
        self.sample = {
            key: [as_text(self._find(entry, key)) for entry in objects] for key in self.columns
        }

    def _find(self, entry: dict[str, Any], name: str) -> Any:
        """Return the value of a key, or of a path such as payload.body."""
        return entry.get(name) if name in self._keys else reach(entry, name)

    def records(self, wanted: Sequence[str], log: Log) -> Iterator[Records]:
        """Yield the wanted keys of every object; missing ones are None."""
        for piece in read_pieces(self._feed, self._line):
            n_lines = piece.data.rstrip(b"\n").count(b"\n") + 1
            fields = self._read_fast(piece.data, wanted, n_lines)
            if fields is not None:
                yield Records(fields, piece.line + np.arange(n_lines), piece.start)
            else:
                yield self._read_carefully(piece, wanted, log)

    def _read_fast(
        self, data: bytes, wanted: Sequence[str], n_lines: int
    ) -> list[list[str | None]] | None:
        """Return the wanted columns if Polars can read them, else None."""
        tops = [name if name in self._keys else name.partition(".")[0] for name in wanted]
        fields = read_fast(data, list(dict.fromkeys(tops)), n_lines)
        if fields is None or tops == list(wanted):
            return fields
        found = dict(zip(dict.fromkeys(tops), fields, strict=True))
        return [
            found[name] if name == top else [reach_text(text, name) for text in found[top]]
            for name, top in zip(wanted, tops, strict=True)
        ]

    def _read_carefully(self, piece: Piece, wanted: Sequence[str], log: Log) -> Records:
        """Return the valid objects of some lines; log the others."""
        fields: list[list[str | None]] = [[] for _ in wanted]
        lines = []
        for line, raw in enumerate(piece.data.split(b"\n"), piece.line):
            if not raw.strip():
                continue
            entry = parse(raw)
            values = [as_text(self._find(entry or {}, key)) for key in wanted]
            if entry is None:
                log.add(BROKEN_JSON if is_utf8(raw) else UNDECODABLE, line)
            elif not all(map(is_whole, values)):
                log.add(UNDECODABLE, line, "half of a surrogate pair")
            else:
                lines.append(line)
                for column, value in zip(fields, values, strict=True):
                    column.append(value)
        return Records(fields, np.array(lines, np.int64), piece.start)


def read_fast(data: bytes, wanted: Sequence[str], n_lines: int) -> list[list[str | None]] | None:
    """Return the wanted columns if every line is an object that Polars can read, else None."""
    if has_half_pair(data):  # Polars silently replaces half a surrogate pair
        return None
    import polars as pl  # slow to import, and only needed here

    try:
        frame = pl.read_ndjson(data, schema=dict.fromkeys(wanted, pl.String))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
    return [frame[name].to_list() for name in wanted] if len(frame) == n_lines else None


def has_half_pair(data: bytes) -> bool:
    """Return whether an escaped surrogate may lack the other half of its pair."""
    if b"\\ud" not in data and b"\\uD" not in data:
        return False
    return any(len(found) < PAIR_LENGTH for found in SURROGATE.findall(data))


def parse(line: bytes) -> dict[str, Any] | None:
    """Return the object on a line, or None if the line is not a JSON object."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):  # UnicodeDecodeError is a ValueError
        return None
    return entry if isinstance(entry, dict) else None


def list_paths(entry: dict[str, Any], depth: int = 3) -> Iterator[str]:
    """Yield the keys of an object, and paths such as payload.body into nested objects."""
    for key, value in entry.items():
        yield key
        if depth and isinstance(value, dict) and parse_tokens(json.dumps(value)) is None:
            yield from (f"{key}.{path}" for path in list_paths(value, depth - 1))


def reach(entry: Any, path: str) -> Any:
    """Return the value at a path of keys, or None if it does not exist."""
    for key in path.split("."):
        entry = entry.get(key) if isinstance(entry, dict) else None
    return entry


def reach_text(text: str | None, path: str) -> str | None:
    """Return the value at a path, given the JSON at its first key."""
    inner = None if text is None else parse(text.encode("utf-8", "surrogatepass"))
    return as_text(reach(inner, path.partition(".")[2]))


def as_text(value: Any) -> str | None:
    """Return a string unchanged, and any other value as JSON."""
    return value if value is None or isinstance(value, str) else json.dumps(value)


def is_whole(value: str | None) -> bool:
    """Return whether a string has no lone surrogate."""
    try:
        (value or "").encode()
    except UnicodeEncodeError:
        return False
    return True


def is_utf8(raw: bytes) -> bool:
    """Return whether bytes are valid UTF-8."""
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True
