"""Texts: strings from whatever holds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from spectralleader.text.one_column import as_list, check_one_column
from spectralleader.text.tokens import LISTS, Tokens, as_token_documents

# A list, an iterator, a Series of Polars or pandas, an array of NumPy or Arrow: their types are not
# spelled out, because not all of these packages need be there.
Texts = Iterable[Any]
BLOCK = 1000  # single texts counted at once


def as_strings(texts: Texts) -> Sequence[str]:
    """Return texts as a sequence of strings.

    Raises
    ------
    TypeError
        If a single string, a data frame or a dictionary is given.
    ValueError
        If one of them is not a string; the message names its position.
    """
    if isinstance(texts, str | bytes):
        raise TypeError(
            f"texts must be a sequence of strings, got {texts[:40]!r}; give one text as [text]"
        )
    check_one_column(texts)
    strings: list[Any] = list(as_list(texts))
    if not set(map(type, strings)) <= {str}:
        _check_each(strings)
    return strings


def _check_each(strings: list[Any]) -> None:
    for position, text in enumerate(strings):
        if not isinstance(text, str):
            raise ValueError(f"text {position} is {text!r:.40}, not a string; {_advise(text)}")


def _advise(text: Any) -> str:
    if isinstance(text, (*LISTS, Mapping)):
        return 'for documents of tokens say words="tokens"'
    return "leave out rows without text, and decode bytes"


def take_texts(texts: Texts, words: object) -> Sequence[Any]:
    """Return texts as a sequence of what `words` counts: strings, or documents of tokens."""
    return as_token_documents(texts) if isinstance(words, Tokens) else as_strings(texts)


def in_blocks(texts: Texts | Iterable[Texts], words: object) -> Iterator[Sequence[Any]]:
    """Yield blocks of strings or documents of tokens, from blocks of them or single ones."""
    if isinstance(words, Tokens):
        yield from _token_blocks(texts, words)
        return
    if isinstance(texts, str | bytes):
        as_strings(texts)  # says what is wrong with it
    check_one_column(texts)
    items: Iterator[Any] = iter(as_list(texts))
    for first in items:
        if first is None or isinstance(first, str | bytes | float):  # NaN is a float
            yield as_strings(chain([first], islice(items, BLOCK - 1)))
        else:
            yield as_strings(first)


def in_blocks_of(texts: Texts, size: int, words: object) -> Iterator[Sequence[Any]]:
    """Yield consecutive blocks of so many texts; an iterator is read as far as needed only."""
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterator):
        strings = take_texts(texts, words)
        for start in range(0, len(strings), size):
            yield strings[start : start + size]
        return
    while block := list(islice(texts, size)):
        yield take_texts(block, words)


def _token_blocks(documents: Any, words: Tokens) -> Iterator[Sequence[Any]]:
    if not isinstance(documents, Iterator):
        documents = as_token_documents(documents)
    items = iter(documents)
    for first in items:
        if _is_token_document(first, words):
            yield [first, *islice(items, BLOCK - 1)]
        else:
            yield as_token_documents(first)


def _is_token_document(given: Any, words: Tokens) -> bool:
    """Return whether this is one document of tokens, not a block of them."""
    if isinstance(given, str | Mapping) or not isinstance(given, LISTS):
        return isinstance(given, str | Mapping)
    first = next(iter(given), None)
    if isinstance(first, str):  # a list of strings: texts to split, else the tokens of a document
        return words.split is None
    return not isinstance(first, (*LISTS, Mapping)) or isinstance(first, tuple)
