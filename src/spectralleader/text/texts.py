"""Texts: strings from whatever holds them, and end to end in one array, for kernels and states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spectralleader.arrays import Ints
from spectralleader.checks.states import array, integers
from spectralleader.errors import missing_extra
from spectralleader.text.tokens import LISTS, Tokens

# A list, an iterator, a Series of Polars or pandas, an array of NumPy or Arrow: their types are not
# spelled out, because not all of these packages need be there.
Texts = Iterable[Any]
TO_LIST = ("to_list", "to_pylist", "tolist")  # Polars and pandas, Arrow, NumPy
Bytes = NDArray[np.uint8]


def take_texts(texts: Texts, words: object = None) -> Sequence[Any]:
    """Return texts as a sequence of what `words` counts: strings, or documents of tokens.

    What documents of tokens hold is checked by `Tokens.flatten`.

    Raises
    ------
    TypeError
        If a single text or document, a data frame or a dictionary is given.
    ValueError
        If a text is not a string; the message names its position.
    """
    of_tokens = isinstance(words, Tokens)
    if of_tokens and isinstance(texts, str | bytes | Mapping):
        raise TypeError(f"documents must be a sequence, got {texts!r:.40}; give one as [it]")
    if isinstance(texts, str | bytes):
        raise TypeError(
            f"texts must be a sequence of strings, got {texts[:40]!r}; give one text as [text]"
        )
    check_one_column(texts)
    column = as_list(texts)
    if of_tokens:
        return column if isinstance(column, list | tuple) else list(column)
    strings = list(column)
    if not set(map(type, strings)) <= {str}:
        _check_each(strings)
    return strings


def as_list(column: Any) -> Any:
    """Return a column of Polars, pandas, NumPy or Arrow as a list; other objects unchanged.

    No library is imported for that, unless the column has Arrow's interface for C alone.
    """
    for name in TO_LIST:
        if hasattr(column, name):
            return getattr(column, name)()
    if not hasattr(column, "__arrow_c_stream__"):
        return column
    try:
        import pyarrow
    except ImportError:
        what = f"reading a {type(column).__name__} by Arrow's interface"
        raise TypeError(missing_extra(what, "parquet")) from None
    return pyarrow.chunked_array(column).to_pylist()


def _check_each(strings: Sequence[Any]) -> None:
    for position, text in enumerate(strings):
        if not isinstance(text, str):
            advice = "leave out rows without text, and decode bytes"
            if isinstance(text, (*LISTS, Mapping)):
                advice = 'for documents of tokens set words="tokens"'
            raise ValueError(f"text {position} is {text!r:.40}, not a string; {advice}")


def in_blocks_of(texts: Texts, size: int, words: object) -> Iterator[Sequence[Any]]:
    """Yield consecutive blocks of so many texts; an iterator is read as far as needed only."""
    if not isinstance(texts, Iterator):
        strings = take_texts(texts, words)
        for start in range(0, len(strings), size):
            yield strings[start : start + size]
        return
    while block := list(islice(texts, size)):
        yield take_texts(block, words)


def check_one_column(texts: Any) -> None:
    """Raise `TypeError` for a data frame, an Arrow table or a dictionary.

    Iterating over them yields names of columns, which are strings as well and would be learned.

    Examples
    --------
    >>> check_one_column({"id": [1, 2], "text": ["rain", "wind"]})
    Traceback (most recent call last):
        ...
    TypeError: texts must be one column, got a dict of 'id', 'text'; pass one of them: texts['text']
    """
    # Looked up in the class: a lazy frame would have to be evaluated to name its columns.
    is_table = hasattr(type(texts), "columns")
    if not is_table and not isinstance(texts, Mapping):
        return
    kind = type(texts).__name__
    if not hasattr(texts, "__len__"):
        raise TypeError(f"texts must be one column, got a {kind}; collect it and pass one column")
    names = list(texts)
    if is_table:
        names = list(getattr(texts, "column_names", None) or texts.columns)  # Arrow; data frames
    best = "text" if "text" in names else next(iter(names), "text")
    listed = ", ".join(map(repr, names[:5])) + (", ..." if len(names) > 5 else "")
    variable = "df" if kind == "DataFrame" else "texts"
    raise TypeError(
        f"texts must be one column, got a {kind} of {listed or 'no columns'}; pass one of them: "
        f"{variable}[{best!r}]"
    )


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
