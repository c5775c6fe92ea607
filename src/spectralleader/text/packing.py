"""Packing: strings end to end in one array of bytes, for kernels and states, also from Arrow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from spectralleader.arrays import Ints
from spectralleader.checks.states import array, integers

if TYPE_CHECKING:
    import polars as pl

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


def pack(strings: Iterable[str]) -> dict[str, Any]:
    """Return strings as a state: two arrays."""
    text, ends = encode(list(strings))
    return {"text": np.frombuffer(text, np.uint8), "ends": ends}


def unpack(state: dict[str, Any]) -> list[str]:
    """Return the strings that `pack` was given."""
    text = array(state, "text", np.uint8, (None,))
    ends = integers(state, "ends", (None,), 0, len(text))
    if (ends[1:] < ends[:-1]).any() or (ends[-1] if len(ends) else 0) != len(text):
        raise ValueError(f"ends must rise to {len(text)}, the size of the text")
    return decode(text.tobytes(), ends)


def cut_bytes(text: str, most: int) -> str:
    """Return a text of at most so many bytes in UTF-8, cut between characters."""
    data = text.encode(errors="replace")
    return text if len(data) <= most else data[:most].decode(errors="ignore")


ARROW = ("__arrow_c_stream__", "__arrow_c_array__")  # the Arrow PyCapsule interface


class ArrowColumn(Sequence[str]):
    """A column of strings, none of them missing, that shares the memory of its owner.

    Examples
    --------
    >>> import polars as pl
    >>> column = ArrowColumn(pl.Series(["rain", "", "wind"]))
    >>> list(column[1:]), column.encode()[0], column.encode()[1].tolist()
    (['', 'wind'], b'rainwind', [4, 4, 8])
    """

    def __init__(self, strings: pl.Series) -> None:
        if strings.null_count():
            position = strings.is_null().arg_max()
            raise ValueError(f"text {position} is None, not a string; leave out rows without text")
        self._strings = strings

    def encode(self) -> tuple[bytes, Ints]:
        """Return the strings in UTF-8 end to end, and where each ends; see `packing.encode`."""
        import polars as pl

        text = self._strings.str.join("").cast(pl.Binary).item()
        return text, self._strings.str.len_bytes().cast(pl.Int64).cum_sum().to_numpy()

    def __len__(self) -> int:
        return len(self._strings)

    def __iter__(self) -> Iterator[str]:
        return iter(self._strings.to_list())

    @overload
    def __getitem__(self, which: int) -> str: ...
    @overload
    def __getitem__(self, which: slice) -> ArrowColumn: ...
    def __getitem__(self, which: int | slice) -> str | ArrowColumn:
        found: Any = self._strings[which]
        return ArrowColumn(found) if isinstance(which, slice) else found


def as_arrow_column(texts: Any) -> ArrowColumn | None:
    """Return strings in Arrow's format without a copy; None if texts are in any other format.

    These are Polars Series, pandas Series of Arrow strings (the default of pandas 3 if pyarrow is
    installed), and pyarrow arrays.
    """
    if not any(hasattr(texts, name) for name in ARROW) or hasattr(texts, "columns"):
        return None
    if hasattr(texts, "iloc") and not _is_arrow(texts.dtype):  # pandas would copy its objects
        return None
    import polars as pl  # slow to import, and only needed for such columns

    strings = texts if isinstance(texts, pl.Series) else pl.Series(values=texts)
    return ArrowColumn(strings) if strings.dtype == pl.String else None


def _is_arrow(dtype: Any) -> bool:
    """Return whether a pandas dtype is backed by Arrow."""
    return getattr(dtype, "storage", None) == "pyarrow" or hasattr(dtype, "pyarrow_dtype")
