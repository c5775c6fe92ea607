"""JSON lines: one object per line.

Polars reads them (1.8 us/document); pieces that it rejects are parsed line by line by `json`
(5.3 us/document), which finds out which lines are invalid.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from spectralleader.sources.files.byte_stream import ByteStream
from spectralleader.sources.files.columns import Sample
from spectralleader.sources.files.lines import LineFile, read_pieces
from spectralleader.sources.files.problems import BROKEN_JSON, UNDECODABLE
from spectralleader.sources.files.records import Column, Log, Records, is_whole
from spectralleader.sources.files.table import N_SAMPLE
from spectralleader.text.tokens import parse_tokens

# An escaped surrogate, with the other half of its pair if that follows.
SURROGATE = re.compile(
    rb"\\u[dD][89a-fA-F]..(?:(?<=\\u[dD][89abAB]..)\\u[dD][c-fC-F]..)?", re.DOTALL
)
PAIR_LENGTH = 12
Entry = dict[str, Any]  # a JSON object


class JsonLines(LineFile):
    """An open file of JSON lines; columns are the keys of its first objects."""

    columns: tuple[str, ...]
    sample: Sample

    def __init__(self, source: ByteStream) -> None:
        super().__init__(source)
        if source.first.lstrip().startswith(b"["):
            raise ValueError(
                f"{source.name} begins like a JSON array; convert it to one object per line, for "
                "example with `jq -c '.[]'`"
            )
        lines = source.first.split(b"\n")[:N_SAMPLE]
        objects = [entry for entry in map(parse, lines) if entry]
        if not objects:
            n = sum(map(bool, map(bytes.strip, lines)))
            raise ValueError(
                f"{source.name} is not JSON lines: none of its first {n} lines is an object with "
                'a key, such as {"text": "..."}; name its format, as in --format text'
            )
        self.columns, self.sample = sample_columns(objects)

    def records(self, wanted: Sequence[str], log: Log) -> Iterator[Records]:
        """Yield the wanted keys of every object; missing ones are None."""
        for piece in read_pieces(self._source, self._line):
            n_lines = piece.data.rstrip(b"\n").count(b"\n") + 1
            fields = read_fast(piece.data, wanted, n_lines)
            if fields is not None:
                yield Records(fields, piece.line + np.arange(n_lines), piece.start)
                continue
            numbered = enumerate(piece.data.split(b"\n"), piece.line)
            entries = ((line, parse_line(raw)) for line, raw in numbered if raw.strip())
            yield read_entries(entries, wanted, log)._replace(start=piece.start)


def sample_columns(entries: Sequence[Entry]) -> tuple[tuple[str, ...], Sample]:
    """Return the keys and paths of some objects, and their values."""
    names = tuple(dict.fromkeys(path for entry in entries for path in list_paths(entry)))
    return names, {name: [as_text(find(entry, name)) for entry in entries] for name in names}


def read_fast(data: bytes, wanted: Sequence[str], n_lines: int) -> list[Column] | None:
    """Return the wanted columns if every line is an object that Polars can read, else None.

    Polars reads keys; paths such as payload.body are followed afterwards.
    """
    if has_half_pair(data):  # Polars silently replaces half a surrogate pair
        return None
    import polars as pl  # slow to import, and only needed here

    names = dict.fromkeys(part for name in wanted for part in (name, name.partition(".")[0]))
    try:
        frame = pl.read_ndjson(data, schema=dict.fromkeys(names, pl.String))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
    if len(frame) != n_lines:
        return None
    columns = {name: frame[name].to_list() for name in names}
    return [
        columns[name] if "." not in name else _follow(name, columns[name], columns[_top(name)])
        for name in wanted
    ]


def _top(path: str) -> str:
    return path.partition(".")[0]


def _follow(path: str, found: Column, tops: Column) -> Column:
    """Return the values at a path, given those of its first key; a key of that name is first."""
    inside = path.partition(".")[2]
    return [
        as_text(reach(parse(top.encode("utf-8", "surrogatepass")), inside))
        if value is None and top is not None
        else value
        for value, top in zip(found, tops, strict=True)
    ]


def read_entries(
    entries: Iterable[tuple[int, Entry | str]], wanted: Sequence[str], log: Log
) -> Records:
    """Return the wanted columns of objects with their lines, one by one; log the problems."""
    fields: list[Column] = [[] for _ in wanted]
    lines = []
    for line, entry in entries:
        if isinstance(entry, str):
            log(entry, line)
            continue
        values = [as_text(find(entry, name)) for name in wanted]
        if not all(map(is_whole, values)):
            log(UNDECODABLE, line, "half of a surrogate pair")
            continue
        lines.append(line)
        for column, value in zip(fields, values, strict=True):
            column.append(value)
    return Records(fields, np.array(lines, np.int64))


def has_half_pair(data: bytes) -> bool:
    """Return whether an escaped surrogate may lack the other half of its pair."""
    if b"\\ud" not in data and b"\\uD" not in data:
        return False
    return any(len(found) < PAIR_LENGTH for found in SURROGATE.findall(data))


def parse(line: bytes) -> Entry | None:
    """Return the object on a line, or None if the line is not a JSON object."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):  # UnicodeDecodeError is a ValueError
        return None
    return entry if isinstance(entry, dict) else None


def parse_line(line: bytes) -> Entry | str:
    """Return the object on a line, or the kind of problem if there is none."""
    if (entry := parse(line)) is not None:
        return entry
    try:
        line.decode()
    except UnicodeDecodeError:
        return UNDECODABLE
    return BROKEN_JSON


def list_paths(entry: Entry, depth: int = 3) -> Iterator[str]:
    """Yield the keys of an object, and paths such as payload.body into nested objects."""
    for key, value in entry.items():
        yield key
        if depth and isinstance(value, dict) and parse_tokens(json.dumps(value)) is None:
            yield from (f"{key}.{path}" for path in list_paths(value, depth - 1))


def find(entry: Entry, name: str) -> Any:
    """Return the value of a key, or of a path such as payload.body."""
    found = entry.get(name)
    return reach(entry, name) if found is None else found


def reach(entry: Any, path: str) -> Any:
    """Return the value at a path of keys, or None if it does not exist."""
    for key in path.split("."):
        entry = entry.get(key) if isinstance(entry, dict) else None
    return entry


def as_text(value: Any) -> str | None:
    """Return a string unchanged, a missing value as None, and any other value as JSON.

    NaN is a missing value, too: `json.dumps` and pandas write it for one. Infinity is no text.
    """
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, str) else json.dumps(value)
