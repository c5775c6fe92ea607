"""Reading zstd: Python's own reader from 3.14 on, before that the package zstandard."""

from __future__ import annotations

from importlib import import_module
from typing import IO, Any

PIECE = 2**11  # compressed bytes taken at a time: so few hold at most 64 MiB


def open_zstd(raw: IO[bytes], name: str) -> Any:
    """Return a stream, with `read` and `close`, of what a zstd stream holds."""
    try:
        return import_module("compression.zstd").open(raw, "rb")
    except ImportError:
        pass
    try:
        return ZstdStream(raw, import_module("zstandard"))
    except ImportError:
        raise ValueError(
            f"{name} is compressed with zstd: install spectralleader[zstd], or use Python 3.14"
        ) from None


class ZstdStream:
    """What a zstd stream holds, frame after frame; one that is cut short is an error.

    The package's own reader takes a stream that is cut short for a complete one.
    """

    def __init__(self, raw: IO[bytes], zstandard: Any) -> None:
        self._raw = raw
        self._zstandard = zstandard
        self._frame: Any = None  # that is being read
        self._rest = b""  # compressed bytes after the last frame
        self._ready = bytearray()

    def read(self, size: int) -> bytes:
        """Return that many bytes, fewer at the end."""
        while len(self._ready) < size and (piece := self._rest or self._raw.read(PIECE)):
            self._frame = self._frame or self._zstandard.ZstdDecompressor().decompressobj()
            try:
                self._ready += self._frame.decompress(piece)
            except self._zstandard.ZstdError as error:
                raise EOFError(str(error)) from error
            self._rest = self._frame.unused_data
            if self._frame.eof:
                self._frame = None
        if not self._ready and self._frame is not None:
            raise EOFError("the last frame is incomplete")
        data = bytes(self._ready[:size])
        del self._ready[:size]
        return data

    def close(self) -> None:
        """Forget what was read; the stream below is closed by who opened it."""
        self._ready.clear()
