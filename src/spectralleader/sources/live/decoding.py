"""Decoding of messages into texts, times and labels; invalid ones are reported by id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal, cast

import msgspec
import numpy as np
from msgspec import structs

from spectralleader.sources.files.columns import Columns, check_columns, choose
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
from spectralleader.sources.live.protocol import Fields, MessageBatch
from spectralleader.sources.options import Json, SourceOptions

Kind = Literal["text", "json", "fields"]  # a payload is one text, one object, or named fields
Payloads = list[bytes] | list[Fields]


class MessageFormat(msgspec.Struct, frozen=True):
    """The format of messages; stored with the position, so that it is guessed only once."""

    kind: Kind
    columns: Columns

    def to_state(self) -> Json:
        """Return the format as plain JSON."""
        # Columns that are passed through do not affect what is learned.
        columns = structs.replace(self.columns, keep=())
        return {"kind": self.kind, "columns": msgspec.json.decode(msgspec.json.encode(columns))}


class LivePosition(msgspec.Struct):
    """A position in a live source, with what is needed to read on from it."""

    kind: str  # of source
    at: Any  # the source's own position
    read: MessageFormat


def guess_format(
    payloads: Payloads, requested: SourceOptions, name: str
) -> tuple[MessageFormat, list[str]] | None:
    """Return the format of messages inferred from some of them, and descriptions of guesses.

    None if all of them are invalid JSON, from which nothing can be guessed.
    """
    kind: Kind
    # Redis has fields; only the others must be told apart by what they contain.
    if isinstance(payloads[0], list):
        kind, names = "fields", list_fields(payloads)
    elif any(parse(payload) is not None for payload in payloads):
        kind, names = "json", list_columns(payloads)
    elif all(payload.lstrip().startswith(b"{") for payload in payloads):
        return None
    else:
        kind, names = "text", ("text",)
    sampled = read_records(MessageFormat(kind, Columns(names)), payloads, lambda *_: None)
    columns, guesses = choose(requested, names, sampled.columns, name)
    # The column is ours, and no guess to be reported.
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
        entry = dict(zip(keys, map(msgspec.Raw, fields[1::2]), strict=True))
        names |= dict.fromkeys(list_paths(entry))
    return tuple(names)


def decode_messages(
    format: MessageFormat, name: str, messages: MessageBatch, log: Log
) -> TextBlock:
    """Return the valid messages as a block; log the others by their index."""
    records = read_records(format, messages.payloads, log)
    block = as_block(records, format.columns, log)
    ids = [messages.ids[at] for at in block.lines.tolist()]
    return replace(block, names=(name,), ids=ids)


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
    columns: dict[str, Column] = {name: [] for name in wanted}
    numbers = []
    for number, fields in numbered:
        entry = dict(zip(fields[::2], fields[1::2], strict=True))
        try:
            values = [read_field(entry, name) for name in wanted]
        except INVALID as error:
            log(kind_of(error), number)
            continue
        numbers.append(number)
        for column, value in zip(columns.values(), values, strict=True):
            column.append(value)
    return Records(columns, np.array(numbers, np.int64))


def read_field(entry: dict[bytes, bytes], name: str) -> str | None:
    """Return a field, or the value at a path into a field that is a JSON object, as text."""
    if (found := entry.get(name.encode())) is not None:
        return found.decode()
    top, _, path = name.partition(".")
    return reach_text(entry.get(top.encode()), path) if path else None
