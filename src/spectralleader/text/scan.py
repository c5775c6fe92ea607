"""Scan: the kernel that tokenises UTF-8 texts and counts their words.

`Words`, called on each text, defines the result; this module implements the same rules for speed.
Most of the cost is mispredicted branches, so there are few: runs of word characters are found
without any, and words are hashed and compared eight bytes at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Ints, WordIds
from spectralleader.runtime.compiled import in_place, inlined
from spectralleader.text.characters import DIGIT, KIND, SPACE, Characters, read
from spectralleader.text.count_buffer import CountBuffer, add_document
from spectralleader.text.packing import Bytes
from spectralleader.text.word_table import (
    FULL,
    Tables,
    WordTable,
    count_word,
    find_word,
    hash_word,
    number_of,
)

AT, DOT, COLON, SLASH, QUOTE, LESS, GREATER = b'@.:/"<>'
H, T, P, S, W = b"htpsw"


class Texts(NamedTuple):
    """Concatenated texts: text i is ``text[bounds[i] : bounds[i + 1]]``."""

    text: Bytes  # UTF-8
    folded: Bytes  # see `characters.fold`
    bounds: Ints  # (n_docs + 1,)


class Rules(NamedTuple):
    """The options of `Words` in the form that kernels take."""

    min_length: int
    skips_urls: bool
    skips_mentions: bool
    skips_numbers: bool
    stops: WordTable
    characters: Characters


@in_place
def scan(
    texts: Texts,
    rules: Rules,
    tables: Tables,
    min_count: int,
    counts: CountBuffer,
    first: int,
    edges: Ints,
    numbers: WordIds,
) -> int:
    """Append the word counts of each text from `first` on; return the number of texts done.

    ``[Counter(table_words.index(word) for word in words(text)) for text in texts]``, in order of
    word numbers. Words that are not in the table are skipped or added to it, and totals updated, as
    in `word_table.add_documents`. The kernel stops early if a table is full. `edges` and `numbers`
    are buffers, one element longer than the longest text in bytes.
    """
    n_docs = len(texts.bounds) - 1
    for i in range(first, n_docs):
        runs = edges[: cut(texts, i, edges)]
        n = number_words(texts, i, runs, rules, tables, min_count, numbers)
        if n < 0:  # what was added is there when the text is read again
            return i
        n_known = 0
        for j in range(n):
            # Only when the whole text fits: a text that is read again must not be counted twice.
            if min_count > 0:
                # 64 bits, or it would be compiled twice
                count_word(tables, np.int64(numbers[j]), 1.0)  # type: ignore[arg-type]
            # Always written, and kept only if the word is known, as in `cut`.
            numbers[n_known] = numbers[j]
            n_known += numbers[j] >= 0
        add_document(counts, i, numbers[:n_known])
    return n_docs


@inlined
def cut(texts: Texts, i: int, edges: Ints) -> int:
    r"""Set `edges` to the start and end of each ``\w+`` in text i; return the number of edges."""
    folded, n, inside = texts.folded, 0, False
    for at in range(texts.bounds[i], texts.bounds[i + 1]):
        now = folded[at] != 0
        # Always written, and kept only at an edge: there is no branch to mispredict.
        edges[n] = at
        n += now != inside
        inside = now
    # The end of a run that lasts to the end of the text.
    edges[n] = texts.bounds[i + 1]
    return n + inside


@inlined
def number_words(
    texts: Texts,
    i: int,
    runs: Ints,
    rules: Rules,
    tables: Tables,
    min_count: int,
    numbers: WordIds,
) -> int:
    """Write the numbers of the words of text i; return how many, or -1 if a table is full."""
    text, folded, first, last = texts.text, texts.folded, texts.bounds[i], texts.bounds[i + 1]
    stops, stop_starts, stop_arena = rules.stops.slots, rules.stops.starts, rules.stops.arena
    n, url_end = 0, 0
    for j in range(0, len(runs), 2):
        start, end = runs[j], runs[j + 1]
        if start < url_end or (rules.skips_mentions and start > first and text[start - 1] == AT):
            continue
        if rules.skips_urls and starts_url(text, folded, start, end, last):
            url_end = skip_url(text, end, last, rules.characters)
            continue
        # Cheap tests first: the tables are searched only for what can be a word.
        if not is_long(folded, start, end, rules.min_length):
            continue
        if rules.skips_numbers and is_number(text, start, end, rules.characters):
            continue
        # Both tables use the same hash.
        hashed = hash_word(folded, start, end)
        if find_word(stops, stop_starts, stop_arena, folded, start, end, hashed) >= 0:
            continue
        numbers[n] = number_of(tables, folded, start, end, hashed, min_count)
        if numbers[n] == FULL:
            return -1
        n += 1
    return n


@inlined
def starts_url(text: Bytes, folded: Bytes, start: int, end: int, last: int) -> bool:
    """Return whether the run from start to end begins ``https?://`` or ``www.``."""
    # Letters are compared in lower case. Punctuation is 0 there, and is read from the text itself.
    f = folded
    if f[start] == W:
        is_www = end - start == 3 and f[start + 1] == W and f[start + 2] == W
        return bool(is_www and end < last and text[end] == DOT)
    if f[start] != H or end + 2 >= last or text[end] != COLON:
        return False
    if text[end + 1] != SLASH or text[end + 2] != SLASH:
        return False
    if end - start != 4 and not (end - start == 5 and f[end - 1] == S):
        return False
    return bool(f[start + 1] == T and f[start + 2] == T and f[start + 3] == P)


@inlined
def skip_url(text: Bytes, at: int, last: int, characters: Characters) -> int:
    r"""Return the offset at which ``[^\s<>"]*``, starting at `at`, ends."""
    while at < last:
        code, width = read(text, at)
        if characters[code] & KIND == SPACE or code in (QUOTE, LESS, GREATER):
            break
        at += width
    return at


@inlined
def is_long(folded: Bytes, start: int, end: int, min_length: int) -> bool:
    """Return ``len(word) >= min_length``, in characters."""
    # A character has at least one byte.
    if end - start < min_length:
        return False
    at = start
    while at < end and min_length > 0:
        min_length -= folded[at] & 0xC0 != 0x80  # bytes of that form go on with a character
        at += 1
    return min_length <= 0


@inlined
def is_number(text: Bytes, at: int, end: int, characters: Characters) -> bool:
    """Return ``word.isdecimal()``."""
    while at < end:
        code, width = read(text, at)
        # DIGIT is the largest kind, and kinds are stored above the code points.
        if characters[code] < DIGIT:
            return False
        at += width
    return True
