"""The container: a state as bytes, and bytes that nobody vouches for as a state.

A file is a fixed start (what it is, sizes, a digest of the rest), a header in JSON and the arrays'
bytes end to end. The header has the kind of thing, versions, and its state, in which each array
stands as its place among the bytes. Nothing is compressed, and no two arrays share bytes: what a
file can ask for in memory is its own size.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import stat
import struct
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from spectralleader.errors import StorageError

MAGIC = b"spectralleader\r\n"  # the line end shows whether a file was changed on its way
START = struct.Struct("<16sQQ32s")  # magic, bytes of header and of arrays, their SHA-256
ALIGNMENT = 64  # bytes
DTYPES = ("<f8", "<f4", "<i8", "<i4", "|u1")
MAX_SIZE = 2**48  # of an array along an axis
MAX_DIMENSIONS = 4
ARRAY, FLOAT = "$array", "$float"  # keys of what JSON cannot say
FLOATS = ("inf", "-inf", "nan")


def pack(header: dict[str, Any]) -> bytes:
    """Return a file's content: a header with arrays anywhere in it, sealed."""
    arrays = _Arrays()
    text = json.dumps(arrays.take_out(header), allow_nan=False).encode()
    return seal(text, b"".join(arrays.parts))


def seal(text: bytes, data: bytes) -> bytes:
    """Return header and arrays with what stands before them: sizes and digest."""
    text += b" " * (-len(text) % ALIGNMENT)
    digest = hashlib.sha256(text + data).digest()
    return START.pack(MAGIC, len(text), len(data), digest) + text + data


def unpack(content: bytearray) -> dict[str, Any]:
    """Return the header that `pack` was given; its arrays share the content's memory.

    Raises
    ------
    StorageError
        If the content is none of ours, not whole or not what was saved.
    ValueError
        If it was sealed, and not by `pack`.
    """
    if not content.startswith(MAGIC) or len(content) < START.size:
        raise StorageError("was not saved by spectralleader")
    _, n_header, n_data, digest = START.unpack_from(content)
    if len(content) != START.size + n_header + n_data:
        raise StorageError("is cut short or has something after its end")
    body = memoryview(content)[START.size :]
    if hashlib.sha256(body).digest() != digest:
        raise StorageError("is damaged: it is not what was saved")
    if n_header % ALIGNMENT:
        raise ValueError(f"the header must fill up {ALIGNMENT} bytes, has {n_header}")
    arrays = _Bytes(body[n_header:])
    header: dict[str, Any] = arrays.put_back(parse(str(body[:n_header], "utf-8")))
    if arrays.end != n_data:
        raise ValueError(f"{n_data - arrays.end} bytes after the last array belong to nothing")
    return header


def parse(text: str) -> dict[str, Any]:
    """Return what JSON says, if it says it once and is a table."""
    try:
        header = json.loads(text, object_pairs_hook=_once, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("the header is nested too deeply") from None
    if not isinstance(header, dict):
        raise ValueError(f"the header must be a table of names and values, got {header!r:.60}")
    return header


def read(path: Path) -> bytearray:
    """Return a file's content, if it begins as ours do; of another no more is read than that."""
    try:
        with open(path, "rb", opener=_open) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise StorageError(f"cannot read {path}: it is no ordinary file")
            start = file.read(START.size)
            if not start.startswith(MAGIC):
                raise StorageError(f"{path} was not saved by spectralleader")
            content = bytearray(os.fstat(file.fileno()).st_size)
            content[: len(start)] = start
            n = len(start) + file.readinto(memoryview(content)[len(start) :])
            del content[n:]
            return content
    except (OSError, MemoryError) as error:
        said = getattr(error, "strerror", None) or "it does not fit into memory"
        raise StorageError(f"cannot read {path}: {said}") from error


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # a pipe is not waited for


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("the header has a name twice")
    return found


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"the header has a {constant}")


class _Arrays:
    """Arrays taken out of a state, end to end, each at a multiple of 64 bytes."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def take_out(self, value: Any) -> Any:
        """Return a state as JSON can say it: an array is [dtype, shape, offset]."""
        if isinstance(value, dict):
            return {name: self.take_out(part) for name, part in value.items()}
        if isinstance(value, list | tuple):
            return [self.take_out(part) for part in value]
        if isinstance(value, np.ndarray):
            return {ARRAY: self._add(value)}
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, float) and not math.isfinite(value):
            return {FLOAT: str(value)}
        return value

    def _add(self, array: np.ndarray[Any, Any]) -> list[Any]:
        dtype = array.dtype.newbyteorder("<").str
        if dtype not in DTYPES:
            raise TypeError(f"arrays of {array.dtype} are not saved")
        data = np.ascontiguousarray(array, dtype).tobytes()
        place = self.size
        self.parts += [data, bytes(-len(data) % ALIGNMENT)]
        self.size += len(data) + len(self.parts[-1])
        return [dtype, list(array.shape), place]


class _Bytes:
    """Bytes from which arrays are taken in turn: each begins where the last one ended."""

    def __init__(self, data: memoryview) -> None:
        self.data = data
        self.end = 0

    def put_back(self, value: Any) -> Any:
        """Return the state that `take_out` was given; arrays can be written to."""
        if isinstance(value, list):
            return [self.put_back(part) for part in value]
        if not isinstance(value, dict):
            return value
        if FLOAT in value:
            return _as_float(value)
        if ARRAY in value:
            return self._next(value)
        return {name: self.put_back(part) for name, part in value.items()}

    def _next(self, value: dict[str, Any]) -> np.ndarray[Any, Any]:
        said = value[ARRAY]
        if len(value) != 1 or not isinstance(said, list) or len(said) != 3:
            raise ValueError(f"no such array: {value!r:.60}")
        dtype, shape, offset = said
        if dtype not in DTYPES or not _is_shape(shape) or type(offset) is not int:
            raise ValueError(f"no such array: {said!r:.60}")
        size = math.prod(shape) * np.dtype(dtype).itemsize
        if offset != self.end or size > len(self.data) - offset:
            raise ValueError(f"an array of {size} bytes is not among {len(self.data)}")
        self.end += size + -size % ALIGNMENT
        if size == 0:
            return np.empty(shape, dtype)
        return np.frombuffer(self.data, dtype, math.prod(shape), offset).reshape(shape)


def _is_shape(shape: Any) -> bool:
    return (
        isinstance(shape, list)
        and len(shape) <= MAX_DIMENSIONS
        and all(type(n) is int and 0 <= n < MAX_SIZE for n in shape)
    )


def _as_float(value: dict[str, Any]) -> float:
    if len(value) != 1 or value[FLOAT] not in FLOATS:
        raise ValueError(f"no such number: {value!r:.60}")
    return float(value[FLOAT])
