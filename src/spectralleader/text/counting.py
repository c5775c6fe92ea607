"""Counting: convert texts or tokens to word counts over a table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from spectralleader.documents import Documents
from spectralleader.text.scan import (
    CountBuffer,
    Rules,
    Texts,
    all_characters,
    ascii_characters,
    empty_count_buffer,
    fold,
    scan,
)
from spectralleader.text.texts import encode
from spectralleader.text.tokens import FlatTokens, Tokens
from spectralleader.text.word_table import Tables, add_documents, enlarge_full, make_table
from spectralleader.text.words import Tokenizer, Words

AT_ONCE = 1000  # texts whose bytes the processor's cache holds


def count_words(
    texts: Sequence[str], tokenizer: Tokenizer, tables: Tables, *, min_count: int
) -> tuple[Documents, Tables]:
    """Return the counts of known words, and the tables, which may have been enlarged.

    Unknown words are added as in `word_table.add_documents`; none if `min_count` is 0. The texts
    are in the form that the tokenizer takes: strings, or documents of tokens.
    """
    if isinstance(tokenizer, Words):
        return _scan(texts, tokenizer, tables, min_count=min_count)
    if isinstance(tokenizer, Tokens):
        flat = tokenizer.flatten(texts)
    else:
        flat = FlatTokens.of([list(tokenizer(text)) for text in texts])
    return _count_tokens(flat, tables, min_count=min_count)


def _scan(
    texts: Sequence[str], words: Words, tables: Tables, *, min_count: int
) -> tuple[Documents, Tables]:
    blocks = []
    for start in range(0, len(texts), AT_ONCE):
        buffer, tables = _scan_block(
            texts[start : start + AT_ONCE], words, tables, min_count=min_count
        )
        blocks.append(buffer)
    n_words = _n_words(tables)
    if not blocks:
        return Documents.empty(n_words), tables
    return Documents.concatenate(Documents.trusted(*one, n_words) for one in blocks), tables


def _scan_block(
    texts: Sequence[str], words: Words, tables: Tables, *, min_count: int
) -> tuple[CountBuffer, Tables]:
    packed, is_ascii = _fold(texts)
    rules, n_docs, done = _rules(words, is_ascii=is_ascii), len(packed.bounds) - 1, 0
    buffer = empty_count_buffer(n_docs, len(packed.text))
    room = len(packed.text) + 1  # for the longest text, if it is the only one
    work = (np.empty(room, np.int64), np.empty(room, np.int32))
    # The kernel stops at the first text for which there is no room, and resumes with it.
    while (done := scan(packed, rules, tables, min_count, buffer, done, *work)) < n_docs:
        tables = enlarge_full(tables)
    # Copied, because slices would keep the whole buffer alive.
    n = int(buffer.indptr[-1])
    return CountBuffer(buffer.indptr, buffer.words[:n].copy(), buffer.counts[:n].copy()), tables


def _fold(texts: Sequence[str]) -> tuple[Texts, bool]:
    """Return the texts in the form that the kernel takes, and whether they are all ASCII."""
    text, ends = encode(texts)
    is_ascii = text.isascii()
    packed = np.frombuffer(text, np.uint8)
    # 8 more bytes: words are loaded eight bytes at a time.
    folded = np.zeros(len(packed) + 8, np.uint8)
    if not fold(packed, ascii_characters() if is_ascii else all_characters(), folded):
        # After `str.lower` no character is special any more: this recurses only once.
        return _fold([text.lower() for text in texts])
    return Texts(packed, folded, np.concatenate([np.zeros(1, np.int64), ends])), is_ascii


@lru_cache
def _rules(words: Words, *, is_ascii: bool) -> Rules:
    # Sorted, because the order of a set of strings differs between processes.
    stops = make_table(sorted(words.stops))
    skips = ("urls" not in words.keep, "mentions" not in words.keep, "numbers" not in words.keep)
    characters = ascii_characters() if is_ascii else all_characters()
    return Rules(words.min_length, *skips, stops, characters)


def _count_tokens(flat: FlatTokens, tables: Tables, *, min_count: int) -> tuple[Documents, Tables]:
    numbers, tables = add_documents(
        tables, flat.tokens, flat.lengths, flat.counts, min_count=min_count
    )
    known = numbers >= 0
    # Unknown tokens are dropped; their documents remain, possibly empty.
    rows, n_docs = np.repeat(np.arange(len(flat.lengths)), flat.lengths)[known], len(flat.lengths)
    if flat.counts is None:
        lengths = np.bincount(rows, minlength=n_docs)
        return Documents.from_words(numbers[known], lengths, _n_words(tables)), tables
    entries = (flat.counts[known], (rows, numbers[known]))
    import scipy.sparse as sp  # slow to import, and a tokenizer of one's own is rare

    return Documents.from_matrix(sp.csr_array(entries, shape=(n_docs, _n_words(tables)))), tables


def _n_words(tables: Tables) -> int:
    """Return the number of known words; documents have a vocabulary of at least one."""
    return max(1, int(tables.known.size[0]))
