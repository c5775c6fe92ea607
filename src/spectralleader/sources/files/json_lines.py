"""JSON lines: one object per line, each decoded once by msgspec.

A value stays the JSON that was sent (`msgspec.Raw`) until it is needed. Broker messages and the
inbox of the service are read by the same functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import attrgetter, methodcaller
from typing import Any

import msgspec
import numpy as np

from spectralleader.sources.files.byte_stream import ByteStream
from spectralleader.sources.files.problems import BROKEN_JSON, UNDECODABLE
from spectralleader.sources.files.table import N_SAMPLE, Column, Log, Records, Table
from spectralleader.text.tokens import parse_tokens

Entry = dict[str, msgspec.Raw]  # a JSON object
# Decoders reject NaN, control characters in strings, and escaped halves of surrogate pairs.
decode_object = msgspec.json.Decoder(Entry).decode
decode_string = msgspec.json.Decoder(str).decode
INVALID = (ValueError, RecursionError)  # msgspec's errors and UnicodeDecodeError are ValueErrors
BYTE_ORDER_MARK = "\ufeff"
QUOTE = ord('"')
MAX_KEYS = 32  # of an object that is decoded as a structure, whose class takes time to define


class JsonLines(Table):
    """An open file of JSON lines; columns are the keys of its first objects."""

    def __init__(self, source: ByteStream) -> None:
        super().__init__(source)
        if source.first.lstrip().startswith(b"["):
            raise ValueError(
                f"{source.name} begins like a JSON array; convert it to one object per line, for "
                "example with `jq -c '.[]'`"
            )
        lines = source.first.split(b"\n")[:N_SAMPLE]
        self.columns = list_columns(lines)
        if not self.columns:
            n = sum(map(bool, map(bytes.strip, lines)))
            raise ValueError(
                f"{source.name} is not JSON lines: none of its first {n} lines is an object with "
                'a key, such as {"text": "..."}; name its format, as in --format text'
            )
        self.sample = read_objects(enumerate(lines), self.columns, lambda *_: None).columns

    def records(self, wanted: Sequence[str], log: Log) -> Iterator[Records]:
        """Yield the wanted keys of every object; missing ones are None."""
        for lines, first, start in self._pieces():
            numbered = enumerate(lines, first)
            objects = ((number, line) for number, line in numbered if line and not line.isspace())
            yield read_objects(objects, wanted, log)._replace(start=start)


def list_columns(lines: Iterable[bytes]) -> tuple[str, ...]:
    """Return the keys and paths of the lines or messages that are objects."""
    entries = filter(None, map(parse, lines))
    return tuple(dict.fromkeys(path for entry in entries for path in list_paths(entry)))


def list_paths(entry: Entry, depth: int = 3) -> Iterator[str]:
    """Yield the keys of an object, and paths such as payload.body into nested objects."""
    for key, value in entry.items():
        yield key
        inner = parse(value) if depth else None
        # An object of counts is a document, whose words are no columns.
        if inner is not None and parse_tokens(bytes(value).decode(errors="replace")) is None:
            yield from (f"{key}.{path}" for path in list_paths(inner, depth - 1))


def read_objects(numbered: Iterable[tuple[int, bytes]], wanted: Sequence[str], log: Log) -> Records:
    """Return the wanted keys and paths of JSON objects with their numbers; log invalid ones."""
    # The outermost key of a path is decoded with the others; the rest of it only where needed.
    tops = {name: name.partition(".")[0] for name in wanted if "." in name}
    decode, getters = decoder_of((*wanted, *tops.values()))
    objects, numbers = [], []
    for number, line in numbered:
        try:
            objects.append(decode(line.decode().removeprefix(BYTE_ORDER_MARK)))
            numbers.append(number)
        except INVALID as error:
            log(kind_of(error), number)
    fields = {name: as_texts(list(map(getters[name], objects))) for name in wanted}
    for name, top in tops.items():  # a key with the name of the path comes first
        path = name.removeprefix(f"{top}.")
        fields[name] = [
            reach_text(value, path) if text is None else text
            for text, value in zip(fields[name], map(getters[top], objects), strict=True)
        ]
    return Records(fields, np.array(numbers, np.int64))


@lru_cache
def decoder_of(
    keys: tuple[str, ...],
) -> tuple[Callable[[Any], Any], dict[str, Callable[[Any], Any]]]:
    """Return a decoder of objects that skips other keys, and a function to get each key.

    A structure takes half the time of a dictionary, but msgspec allows no key in it that JSON must
    escape.
    """
    if len(keys) > MAX_KEYS or any(msgspec.json.encode(key) != f'"{key}"'.encode() for key in keys):
        return decode_object, {key: methodcaller("get", key) for key in keys}
    names = {key: f"key{i}" for i, key in enumerate(dict.fromkeys(keys))}
    fields = [(name, msgspec.Raw, None) for name in names.values()]
    renamed = {name: key for key, name in names.items()}
    structure = msgspec.defstruct("Object", fields, rename=renamed, gc=False)
    decode = msgspec.json.Decoder(structure).decode
    return decode, {key: attrgetter(name) for key, name in names.items()}


def kind_of(error: Exception) -> str:
    """Return the kind of problem that a decoder raised."""
    return UNDECODABLE if isinstance(error, UnicodeDecodeError) else BROKEN_JSON


def parse(value: bytes | msgspec.Raw) -> Entry | None:
    """Return the object that a value is, or None if it is not a JSON object."""
    try:
        return decode_object(value)
    except INVALID:
        return None


def reach_text(value: bytes | msgspec.Raw | None, path: str) -> str | None:
    """Return the value at a path of keys as text, None if it does not exist.

    An object that is invalid JSON, as in a field of a message, raises one of `INVALID`.
    """
    for key in path.split("."):
        if value is None or not bytes(value).lstrip().startswith(b"{"):
            return None
        decode, getters = decoder_of((key,))
        value = getters[key](decode(value))
    return as_text(value)


def as_texts(values: list[msgspec.Raw | None]) -> Column:
    """Return `as_text` of values; a column of strings takes a third of the time."""
    try:
        return list(map(decode_string, values))  # type: ignore[arg-type]  # None is refused
    except (ValueError, TypeError):
        return [as_text(value) for value in values]


def as_text(value: bytes | msgspec.Raw | None) -> str | None:
    """Return a JSON string decoded, null as None, and any other value as the JSON that was sent.

    Numbers with an exponent are written as Python writes them, so that 1.7e9 is a time; one that
    exceeds all floats is a missing value.
    """
    if value is None:
        return None
    sent = bytes(value)
    if sent[0] == QUOTE:
        return decode_string(sent)
    if sent == b"null":
        return None
    text = sent.decode()
    # Most numbers stay as they were sent: 2.50 as a label is not 2.5.
    if text[0] in "-0123456789" and "e" in text.lower():
        return repr(number) if math.isfinite(number := float(text)) else None
    return text
