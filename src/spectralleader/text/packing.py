"""Packing: strings end to end in one array of bytes, for kernels and for states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spectralleader.arrays import Ints
from spectralleader.checks.states import array, integers

Bytes = NDArray[np.uint8]


def encode(strings: Sequence[str]) -> tuple[bytes, Ints]:
    """Return the strings in UTF-8 end to end, and where each ends.

    Lone surrogates, which UTF-8 has no place for, are encoded as if it had one.
    """
    try:
        parts = list(map(str.encode, strings))
    except UnicodeEncodeError:
        parts = [string.encode(errors="surrogatepass") for string in strings]
    return b"".join(parts), np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))


def decode(text: bytes, ends: Ints) -> list[str]:
    """Return the strings that `encode` was given."""
    starts = [0, *ends.tolist()]
    return [
        text[start:end].decode(errors="surrogatepass")
        for start, end in zip(starts, ends.tolist(), strict=False)
    ]


class Strings(tuple[str, ...]):
    """Strings that are saved as two arrays."""

    __slots__ = ()

    def to_state(self) -> dict[str, Any]:
        """Return the state, as arrays."""
        text, ends = encode(self)
        return {"text": np.frombuffer(text, np.uint8), "ends": ends}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Strings:
        """Return the strings that `to_state` described."""
        text = array(state, "text", np.uint8, (None,))
        ends = integers(state, "ends", (None,), 0, len(text))
        if (ends[1:] < ends[:-1]).any() or (ends[-1] if len(ends) else 0) != len(text):
            raise ValueError(f"ends must rise to {len(text)}, the size of the text")
        return cls(decode(text.tobytes(), ends))


def cut_bytes(text: str, most: int) -> str:
    """Return a text of at most so many bytes in UTF-8, cut between characters."""
    data = text.encode(errors="replace")
    return text if len(data) <= most else data[:most].decode(errors="ignore")
