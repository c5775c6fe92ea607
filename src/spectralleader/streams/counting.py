"""Counting: texts to counts over a table of words."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain

import numpy as np

from spectralleader.documents import Documents
from spectralleader.streams.characters import SPECIAL, all_characters, ascii_characters
from spectralleader.streams.packing import encode
from spectralleader.streams.scan import Rules, scan
from spectralleader.streams.table import Table, empty_table, look_up
from spectralleader.streams.words import Tokenizer, Words

SPECIAL_BYTES = tuple(character.encode() for character in SPECIAL)


def count_words(
    texts: list[str], tokenizer: Tokenizer, table: Table, *, adds: bool
) -> tuple[Documents, Table]:
    """Count the words of texts that are in the table; if it `adds`, put the others there as well.

    Return the table as it then is. Any tokenizer but `Words` takes the plain road.
    """
    if isinstance(tokenizer, Words):
        return _scan(texts, tokenizer, table, adds=adds)
    return _count_plainly(texts, tokenizer, table, adds=adds)


def _scan(texts: list[str], words: Words, table: Table, *, adds: bool) -> tuple[Documents, Table]:
    text, ends = encode(texts)
    if any(character in text for character in SPECIAL_BYTES):
        text, ends = encode([text.lower() for text in texts])
    characters = ascii_characters() if text.isascii() else all_characters()
    array = np.frombuffer(text, np.uint8)
    indptr, ids, counts, table = scan(array, ends, characters, _rules(words), table, adds)
    return Documents(indptr, ids, counts, _n_words(table)), table


@lru_cache
def _rules(words: Words) -> Rules:
    _, stops = look_up(empty_table(), sorted(words.stops), adds=True)
    skips = ("urls" not in words.keep, "mentions" not in words.keep, "numbers" not in words.keep)
    return Rules(words.min_length, *skips, stops)


def _count_plainly(
    texts: list[str], tokenizer: Tokenizer, table: Table, *, adds: bool
) -> tuple[Documents, Table]:
    tokens = [list(tokenizer(text)) for text in texts]
    numbers, table = look_up(table, list(chain.from_iterable(tokens)), adds=adds)
    known = numbers >= 0
    rows = np.repeat(np.arange(len(tokens)), [len(words) for words in tokens])
    lengths = np.bincount(rows[known], minlength=len(tokens))
    return Documents.from_words(numbers[known], lengths, _n_words(table)), table


def _n_words(table: Table) -> int:
    """Return the size of the table; documents have a vocabulary of at least one word."""
    return max(1, int(table.size[0]))
