"""Decoding of messages into texts, times and labels; invalid ones are reported by id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np
from msgspec import Raw

from spectralleader.checks.states import one_of, part, take, truth
from spectralleader.sources.files.columns import ColumnRequest, Columns, check_columns, choose
from spectralleader.sources.files.json_lines import (
    INVALID,
    kind_of,
    list_columns,
    list_paths,
    parse,
    reach_text,
    read_objects,
)
from spectralleader.sources.files.table import Column, Log, Records, decode_lines
from spectralleader.sources.files.text_block import TextBlock, as_block
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
        kind, names = "fields", list_fields(payloads)
    elif any(parse(payload) is not None for payload in payloads):
        kind, names = "json", list_columns(payloads)
    else:
        kind, names = "text", ("text",)
    sampled = read_records(MessageFormat(kind, Columns(names)), payloads, lambda *_: None)
    sample = dict(zip(names, sampled.fields, strict=True))
    columns, guesses = choose(requested, names, sample, name)
    if kind == "text":
        check_columns(columns, names, name)
        guesses = [guess for guess in guesses if "from the column" not in guess]
        guesses = guesses or ["each message is a text"]
    return MessageFormat(kind, columns), guesses


def list_fields(messages: Iterable[Fields]) -> tuple[str, ...]:
    """Return the fields of messages, and the paths into those that are JSON objects."""
    names: dict[str, None] = {}
    for fields in messages:
        keys = [name.decode("utf-8", "replace") for name in fields[::2]]
        entry = dict(zip(keys, map(Raw, fields[1::2]), strict=True))
        names |= dict.fromkeys(list_paths(entry))
    return tuple(names)


def are_all_invalid(payloads: Payloads) -> bool:
    """Return whether all messages are invalid JSON, so that nothing can be guessed from them."""
    return all(
        isinstance(payload, bytes) and payload.lstrip()[:1] == b"{" and parse(payload) is None
        for payload in payloads
    )


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
    wanted, numbered = format.columns.wanted, enumerate(cast("list[Any]", payloads))
    if format.kind == "text":
        return decode_lines(numbered, log)
    if format.kind == "json":
        return read_objects(numbered, wanted, log)
    return read_fields(numbered, wanted, log)


def read_fields(numbered: Iterable[tuple[int, Fields]], wanted: Sequence[str], log: Log) -> Records:
    """Return the wanted fields and paths of messages with their numbers; log invalid ones."""
    columns: list[Column] = [[] for _ in wanted]
    parts = [name.partition(".") for name in wanted]
    names = [("".join(part).encode(), part[0].encode(), part[2]) for part in parts]
    numbers = []
    for number, fields in numbered:
        entry = dict(zip(fields[::2], fields[1::2], strict=True))
        try:
            values = [read_field(entry, *name) for name in names]
        except INVALID as error:
            log(kind_of(error), number)
            continue
        numbers.append(number)
        for column, value in zip(columns, values, strict=True):
            column.append(value)
    return Records(columns, np.array(numbers, np.int64))


def read_field(entry: dict[bytes, bytes], name: bytes, top: bytes, path: str) -> str | None:
    """Return a field, or the value at a path into a field that is a JSON object, as text."""
    if (found := entry.get(name)) is not None:
        return found.decode()
    return reach_text(entry.get(top), path) if path else None


def read_position(position: Any, kind: str) -> tuple[Json, MessageFormat]:
    """Return the source's own position and the message format, after validation."""
    found = take(position, "kind")
    if found != kind:
        raise ValueError(f"the position belongs to a {found!r:.40} source, not to a {kind!r} one")
    return take(position, "at"), MessageFormat.from_state(part(position, "read"))
