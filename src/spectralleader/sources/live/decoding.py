"""Decoding of messages into texts, times and labels; invalid ones are reported by id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np

from spectralleader.checks.states import one_of, part, take, truth
from spectralleader.sources.files.columns import ColumnRequest, Columns, check_columns, choose
from spectralleader.sources.files.json_lines import (
    Entry,
    parse,
    parse_line,
    read_entries,
    read_fast,
    sample_columns,
)
from spectralleader.sources.files.lines import decode_lines
from spectralleader.sources.files.problems import UNDECODABLE
from spectralleader.sources.files.records import Column, Log, Records, as_block
from spectralleader.sources.files.text_block import TextBlock
from spectralleader.sources.live.protocol import Fields, Json

KINDS = ("text", "json", "fields")  # a payload is one text, one JSON object, or named fields
Payloads = list[bytes] | list[Fields]


class InvalidMessage(NamedTuple):
    """The problem of one message."""

    at: int  # index of the message in its batch
    kind: str
    detail: str = ""


class Decoded(NamedTuple):
    """The valid messages of a batch as a block, and the problems of the others."""

    block: TextBlock  # its lines are the indices in the batch
    invalid: list[InvalidMessage]  # in order of the messages


class MessageFormat(NamedTuple):
    """The format of messages; stored with the position, so that it is guessed only once."""

    kind: str
    columns: Columns

    def to_state(self) -> Json:
        """Return the format as plain JSON."""
        found = self.columns._asdict()
        del found["keep"]  # columns passed through do not affect what is learned
        return {"kind": self.kind, **found, "text": list(self.columns.text)}

    @classmethod
    def from_state(cls, state: Any) -> MessageFormat:
        """Return the format that `to_state` described, after validation."""
        names = take(state, "text")
        others = take(state, "time"), take(state, "label")
        if not isinstance(names, list) or not names or not all(type(n) is str for n in names):
            raise ValueError("the text columns must be strings")
        if not all(type(name) in (str, type(None)) for name in others):
            raise ValueError("the time and label columns must be strings")
        columns = Columns(tuple(names), *others, tokens=truth(state, "tokens"))
        return cls(one_of(state, "kind", KINDS), columns)


def guess_format(
    payloads: Payloads, requested: ColumnRequest, name: str
) -> tuple[MessageFormat, list[str]]:
    """Return the format of messages inferred from some of them, and descriptions of guesses."""
    if isinstance(payloads[0], list):
        entries = [entry_of(fields) for fields in payloads]
        kind = "fields"
    else:
        found = [parse(payload) for payload in payloads]
        entries = [entry for entry in found if entry is not None]
        kind = "json" if entries else "text"
    if kind == "text":
        entries = [{"text": decode(payload) or ""} for payload in cast("list[bytes]", payloads)]
    columns, guesses = choose(requested, *sample_columns(entries), name)
    if kind == "text":
        check_columns(columns, ("text",), name)
        guesses = [guess for guess in guesses if "from the column" not in guess]
        guesses = guesses or ["each message is a text"]
    return MessageFormat(kind, columns), guesses


def are_all_invalid(payloads: Payloads) -> bool:
    """Return whether all messages are invalid JSON, so that nothing can be guessed from them."""
    return all(
        isinstance(payload, bytes) and payload.lstrip()[:1] == b"{" and parse(payload) is None
        for payload in payloads
    )


def entry_of(fields: Fields) -> Entry:
    """Return fields as a dictionary; values that are JSON objects are parsed."""
    entry: Entry = {}
    for name, value in zip(fields[::2], fields[1::2], strict=True):
        inner = parse(value) if value[:1] == b"{" else None
        key = name.decode("utf-8", "replace")
        entry[key] = (decode(value) or "") if inner is None else inner
    return entry


def decode(payload: bytes) -> str | None:
    """Return the decoded bytes, or None if they are not UTF-8."""
    try:
        return payload.decode()
    except UnicodeDecodeError:
        return None


def decode_messages(
    format: MessageFormat, name: str, ids: list[str], payloads: Payloads
) -> Decoded:
    """Return the valid messages of a source as a block, and the problems of the others."""
    invalid: list[InvalidMessage] = []

    def log(kind: str, at: int, detail: str = "") -> None:
        invalid.append(InvalidMessage(at, kind, detail))

    records = read_records(format, payloads, log)
    block = as_block(records, format.columns, log, (name,))
    block = replace(block, ids=[ids[at] for at in block.lines.tolist()])
    return Decoded(block, sorted(invalid))


def read_records(format: MessageFormat, payloads: Payloads, log: Log) -> Records:
    """Return the wanted columns of the readable messages."""
    wanted = format.columns.wanted
    if format.kind == "text":
        return decode_lines(enumerate(cast("list[bytes]", payloads)), log)
    entries: Iterable[Entry | str]
    if format.kind == "json":
        lines = cast("list[bytes]", payloads)
        columns, entries = read_joined(lines, wanted), map(parse_line, lines)
    else:
        fields = cast("list[Fields]", payloads)
        columns = read_fields(fields, wanted)
        entries = (entry_of(one) if is_utf8(one) else UNDECODABLE for one in fields)
    if columns is not None:
        return Records(columns, np.arange(len(payloads)))
    return read_entries(enumerate(entries), wanted, log)


def read_joined(payloads: list[bytes], wanted: Sequence[str]) -> list[Column] | None:
    """Return the wanted columns of JSON objects parsed in one call; None if any is invalid."""
    if not payloads:
        return [[] for _ in wanted]
    data = b"\n".join(payloads)
    if data.count(b"\n") >= len(payloads):
        # JSON strings cannot contain a raw line feed, so replacing it does not change a message.
        data = b"\n".join(payload.replace(b"\n", b" ") for payload in payloads)
    return read_fast(data, wanted, len(payloads))


def read_fields(payloads: list[Fields], wanted: Sequence[str]) -> list[Column] | None:
    """Return the wanted fields and paths as columns; None if they must be read one by one."""
    columns: list[Column] = []
    for name in wanted:
        top, _, inner = name.partition(".")
        values = read_field(payloads, top.encode())
        if values is None:
            return None
        if inner:
            if (reached := read_joined(values, [inner])) is None:
                return None
            columns += reached
        else:
            try:
                columns.append([value.decode() for value in values])
            except UnicodeDecodeError:
                return None
    return columns


def read_field(payloads: list[Fields], name: bytes) -> list[bytes] | None:
    """Return one field of all messages; None unless all have it at the same index."""
    first = payloads[0][::2]
    if name not in first:
        return None
    at = 2 * first.index(name)
    try:
        is_there = all(fields[at] == name for fields in payloads)
        return [fields[at + 1] for fields in payloads] if is_there else None
    except IndexError:
        return None


def is_utf8(fields: Fields) -> bool:
    """Return whether all values are valid UTF-8."""
    return all(decode(value) is not None for value in fields[1::2])


def read_position(position: Any, kind: str) -> tuple[Json, MessageFormat]:
    """Return the source's own position and the message format, after validation."""
    found = take(position, "kind")
    if found != kind:
        raise ValueError(f"the position belongs to a {found!r:.40} source, not to a {kind!r} one")
    return take(position, "at"), MessageFormat.from_state(part(position, "read"))
