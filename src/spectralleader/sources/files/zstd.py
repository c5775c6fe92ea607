"""Reading zstd: by the standard library from Python 3.14 on, else by the package zstandard."""

from __future__ import annotations

from importlib import import_module
from typing import IO, Any

from spectralleader.errors import missing_extra

PIECE = 2**11  # compressed bytes per step: they decompress to at most 64 MiB


def open_zstd(raw: IO[bytes], name: str) -> Any:
    """Return a decompressed stream with `read` and `close`."""
    try:
        return import_module("compression.zstd").open(raw, "rb")
    except ImportError:
        pass
    try:
        return ZstdStream(raw, import_module("zstandard"))
    except ImportError:
        what = f"{name} is compressed with zstd, which before Python 3.14"
        raise ValueError(missing_extra(what, "zstd")) from None


class ZstdStream:
    """A decompressed zstd stream of any number of frames; a truncated one raises `EOFError`.

    The reader of the package zstandard returns a truncated stream as if it were complete.
    """

    def __init__(self, raw: IO[bytes], zstandard: Any) -> None:
        self._raw = raw
        self._zstandard = zstandard
        self._frame: Any = None  # decompressor of the current frame
        self._rest = b""  # compressed bytes after the last frame
        self._ready = bytearray()

    def read(self, size: int) -> bytes:
        """Return `size` bytes, fewer at the end."""
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
        """Drop the buffer; the caller closes the underlying stream."""
        self._ready.clear()
