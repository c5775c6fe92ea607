"""Decoding of messages into texts, times and labels; invalid ones are reported by id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any, NamedTuple, cast

from spectralleader.checks.states import one_of, part, take
from spectralleader.sources.files.columns import Columns, Wish, check_columns, choose
from spectralleader.sources.files.json_lines import (
    as_text,
    is_whole,
    list_paths,
    parse,
    reach,
    reach_text,
    read_fast,
)
from spectralleader.sources.files.problems import (
    BAD_TIME,
    BROKEN_JSON,
    NO_TEXT,
    NOT_TOKENS,
    UNDECODABLE,
)
from spectralleader.sources.files.reader import join_columns
from spectralleader.sources.files.text_block import TextBlock, message_block
from spectralleader.sources.files.times import parse_times
from spectralleader.sources.live.protocol import Fields, Json
from spectralleader.text.tokens import parse_tokens

KINDS = ("text", "json", "fields")  # a payload is one text, one JSON object, or named fields
Column = list[str | None]
Payloads = list[bytes] | list[Fields]


class Bad(NamedTuple):
    """The problem of one message."""

    at: int  # index of the message in its batch
    kind: str
    detail: str = ""


class Decoded(NamedTuple):
    """The valid messages of a batch as a block, and the problems of the others."""

    block: TextBlock
    places: Sequence[int]  # index in the batch of each document of the block, increasing
    bad: list[Bad]  # in order of the messages


class Shape(NamedTuple):
    """The format of messages; stored with the position, so that it is guessed only once."""

    kind: str
    columns: Columns

    def to_state(self) -> Json:
        """Return the shape as plain JSON."""
        found = self.columns._asdict()
        del found["keep"]  # columns passed through do not affect what is learned
        return {"kind": self.kind, **found, "text": list(self.columns.text)}

    @classmethod
    def from_state(cls, state: Any) -> Shape:
        """Return the shape that `to_state` described, after validation."""
        names = take(state, "text")
        others = take(state, "time"), take(state, "label")
        if not isinstance(names, list) or not names or not all(type(n) is str for n in names):
            raise ValueError("the text columns must be strings")
        if not all(type(name) in (str, type(None)) for name in others):
            raise ValueError("the time and label columns must be strings")
        tokens = take(state, "tokens")
        if type(tokens) is not bool:
            raise ValueError("tokens must be true or false")
        return cls(one_of(state, "kind", KINDS), Columns(tuple(names), *others, tokens=tokens))


def guess_shape(payloads: Payloads, wish: Wish, name: str) -> tuple[Shape, list[str]]:
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
    names = tuple(dict.fromkeys(path for entry in entries for path in list_paths(entry)))
    sample = {path: [as_text(find(entry, path)) for entry in entries] for path in names}
    columns, guesses = choose(wish, names, sample, name)
    if kind == "text":
        check_columns(columns, ("text",), name)
        guesses = [guess for guess in guesses if "from the column" not in guess]
        guesses = guesses or ["each message is a text"]
    return Shape(kind, columns), guesses


def is_hopeless(payloads: Payloads) -> bool:
    """Return whether all messages are invalid JSON, so that nothing can be guessed from them."""
    return all(
        isinstance(payload, bytes) and payload.lstrip()[:1] == b"{" and parse(payload) is None
        for payload in payloads
    )


def find(entry: dict[str, Any], name: str) -> Any:
    """Return the value of a key, or of a path such as payload.body."""
    return entry[name] if name in entry else reach(entry, name)


def entry_of(fields: Fields) -> dict[str, Any]:
    """Return fields as a dictionary; values that are JSON objects are parsed."""
    entry: dict[str, Any] = {}
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


class Decoder:
    """Decodes the messages of one source, which all have one format."""

    def __init__(self, shape: Shape, name: str) -> None:
        self._shape, self._name = shape, name
        self._wanted = shape.columns.wanted

    def decode(self, ids: list[str], payloads: Payloads) -> Decoded:
        """Return the valid messages as a block, and the problems of the others."""
        bad: list[Bad] = []
        columns, places = self._read(payloads, bad)
        texts, good = self._read_documents(columns, places, bad)
        if len(good) < len(places):
            chosen = set(good)
            kept = [place in chosen for place in places]
            columns = {name: list(compress(column, kept)) for name, column in columns.items()}
        places = good
        times = labels = None
        if (time := self._shape.columns.time) is not None:
            times = parse_times(columns[time])
            bad += [
                Bad(at, BAD_TIME) for at, found in zip(places, times, strict=True) if found is None
            ]
        if (label := self._shape.columns.label) is not None:
            labels = [value or None for value in columns[label]]
        good_ids = ids if len(places) == len(ids) else [ids[at] for at in places]
        block = message_block(texts, times, labels, good_ids, self._name)
        if self._shape.columns.keep:
            block = replace(block, kept={name: columns[name] for name in self._shape.columns.keep})
        return Decoded(block, places, sorted(bad))

    def _read(self, payloads: Payloads, bad: list[Bad]) -> tuple[dict[str, Column], Sequence[int]]:
        """Return the wanted columns of the readable messages, and their indices."""
        every = range(len(payloads))
        if self._shape.kind == "text":
            return self._read_text(cast("list[bytes]", payloads), bad)
        if self._shape.kind == "json":
            lines = cast("list[bytes]", payloads)
            fast = read_joined(lines, self._wanted)
            entries: Iterable[dict[str, Any] | None] = map(parse, lines)
        else:
            fields = cast("list[Fields]", payloads)
            fast = read_fields(fields, self._wanted)
            entries = (entry_of(one) if is_utf8(one) else None for one in fields)
        if fast is not None:
            return fast, every
        return self._read_entries(entries, payloads, bad)

    def _read_text(
        self, payloads: list[bytes], bad: list[Bad]
    ) -> tuple[dict[str, Column], Sequence[int]]:
        found = list(map(decode, payloads))
        bad += [Bad(at, UNDECODABLE) for at, text in enumerate(found) if text is None]
        texts: Column = [text.removesuffix("\r") for text in found if text is not None]
        places = [at for at, text in enumerate(found) if text is not None]
        return dict.fromkeys(self._wanted, texts), places

    def _read_entries(
        self, entries: Iterable[dict[str, Any] | None], payloads: Payloads, bad: list[Bad]
    ) -> tuple[dict[str, Column], Sequence[int]]:
        """Return the wanted columns of objects, read one by one."""
        columns: dict[str, Column] = {name: [] for name in self._wanted}
        places = []
        for at, (entry, payload) in enumerate(zip(entries, payloads, strict=True)):
            if entry is None:
                is_text = isinstance(payload, bytes) and decode(payload) is not None
                bad.append(Bad(at, BROKEN_JSON if is_text else UNDECODABLE))
                continue
            values = [as_text(find(entry, name)) for name in self._wanted]
            if not all(map(is_whole, values)):
                bad.append(Bad(at, UNDECODABLE, "half of a surrogate pair"))
                continue
            places.append(at)
            for name, value in zip(self._wanted, values, strict=True):
                columns[name].append(value)
        return columns, places

    def _read_documents(
        self, columns: dict[str, Column], places: Sequence[int], bad: list[Bad]
    ) -> tuple[list[Any], Sequence[int]]:
        """Return the documents, and the indices of their messages."""
        texts: list[Any] = join_columns([columns[name] for name in self._shape.columns.text])
        if self._shape.columns.tokens:
            texts = [parse_tokens(text) if text else "" for text in texts]
            good = list(map(bool, texts))
        else:
            good = [text != "" and not text.isspace() for text in texts]
        if all(good):
            return texts, places
        for at, text, is_good in zip(places, texts, good, strict=True):
            if not is_good:
                bad.append(Bad(at, NOT_TOKENS if text is None else NO_TEXT))
        return (
            list(compress(texts, good)),
            list(compress(places, good)),
        )


def read_joined(payloads: list[bytes], wanted: Sequence[str]) -> dict[str, Column] | None:
    """Return the wanted columns of JSON objects parsed in one call; None if any is invalid.

    Paths such as payload.body are resolved afterwards.
    """
    if not payloads:
        return {name: [] for name in wanted}
    data = b"\n".join(payloads)
    if data.count(b"\n") >= len(payloads):
        # JSON strings cannot contain a raw line feed, so replacing it does not change a message.
        data = b"\n".join(payload.replace(b"\n", b" ") for payload in payloads)
    names = dict.fromkeys(part for name in wanted for part in (name, name.partition(".")[0]))
    found = read_fast(data, list(names), len(payloads))
    if found is None:
        return None
    columns = dict(zip(names, found, strict=True))
    return {name: _reached(columns, name) for name in wanted}


def _reached(columns: dict[str, Column], name: str) -> Column:
    top = name.partition(".")[0]
    if top == name:
        return columns[name]
    return [
        reach_text(outer, name) if whole is None else whole
        for whole, outer in zip(columns[name], columns[top], strict=True)
    ]


def read_fields(payloads: list[Fields], wanted: Sequence[str]) -> dict[str, Column] | None:
    """Return the wanted fields and paths as columns; None if they must be read one by one."""
    columns = {}
    for name in wanted:
        top, _, inner = name.partition(".")
        values = read_field(payloads, top.encode())
        if values is None:
            return None
        if inner:
            reached = read_joined(values, [inner])
            if reached is None:
                return None
            columns[name] = reached[inner]
        else:
            try:
                columns[name] = [value.decode() for value in values]
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


def read_position(position: Any, kind: str) -> tuple[Json, Shape]:
    """Return the source's own position and the message format, after validation."""
    found = take(position, "kind")
    if found != kind:
        raise ValueError(f"the position belongs to a {found!r:.40} source, not to a {kind!r} one")
    return take(position, "at"), Shape.from_state(part(position, "read"))
