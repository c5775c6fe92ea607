"""Decoding of messages into texts, times and labels; invalid ones are reported by id."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, cast

import msgspec
import numpy as np
from msgspec import structs

from spectralleader.checks.states import take
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


class Problem(NamedTuple):
    """The problem of one message."""

    at: int  # index of the message in its batch
    id: str
    kind: str
    detail: str = ""


class DecodedBatch:
    """The valid messages of a batch as a block, and the problems of the others, to be taken once.

    Parameters
    ----------
    block : TextBlock
        Its lines are the indices in the batch.
    problems : sequence of Problem
        In order of the messages.
    messages : MessageBatch
        The batch; its payloads are not used.
    """

    def __init__(
        self, block: TextBlock, problems: Sequence[Problem], messages: MessageBatch
    ) -> None:
        self.block, self.problems = block, deque(problems)
        self._n_messages, self._after = len(messages.ids), messages.after
        self._n_taken = 0  # documents

    @property
    def n_docs(self) -> int:
        """Number of documents left."""
        return len(self.block) - self._n_taken

    def take(self, n: int) -> tuple[TextBlock, Json, list[Problem]]:
        """Return the next n documents, the position after them, and the problems before it."""
        first, self._n_taken = self._n_taken, self._n_taken + n
        end = int(self.block.lines[self._n_taken - 1]) + 1
        return self.block[first : self._n_taken], self._after(end), self._problems_before(end)

    def finish(self) -> tuple[Json, list[Problem]]:
        """Return the position after all messages, and the remaining problems."""
        return self._after(self._n_messages), self._problems_before(self._n_messages)

    def _problems_before(self, end: int) -> list[Problem]:
        found = []
        while self.problems and self.problems[0].at < end:
            found.append(self.problems.popleft())
        return found


def guess_format(
    payloads: Payloads, requested: SourceOptions, name: str
) -> tuple[MessageFormat, list[str]]:
    """Return the format of messages inferred from some of them, and descriptions of guesses."""
    kind: Kind
    # Redis has fields; only the others must be told apart by what they contain.
    if isinstance(payloads[0], list):
        kind, names = "fields", list_fields(payloads)
    elif any(parse(payload) is not None for payload in payloads):
        kind, names = "json", list_columns(payloads)
    else:
        kind, names = "text", ("text",)
    sampled = read_records(MessageFormat(kind, Columns(names)), payloads, lambda *_: None)
    sample = dict(zip(names, sampled.fields, strict=True))
    columns, guesses = choose(requested, names, sample, name)
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


def are_all_invalid(payloads: Payloads) -> bool:
    """Return whether all messages are invalid JSON, so that nothing can be guessed from them."""
    return all(
        isinstance(payload, bytes) and payload.lstrip()[:1] == b"{" and parse(payload) is None
        for payload in payloads
    )


def decode_messages(format: MessageFormat, name: str, messages: MessageBatch) -> DecodedBatch:
    """Return the valid messages of a source as a block, and the problems of the others."""
    problems: list[Problem] = []

    def log(kind: str, at: int, detail: str = "") -> None:
        problems.append(Problem(int(at), messages.ids[at], kind, detail))

    records = read_records(format, messages.payloads, log)
    block = as_block(records, format.columns, SourceOptions(), log)
    ids = [messages.ids[at] for at in block.lines.tolist()]
    return DecodedBatch(replace(block, names=(name,), ids=ids), sorted(problems), messages)


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
    try:
        return take(position, "at"), msgspec.convert(take(position, "read"), MessageFormat)
    except msgspec.ValidationError as error:
        raise ValueError(f"the position has an invalid format of messages: {error}") from error
