"""Texts: strings from whatever holds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from spectralleader.text.column import as_column

# A list, an iterator, a Series of Polars or pandas, an array of NumPy or Arrow: their types are not
# spelled out, because not all of these packages need be there.
Texts = Iterable[Any]
TO_LIST = ("to_list", "to_pylist", "tolist")  # Polars and pandas, Arrow, NumPy
BLOCK = 1000  # single texts counted at once


def as_strings(texts: Texts) -> Sequence[str]:
    """Return texts as a sequence of strings; those in Arrow's form stay where they are.

    Raises
    ------
    TypeError
        If a single string is given.
    ValueError
        If one of them is not a string; the message names its position.
    """
    if isinstance(texts, str | bytes):
        raise TypeError(
            f"texts must be a sequence of strings, got {texts[:40]!r}; give one text as [text]"
        )
    if (column := as_column(texts)) is not None:
        return column
    convert = next((name for name in TO_LIST if hasattr(texts, name)), None)
    strings: list[Any] = list(texts) if convert is None else getattr(texts, convert)()
    if not set(map(type, strings)) <= {str}:
        _check_each(strings)
    return strings


def _check_each(strings: list[Any]) -> None:
    for position, text in enumerate(strings):
        if not isinstance(text, str):
            raise ValueError(
                f"text {position} is {text!r:.40}, not a string; leave out rows without text, and "
                "decode bytes"
            )


def in_blocks(texts: Texts | Iterable[Texts]) -> Iterator[Sequence[str]]:
    """Yield blocks of strings, from blocks of texts or from single texts."""
    if isinstance(texts, str | bytes):
        as_strings(texts)  # says what is wrong with it
    if (column := as_column(texts)) is not None:
        yield column
        return
    items: Iterator[Any] = iter(texts)
    for first in items:
        if first is None or isinstance(first, str | bytes | float):  # NaN is a float
            yield as_strings(chain([first], islice(items, BLOCK - 1)))
        else:
            yield as_strings(first)
