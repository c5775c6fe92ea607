"""Storage: things saved in one file and loaded from it; no code is ever in it.

A file is a fixed start (what it is, sizes, a digest of the rest), a header in JSON and the arrays'
bytes end to end. The header has the kind of thing, versions, and its state, in which each array
stands as its place among the bytes. Nothing is compressed: what a file can ask for in memory is its
own size.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import struct
import tempfile
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np

from spectralleader import __version__
from spectralleader.batched import Batched
from spectralleader.documents import Documents
from spectralleader.errors import StorageError
from spectralleader.learners.registry import STORED
from spectralleader.model import TopicModel
from spectralleader.samples import SAMPLES
from spectralleader.streams.text.vocabulary import VOCABULARIES
from spectralleader.text_topics import TextTopics

MAGIC = b"spectralleader\r\n"  # the line end shows whether a file was changed on its way
START = struct.Struct("<16sQQ32s")  # magic, bytes of header and of arrays, their SHA-256
FORMAT = 1  # raised when the header's or a state's meaning changes
ALIGNMENT = 64  # bytes
DTYPES = ("<f8", "<i8", "<i4", "|u1", "|b1")
ARRAY, FLOAT = "$array", "$float"  # keys of what JSON cannot say


class Storable(Protocol):
    """What can be saved: anything that is its state."""

    def to_state(self) -> dict[str, Any]:
        """Return all there is to it, as arrays and plain values."""

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Rebuild what `to_state` described."""


KINDS: dict[str, type[Storable]] = {
    "text-topics": TextTopics,
    "batched": Batched,
    "model": TopicModel,
    "documents": Documents,
    **{f"learner/{name}": entry.learner for name, entry in STORED.items()},
    **{f"vocabulary/{name}": vocabulary for name, vocabulary in VOCABULARIES.items()},
    **{f"sample/{name}": sample for name, sample in SAMPLES.items()},
}


def save(thing: Any, path: str | os.PathLike[str]) -> Path:
    """Write a `TextTopics`, learner, model, vocabulary, sample or documents to a file.

    The old file is there until the new one is whole.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save(TopicModel([1.0], [[0.5, 0.5]]), f"{folder}/my.model")
    ...     load(path)
    TopicModel(n_topics=1, n_words=2)
    """
    kind = next((name for name, cls in KINDS.items() if type(thing) is cls), None)
    if kind is None:
        raise TypeError(f"a {type(thing).__name__} cannot be saved; known are {', '.join(KINDS)}")
    arrays = Arrays()
    header = {
        "format": FORMAT,
        "kind": kind,
        "library": __version__,
        "state": arrays.take_out(thing.to_state()),
    }
    text = json.dumps(header, allow_nan=False).encode()
    text += b" " * (-(START.size + len(text)) % ALIGNMENT)
    body = text + b"".join(arrays.parts)
    digest = hashlib.sha256(body).digest()
    start = START.pack(MAGIC, len(text), len(body) - len(text), digest)
    return _write(Path(path), start + body)


def load(path: str | os.PathLike[str]) -> Any:
    """Return what was saved in a file.

    Raises
    ------
    StorageError
        If the file is not there, is none of ours, is damaged, or is of a newer version.
    """
    text, data = _open(Path(path))
    try:
        header = json.loads(text)
        found, kind = header["format"], header["kind"]
        if found > FORMAT:
            raise StorageError(
                f"{path} has format {found}, spectralleader {__version__} reads up to {FORMAT}; "
                f"it was written by {header.get('library')}: install that or a newer one"
            )
        if kind not in KINDS:
            raise StorageError(f"{path} holds a {kind!r}, which nobody here knows")
        return KINDS[kind].from_state(_put_back(header["state"], data))
    except StorageError:
        raise
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise StorageError(f"{path} is damaged: {error!r:.200}") from error


def check_target(path: str | os.PathLike[str]) -> Path:
    """Return a path that a file can be saved to, as far as one can tell before doing it."""
    path = Path(path)
    if path.is_dir():
        raise StorageError(f"cannot save to {path}: it is a folder; name a file in it")
    if path.exists() and not path.is_file():  # a device or pipe would be replaced by a file
        raise StorageError(f"cannot save to {path}: it is no ordinary file")
    if not path.absolute().parent.is_dir():
        raise StorageError(f"cannot save to {path}: there is no folder {path.parent}")
    if not os.access(path.absolute().parent, os.W_OK):
        raise StorageError(f"cannot save to {path}: the folder cannot be written to")
    return path


class Arrays:
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


def _put_back(value: Any, data: bytearray) -> Any:
    """Return the state that `Arrays.take_out` was given; arrays can be written to."""
    if isinstance(value, list):
        return [_put_back(part, data) for part in value]
    if not isinstance(value, dict):
        return value
    if FLOAT in value:
        return float(value[FLOAT])
    if ARRAY not in value:
        return {name: _put_back(part, data) for name, part in value.items()}
    dtype, shape, offset = value[ARRAY]
    if dtype not in DTYPES or not all(isinstance(n, int) and n >= 0 for n in (*shape, offset)):
        raise ValueError(f"no such array: {value[ARRAY]!r:.60}")
    return np.frombuffer(data, dtype, math.prod(shape), offset).reshape(shape)


def _open(path: Path) -> tuple[str, bytearray]:
    """Return a whole file's header and arrays, its digest checked."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror or error}") from error
    if not content.startswith(MAGIC) or len(content) < START.size:
        raise StorageError(f"{path} was not saved by spectralleader")
    _, n_header, n_data, digest = START.unpack_from(content)
    if len(content) != START.size + n_header + n_data:
        raise StorageError(f"{path} is cut short or has something after its end")
    body = memoryview(content)[START.size :]
    if hashlib.sha256(body).digest() != digest:
        raise StorageError(f"{path} is damaged: it is not what was saved")
    try:
        return str(body[:n_header], "utf-8"), bytearray(body[n_header:])
    except UnicodeDecodeError as error:
        raise StorageError(f"{path} is damaged: {error}") from error


def _write(path: Path, content: bytes) -> Path:
    """Put a file in its place at once: written beside it, then renamed."""
    target = check_target(path).resolve()  # a link stays a link
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise StorageError(f"cannot save to {path}: {error.strerror}") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, target)
    except BaseException as error:  # Ctrl-C too leaves nothing behind
        Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise StorageError(f"cannot save to {path}: {error.strerror}") from error
        raise
    return path


def _umask() -> int:
    """Return the permissions that new files do not get; temporary files are private."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
