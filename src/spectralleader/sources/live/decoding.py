"""Decoding: from messages to texts, times and labels; bad messages are counted with their ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from spectralleader.checks.states import one_of, part, take
from spectralleader.sources.files.columns import Columns, Wish, check_columns, choose
from spectralleader.sources.files.json_lines import (
    as_text,
    is_whole,
    list_paths,
    parse,
    reach,
    read_fast,
)
from spectralleader.sources.files.problems import (
    BAD_TIME,
    BROKEN_JSON,
    NO_TEXT,
    NOT_TOKENS,
    UNDECODABLE,
    Problems,
)
from spectralleader.sources.files.text_block import TextBlock, message_block
from spectralleader.sources.files.times import parse_times
from spectralleader.sources.live.protocol import Fields, Json, Message
from spectralleader.text.tokens import parse_tokens

KINDS = ("text", "json", "fields")  # a payload is one text, one JSON object, or named fields
Column = list[str | None]


class Shape(NamedTuple):
    """What messages look like: stored with the position, so that it is guessed once only."""

    kind: str
    columns: Columns

    def to_state(self) -> Json:
        """Return the shape as plain JSON."""
        found = self.columns._asdict()
        del found["keep"]  # what is handed on decides nothing
        return {"kind": self.kind, **found, "text": list(self.columns.text)}

    @classmethod
    def from_state(cls, state: Any) -> Shape:
        """Rebuild what `to_state` described, checked."""
        names = take(state, "text")
        others = take(state, "time"), take(state, "label")
        if not isinstance(names, list) or not names or not all(type(n) is str for n in names):
            raise ValueError("the columns of the text must be names")
        if not all(type(name) in (str, type(None)) for name in others):
            raise ValueError("the columns of time and label must be names")
        tokens = take(state, "tokens")
        if type(tokens) is not bool:
            raise ValueError("tokens must be true or false")
        return cls(one_of(state, "kind", KINDS), Columns(tuple(names), *others, tokens=tokens))


def guess_shape(messages: Sequence[Message], wish: Wish, name: str) -> tuple[Shape, list[str]]:
    """Return the shape of messages, going by some of them, and in words what was guessed."""
    payloads = [message.payload for message in messages]
    if isinstance(payloads[0], dict):
        entries = [entry_of(payload) for payload in payloads if isinstance(payload, dict)]
        kind = "fields"
    else:
        found = [parse(payload) for payload in payloads if isinstance(payload, bytes)]
        entries = [entry for entry in found if entry is not None]
        kind = "json" if entries else "text"
    if kind == "text":
        entries = [{"text": decode(payload) or ""} for payload in payloads]  # type: ignore[arg-type]
    names = tuple(dict.fromkeys(path for entry in entries for path in list_paths(entry)))
    sample = {path: [as_text(find(entry, path)) for entry in entries] for path in names}
    columns, guesses = choose(wish, names, sample, name)
    if kind == "text":
        check_columns(columns, ("text",), name)
        guesses = [guess for guess in guesses if "from the column" not in guess]
        guesses = guesses or ["each message is a text"]
    return Shape(kind, columns), guesses


def find(entry: dict[str, Any], name: str) -> Any:
    """Return the value of a key, or of a path such as payload.body."""
    return entry[name] if name in entry else reach(entry, name)


def entry_of(fields: Fields) -> dict[str, Any]:
    """Return fields as an object; those that hold JSON objects can be reached into."""
    entry: dict[str, Any] = {}
    for name, value in fields.items():
        inner = parse(value) if value[:1] == b"{" else None
        entry[name] = (decode(value) or "") if inner is None else inner
    return entry


def decode(payload: bytes) -> str | None:
    """Return bytes as text, None if they are not UTF-8."""
    try:
        return payload.decode()
    except UnicodeDecodeError:
        return None


class Decoder:
    """Makes a block of the messages of one source, all of one shape."""

    def __init__(self, shape: Shape, name: str, problems: Problems) -> None:
        self._shape, self._name, self._problems = shape, name, problems
        self._wanted = shape.columns.wanted

    def block(self, messages: Sequence[Message]) -> TextBlock:
        """Return the good messages as a block; the others are counted with their ids."""
        read = {"text": self._read_text, "json": self._read_json, "fields": self._read_fields}
        fields, ids = read[self._shape.kind](messages)
        columns = dict(zip(self._wanted, fields, strict=True))
        texts, good = self._read_documents(columns, ids)
        times = labels = None
        if (time := self._shape.columns.time) is not None:
            times = parse_times([columns[time][i] for i in good])
            for i, found in zip(good, times, strict=True):
                if found is None:
                    self._report(BAD_TIME, ids[i])
        if (label := self._shape.columns.label) is not None:
            labels = [columns[label][i] or None for i in good]
        block = message_block(texts, times, labels, [ids[i] for i in good], self._name)
        names = self._shape.columns.keep
        return replace(block, kept={name: [columns[name][i] for i in good] for name in names})

    def _read_documents(
        self, columns: dict[str, Column], ids: list[str]
    ) -> tuple[list[Any], list[int]]:
        """Return the documents, and which of the messages they are."""
        names = self._shape.columns.text
        texts: list[Any] = [
            " ".join(filter(None, values))
            for values in zip(*(columns[name] for name in names), strict=True)
        ]
        if self._shape.columns.tokens:
            texts = [parse_tokens(text) if text else "" for text in texts]
        documents, good = [], []
        for i, text in enumerate(texts):
            if not text or (isinstance(text, str) and text.isspace()):
                self._report(NOT_TOKENS if text is None else NO_TEXT, ids[i])
            else:
                documents.append(text)
                good.append(i)
        return documents, good

    def _read_text(self, messages: Sequence[Message]) -> tuple[list[Column], list[str]]:
        texts, ids = [], []
        for message in messages:
            text = decode(message.payload) if isinstance(message.payload, bytes) else None
            if text is None:
                self._report(UNDECODABLE, message.id)
            else:
                texts.append(text.removesuffix("\r"))
                ids.append(message.id)
        return [list(texts) for _ in self._wanted], ids

    def _read_json(self, messages: Sequence[Message]) -> tuple[list[Column], list[str]]:
        # a line feed is no part of a JSON string: messages may be joined, one per line
        lines = [message.payload.replace(b"\n", b" ") for message in messages]  # type: ignore[union-attr]
        if not any("." in name for name in self._wanted):  # polars reads keys, not paths
            fast = read_fast(b"\n".join(lines), self._wanted, len(lines)) if lines else None
            if fast is not None:
                return fast, [message.id for message in messages]
        entries = map(parse, lines)
        return self._read_entries(entries, messages)

    def _read_fields(self, messages: Sequence[Message]) -> tuple[list[Column], list[str]]:
        if not any("." in name for name in self._wanted):
            try:
                fields: list[Column] = [
                    [_text_of(message.payload.get(name)) for message in messages]  # type: ignore[union-attr]
                    for name in self._wanted
                ]
                return fields, [message.id for message in messages]
            except UnicodeDecodeError:
                pass
        entries = (
            entry_of(payload) if _is_utf8(payload) else None
            for payload in (message.payload for message in messages)
            if isinstance(payload, dict)
        )
        return self._read_entries(entries, messages)

    def _read_entries(
        self, entries: Any, messages: Sequence[Message]
    ) -> tuple[list[Column], list[str]]:
        """Return the wanted values of objects, one by one."""
        fields: list[Column] = [[] for _ in self._wanted]
        ids = []
        for entry, message in zip(entries, messages, strict=True):
            if entry is None:
                broken = self._shape.kind == "json" and decode(message.payload) is not None  # type: ignore[arg-type]
                self._report(BROKEN_JSON if broken else UNDECODABLE, message.id)
                continue
            found = [as_text(find(entry, name)) for name in self._wanted]
            if not all(map(is_whole, found)):
                self._report(UNDECODABLE, message.id, "half of a surrogate pair")
                continue
            ids.append(message.id)
            for column, value in zip(fields, found, strict=True):
                column.append(value)
        return fields, ids

    def _report(self, kind: str, id: str, detail: str = "") -> None:
        self._problems.add_at(kind, f"{self._name} message {id}", detail)


def _text_of(value: bytes | None) -> str | None:
    return None if value is None else value.decode()


def _is_utf8(fields: Fields) -> bool:
    return all(decode(value) is not None for value in fields.values())


def read_position(position: Any, kind: str) -> tuple[Json, Shape]:
    """Return what a source stored, and the shape of its messages; checked."""
    found = take(position, "kind")
    if found != kind:
        raise ValueError(f"the position is one in a source of the kind {found!r:.40}, not {kind!r}")
    return take(position, "at"), Shape.from_state(part(position, "read"))
