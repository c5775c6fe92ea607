"""ArrowColumn: strings in Arrow's format, whose bytes are read without creating Python strings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

from spectralleader.arrays import Ints

if TYPE_CHECKING:
    import polars as pl

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
