"""The container format: a state as bytes, and a state from untrusted bytes.

A file is a fixed-size preamble (magic, sizes, SHA-256 of the rest), a JSON header, and the bytes of
all arrays. The header holds the kind of object, versions and the state, in which each array is
replaced by its dtype, shape and offset. Nothing is compressed and no two arrays share bytes, so a
file cannot request more memory than its own size.
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

MAGIC = b"spectralleader\r\n"  # "\r\n" reveals a transfer that converts line ends, as in PNG
START = struct.Struct("<16sQQ32s")  # magic, bytes of header and of arrays, their SHA-256
ALIGNMENT = 64  # bytes: of a cache line, so that arrays are aligned without a copy
DTYPES = ("<f8", "<f4", "<i8", "<i4", "|u1")
MAX_SIZE = 2**48  # largest size of an axis
MAX_DIMENSIONS = 4
ARRAY, FLOAT = "$array", "$float"  # keys for values that JSON cannot represent
FLOATS = ("inf", "-inf", "nan")


def pack(header: dict[str, Any]) -> bytes:
    """Return the content of a file for a header that may contain arrays at any depth."""
    arrays = _Arrays()
    text = json.dumps(arrays.take_out(header), allow_nan=False).encode()
    return seal(text, b"".join(arrays.parts))


def seal(text: bytes, data: bytes) -> bytes:
    """Return the header and the arrays behind a preamble with sizes and digest."""
    # Spaces after JSON are no part of it, and align the arrays.
    text += b" " * (-len(text) % ALIGNMENT)
    digest = hashlib.sha256(text + data).digest()
    return START.pack(MAGIC, len(text), len(data), digest) + text + data


def unpack(content: bytearray) -> dict[str, Any]:
    """Return the header that `pack` was given; its arrays share the content's memory.

    Raises
    ------
    StorageError
        If the content was not saved by this library, is truncated, or fails its checksum.
    ValueError
        If the checksum is right but the content is not what `pack` produces.
    """
    n_header, n_data, digest = read_start(content, len(content))
    body = memoryview(content)[START.size :]
    if hashlib.sha256(body).digest() != digest:
        raise StorageError("is damaged: its checksum is wrong")
    if n_header % ALIGNMENT:
        raise ValueError(f"the header must be a multiple of {ALIGNMENT} bytes, has {n_header}")
    arrays = _Bytes(body[n_header:])
    header: dict[str, Any] = arrays.put_back(parse(str(body[:n_header], "utf-8")))
    if arrays.end != n_data:
        raise ValueError(f"{n_data - arrays.end} bytes follow the last array")
    return header


def read_start(content: bytes | bytearray, size: int) -> tuple[int, int, bytes]:
    """Return the sizes and the digest in the preamble of a file of `size` bytes."""
    if not content.startswith(MAGIC) or len(content) < START.size:
        raise StorageError("was not saved by spectralleader")
    _, n_header, n_data, digest = START.unpack_from(content)
    if size != START.size + n_header + n_data:
        raise StorageError("is truncated or has trailing bytes")
    return n_header, n_data, digest


def parse(text: str) -> dict[str, Any]:
    """Return a JSON object; duplicate names, NaN and infinities are rejected."""
    try:
        header = json.loads(text, object_pairs_hook=_once, parse_constant=_refuse)
    # Depth is the one limit that Python sets by an error of another kind.
    except RecursionError:
        raise ValueError("the header is nested too deeply") from None
    if not isinstance(header, dict):
        raise ValueError(f"the header must be a JSON object, got {header!r:.60}")
    return header


def read(path: Path) -> bytearray:
    """Return the content of a file; only the preamble is read if it is not that of the file."""
    try:
        with open(path, "rb", opener=_open) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise StorageError(f"cannot read {path}: it is not a regular file")
            start = file.read(START.size)
            size = os.fstat(file.fileno()).st_size
            try:
                read_start(start, size)
            except StorageError as error:
                raise StorageError(f"{path} {error}") from None
            # Writable, so that the arrays can share this memory without a copy.
            content = bytearray(size)
            content[: len(start)] = start
            n = len(start) + file.readinto(memoryview(content)[len(start) :])
            # The file may have shrunk since its size was read.
            del content[n:]
            return content
    except (OSError, MemoryError) as error:
        reason = getattr(error, "strerror", None) or "it does not fit into memory"
        raise StorageError(f"cannot read {path}: {reason}") from error


def _open(path: str, flags: int) -> int:
    # Without O_NONBLOCK, opening a named pipe would wait for a writer.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("the header has a duplicate name")
    return found


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"the header contains {constant}")


class _Arrays:
    """The arrays of a state, concatenated, each aligned to `ALIGNMENT` bytes."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def take_out(self, value: Any) -> Any:
        """Return a state that JSON can represent; an array becomes [dtype, shape, offset]."""
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
            raise TypeError(f"arrays of dtype {array.dtype} cannot be saved")
        data = np.ascontiguousarray(array, dtype).tobytes()
        place = self.size
        self.parts += [data, bytes(-len(data) % ALIGNMENT)]
        self.size += len(data) + len(self.parts[-1])
        return [dtype, list(array.shape), place]


class _Bytes:
    """Bytes from which arrays are read in order: each must start where the last one ended."""

    def __init__(self, data: memoryview) -> None:
        self.data = data
        self.end = 0

    def put_back(self, value: Any) -> Any:
        """Return the state that `take_out` was given, with writable arrays."""
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
        place = value[ARRAY]
        if len(value) != 1 or not isinstance(place, list) or len(place) != 3:
            raise ValueError(f"invalid array: {value!r:.60}")
        dtype, shape, offset = place
        if dtype not in DTYPES or not _is_shape(shape) or type(offset) is not int:
            raise ValueError(f"invalid array: {place!r:.60}")
        size = math.prod(shape) * np.dtype(dtype).itemsize
        # Arrays in order and without gaps: none can be counted twice, so a file cannot claim more.
        if offset != self.end or size > len(self.data) - offset:
            raise ValueError(
                f"an array of {size} bytes at offset {offset} does not fit the {len(self.data)}"
            )
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
        raise ValueError(f"invalid number: {value!r:.60}")
    return float(value[FLOAT])
