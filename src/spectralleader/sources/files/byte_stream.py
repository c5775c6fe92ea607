"""ByteStream: the decompressed bytes of a file or pipe, in pieces of at least one record."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import select
import stat
import sys
import zlib
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NamedTuple

from spectralleader.errors import missing_extra
from spectralleader.runtime.interrupts import raise_if_interrupted

WAIT = 0.2  # seconds between polls of a silent pipe, in which signals are handled
CHUNK = 2**20  # bytes per read
MAX_RECORD = 2**26  # bytes of one record, 64 MiB: bounds memory on files without line ends
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
UTF8_MARK = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
# The package has the interface that the standard library has from Python 3.14 on.
ZSTD_MODULE = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
Damages = tuple[type[Exception], ...]  # what a decompressor raises


class PieceStart(NamedTuple):
    """The start of a piece of a file, at the beginning of a record."""

    offset: int  # in bytes
    line: int  # number of the line, from 1


def check_path(name: str) -> None:
    """Raise unless a path is a file; "-" is standard input."""
    path = Path(name)
    if name == "-":
        return
    if path.is_dir():
        raise ValueError(f"{name} is a folder; name the files in it")
    if not path.exists():
        raise ValueError(f"{name} does not exist")


def check_encoding(encoding: str | None) -> str | None:
    """Return Python's canonical name of a text encoding, or None for UTF-8.

    Examples
    --------
    >>> check_encoding("Latin1"), check_encoding("UTF8"), check_encoding(None)
    ('iso8859-1', None, None)
    """
    name = encoding or "utf-8"
    try:
        "a".encode(name)  # refuses codecs that are not text, such as hex
        codecs.getincrementaldecoder(name)
    except (LookupError, ValueError):
        raise ValueError(
            f"unknown text encoding {encoding!r}; common ones are utf-8, latin-1, cp1252, utf-16, "
            "gb18030, shift_jis"
        ) from None
    canonical = codecs.lookup(name).name
    return None if canonical == "utf-8" else canonical


def decompress(raw: IO[bytes], name: str) -> tuple[Any, Damages]:
    """Return a stream of decompressed bytes, and what it raises if they are damaged.

    gzip and zstd are recognised by their magic bytes.
    """
    first = raw.peek(4)[:4]  # type: ignore[attr-defined]  # a BufferedReader
    if first.startswith(GZIP):
        return gzip.open(raw, "rb"), (EOFError, zlib.error, gzip.BadGzipFile)
    if first != ZSTD:
        return raw, ()
    try:
        zstd = import_module(ZSTD_MODULE)
    except ImportError:
        what = f"{name} is compressed with zstd, which before Python 3.14"
        raise ValueError(missing_extra(what, "zstd")) from None
    return zstd.open(raw, "rb"), (EOFError, zstd.ZstdError)


class InterruptiblePipe(io.FileIO):
    """A pipe whose blocking reads can be interrupted even while signals are held back."""

    def readinto(self, buffer: Any) -> int | None:
        """Wait for bytes, checking for interrupts, then read them."""
        # A blocking read would hold back SIGTERM until the pipe has data.
        while not select.select([self], [], [], WAIT)[0]:
            raise_if_interrupted()
        return super().readinto(buffer)


def open_pipe(raw: IO[bytes]) -> IO[bytes]:
    """Return a stream whose reads can be interrupted, if it is a pipe."""
    try:
        number = raw.fileno()
    except (AttributeError, OSError):  # a file-like object without a descriptor
        return raw
    # Windows cannot wait for pipes by select; a regular file never blocks.
    if sys.platform == "win32" or stat.S_ISREG(os.fstat(number).st_mode):
        return raw
    return io.BufferedReader(InterruptiblePipe(number, closefd=False))


class ByteStream:
    """The bytes of one file, piece by piece; `more` returns the unused rest and the next piece."""

    def __init__(self, name: str, encoding: str | None = None) -> None:
        check_path(name)
        self.name, self.encoding = name, check_encoding(encoding)
        self.raw: IO[bytes] = sys.stdin.buffer if name == "-" else open(name, "rb")  # noqa: SIM115
        try:
            source = open_pipe(self.raw)
            self.stream, self._damages = decompress(source, name)
            # Documents of a pipe are handed out as they arrive, not when a chunk is full.
            live = name == "-" and self.stream is source
            self._read = self._read_lines if live else self.stream.read
            # Bytes that are invalid in the encoding pass unchanged. They are usually invalid in
            # UTF-8, too, so that their rows are reported like any other.
            codec = codecs.getincrementaldecoder(self.encoding or "utf-8")
            self._decode = codec("surrogateescape").decode
            self._first = b""
            self.n_read = 0  # bytes of the text
            self._first = self._start()
        except BaseException:
            self.close()
            raise

    def _start(self) -> bytes:
        """Return the first lines, from which format and columns are guessed."""
        data, ended = self.more(b"")
        enough = 2 if len(data) < CHUNK else 1  # a header, and one record to guess columns from
        while not ended and data.count(b"\n") + data.count(b"\r") < enough:
            data, ended = self.more(data)
        if not data:
            raise ValueError(f"{self._who} is empty")
        if data.startswith(UTF16_MARKS):
            raise ValueError(f"{self._who} is UTF-16 text; read it with --encoding utf-16")
        return data.removeprefix(UTF8_MARK) or b"\n"

    @property
    def _who(self) -> str:
        return "standard input" if self.name == "-" else self.name

    @property
    def first(self) -> bytes:
        """The first piece; `more` returns it again."""
        return self._first

    def more(self, rest: bytes, line: int = 1) -> tuple[bytes, bool]:
        """Return the rest followed by more bytes, and whether the file ends there.

        At least as many bytes are read as are left over, so that the work on a long record is
        linear in its length.
        """
        if self._first:
            data, self._first = self._first, b""
            return data, False
        if len(rest) >= MAX_RECORD:
            raise ValueError(
                f"{self._who} line {line}: a record is longer than {MAX_RECORD // 2**20} MiB; "
                "check that the file has one document per line"
            )
        # Up to `MAX_RECORD`, which bounds the memory of a file without line ends.
        data = self._read_piece(max(CHUNK, min(len(rest), MAX_RECORD - len(rest))))
        self.n_read += len(data)
        return rest + data, not data

    @property
    def can_seek(self) -> bool:
        """Whether `seek` works: not for pipes, compressed files and other encodings."""
        return self.name != "-" and self.stream is self.raw and self.encoding is None

    def seek(self, offset: int) -> None:
        """Continue at a byte offset; buffered data are dropped."""
        self.raw.seek(offset)
        self.n_read, self._first = offset, b""

    def start_of(self, data: bytes, line: int) -> PieceStart | None:
        """Return the start of data that end at the last byte read, or None if `seek` fails."""
        return PieceStart(self.n_read - len(data), line) if self.can_seek else None

    def _read_piece(self, size: int) -> bytes:
        """Return at most `size` bytes in UTF-8; none only at the end."""
        raise_if_interrupted()
        try:
            data = bytes(self._read(size))
            if self.encoding is None:
                return data
            text = self._decode(data, final=not data)
        except self._damages as error:
            raise ValueError(f"{self._who} is damaged or truncated: {error}") from error
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{self._who} is not {self.encoding} text; name another encoding (--encoding)"
            ) from error
        # What was read may be no more than a part of a character.
        return text.encode("utf-8", "surrogateescape") or (self._read_piece(size) if data else b"")

    def _read_lines(self, size: int) -> bytes:
        """Return what a pipe has now; within a line, wait for its end or for `size` bytes."""
        pieces, n = [self.stream.read1(size)], 0
        while (last := pieces[-1]) and b"\n" not in last and b"\r" not in last:
            n += len(last)
            if n >= size:
                break
            pieces.append(self.stream.read1(size - n))
        return b"".join(pieces)

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self.name != "-":
            for stream in (getattr(self, "stream", self.raw), self.raw):
                stream.close()
