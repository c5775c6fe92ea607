"""Tokens: documents given as lists of tokens, as counts, or as text to split."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, takewhile
from typing import Any, NamedTuple

import msgspec
import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import MOST, one_of

WHITESPACE, COMMA = "whitespace", ","
SPLITS = (WHITESPACE, COMMA)
LISTS = (list, tuple, set, frozenset, np.ndarray)
LIKE = 'a document of tokens is a list such as ["phone-8", "sale"], or counts such as {"shoe": 2}'


class FlatTokens(NamedTuple):
    """The concatenated tokens of several documents."""

    tokens: list[str]
    lengths: Ints  # (n_docs,) tokens of each document
    counts: Floats | None = None  # (n_tokens,) how often each occurs; None: once

    @classmethod
    def of(cls, documents: Sequence[Collection[str]]) -> FlatTokens:
        """Return the concatenated tokens of documents in which each occurs as often as it does."""
        lengths = np.fromiter(map(len, documents), np.int64, len(documents))
        return cls(list(chain.from_iterable(documents)), lengths)


@dataclass(frozen=True)
class Tokens(Saved):
    """Documents of tokens (items, events, ids), which are used without any change.

    A document is a list of tokens or a dictionary of their counts. Tokens are strings or integers;
    7 and "7" are the same token. Empty strings and None are ignored.

    Parameters
    ----------
    split : "whitespace" or ",", optional
        How to split documents that are text. If omitted, text is rejected.

    Examples
    --------
    >>> Tokens().flatten([["phone-8", 33], {"shoe": 2}]).tokens
    ['phone-8', '33', 'shoe']
    >>> Tokens(split=",").flatten(["New York, Rome"]).tokens
    ['New York', 'Rome']
    """

    saved_as = "tokens"
    saved = fields(split=field(one_of, optional=True, known=SPLITS))

    split: str | None = None

    def __post_init__(self) -> None:
        if self.split not in (None, *SPLITS):
            raise ValueError(f"split must be one of {', '.join(SPLITS)}, got {self.split!r}")

    def flatten(self, documents: Iterable[Any]) -> FlatTokens:
        """Return the concatenated tokens of documents.

        Raises
        ------
        ValueError
            If a document is not a valid document of tokens; the message names its position.
        """
        read = [self._read(document, position) for position, document in enumerate(documents)]
        flat = FlatTokens.of(read)
        if not any(isinstance(document, dict) for document in read):
            return flat
        counts = (one.values() if isinstance(one, dict) else [1] * len(one) for one in read)
        return flat._replace(counts=np.array([*chain.from_iterable(counts)], np.float64))

    def _read(self, document: Any, position: int) -> list[str] | dict[str, int]:
        """Return the tokens of a document, or their counts if it has any."""
        if isinstance(document, str) and self.split is not None:
            return split_text(document, self.split)
        if isinstance(document, Mapping):
            return _read_counts(document, position)
        if not isinstance(document, LISTS):
            raise ValueError(f"document {position} is {document!r:.40}; {LIKE}{self._advice}")
        if isinstance(document, list) and set(map(type, document)) == {str}:
            return document if "" not in document else list(filter(None, document))
        if pairs := as_pairs(document):
            return _read_counts(pairs, position)
        return [token for one in document if (token := as_token(one, position))]

    @property
    def _advice(self) -> str:
        advice = '; text needs Tokens(split="whitespace") or Tokens(split=",") (--split)'
        return "" if self.split else advice

    def store(self, document: Any, most: int) -> str:
        """Return a document as JSON of at most `most` bytes; tokens that do not fit are dropped."""
        if isinstance(document, str):
            return document
        tokens = self._read(document, 0)
        bag = tokens if isinstance(tokens, dict) else None
        alone = ([token] if bag is None else {token: bag[token]} for token in tokens)
        # The brackets of an entry alone are as long as the comma and space that part two.
        sizes = accumulate(
            len(json.dumps(one, ensure_ascii=False).encode(errors="replace")) for one in alone
        )
        fitting = takewhile(lambda one: one[1] + 2 <= most, zip(tokens, sizes, strict=False))
        kept = [token for token, _ in fitting]
        found = kept if bag is None else {token: bag[token] for token in kept}
        return json.dumps(found, ensure_ascii=False)

    def restore(self, text: str) -> Any:
        """Return the document that `store` was given, as far as it fitted."""
        document = parse_tokens(text)
        return (text if self.split else []) if document is None else document


def split_text(text: str, split: str) -> list[str]:
    """Return the tokens of a text; around commas, spaces do not count."""
    if split == WHITESPACE:
        return text.split()
    return [token for part in text.split(COMMA) if (token := part.strip())]


def as_token(given: Any, position: int) -> str:
    """Return a token as a string, "" for a missing one; raise `ValueError` otherwise."""
    if isinstance(given, str):
        return given
    if given is None:
        return ""
    if isinstance(given, int | np.integer) and not isinstance(given, bool):
        return str(int(given))
    # ids that went through a table with missing values are floats
    if isinstance(given, float) and given.is_integer() and abs(given) < MOST:
        return str(int(given))
    raise ValueError(
        f"document {position} has the token {given!r:.40}; tokens must be strings or integers"
    )


def as_pairs(document: Any) -> dict[Any, Any] | None:
    """Return the entries of a map column, which Arrow and Polars hand out as pairs, as counts."""
    first = next(iter(document), None)
    if isinstance(first, tuple) and len(first) == 2:
        return dict(document)
    if isinstance(first, Mapping) and set(first) == {"key", "value"}:
        return {entry["key"]: entry["value"] for entry in document}
    return None


def _read_counts(document: Mapping[Any, Any], position: int) -> dict[str, int]:
    counts: dict[str, int] = {}
    for key, value in document.items():
        # a column of objects with different keys has null where a key is not there
        count = 0 if value is None else _as_count(key, value, position)
        if count and (token := as_token(key, position)):
            counts[token] = counts.get(token, 0) + count  # 7 and "7" are one token
    if (n := sum(counts.values())) >= MOST:
        raise ValueError(f"document {position} has {n} tokens; the most is {MOST - 1}")
    return counts


def _as_count(key: Any, value: Any, position: int) -> int:
    if isinstance(value, int | float | np.number | np.bool_):
        number = float(value)  # exact as far as it matters: what is too large stays so
        if 0 <= number < MOST and number.is_integer():
            return int(value)
    raise ValueError(
        f"document {position} counts {key!r:.40} as {value!r:.40}; counts must be integers from 0 "
        f"to {MOST - 1}"
    )


def parse_tokens(text: str) -> list[str] | dict[str, int] | None:
    """Return the document that a JSON list or object of counts is, None if it is neither.

    Examples
    --------
    >>> parse_tokens('["phone-8", 33]'), parse_tokens('{"shoe": 2}'), parse_tokens("phone-8")
    (['phone-8', '33'], {'shoe': 2}, None)
    """
    if not text.lstrip().startswith(("[", "{")):
        return None
    try:
        return Tokens()._read(msgspec.json.decode(text), 0)
    except (ValueError, RecursionError):
        return None


def show_document(document: Any) -> str:
    """Return a text as it is, and tokens with commas between, as a person reads them."""
    if isinstance(document, Mapping):
        return ", ".join(f"{token} ({count})" for token, count in document.items())
    return document if isinstance(document, str) else ", ".join(document)


def size_of(document: Any) -> int:
    """Return about how many characters a text or a document of tokens has."""
    return len(document) if isinstance(document, str) else sum(len(token) + 4 for token in document)
