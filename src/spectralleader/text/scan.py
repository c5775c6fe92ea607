r"""Scan: the kernels that tokenise UTF-8 texts and count their words.

`Words`, called on each text, defines the result; this module implements the same rules for speed:
tables of lower case and character class that agree with `str` and `re`, the scan itself, and a
buffer that word counts are appended to. Most of the cost is mispredicted branches, so there are
few: runs of word characters are found without any, and words are hashed and compared eight bytes at
a time.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.runtime.compiled import in_place, inlined, shared
from spectralleader.text.texts import Bytes
from spectralleader.text.word_table import (
    FULL,
    Tables,
    WordTable,
    count_word,
    find_word,
    hash_word,
    number_of,
)

# Kinds stand above the code points; a letter is what \w takes but for the digits, \d.
SPACE, LETTER, DIGIT = 1 << 21, 2 << 21, 3 << 21
KIND, CODE = DIGIT, SPACE - 1  # masks
PATTERNS = {SPACE: r"\s+", LETTER: r"\w+", DIGIT: r"\d+"}  # digits last: they are \w too
# Their lower case depends on the neighbours, or is two characters.
IRREGULAR = "\N{GREEK CAPITAL LETTER SIGMA}", "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}"
SPECIAL = -1
ASSIGNED = 0x40000  # four planes have all letters, digits and spaces of Unicode; a test looks

# By code point: lower case and kind of that, or SPECIAL where lower case has not as many bytes.
Characters = NDArray[np.int32]


@cache
def ascii_characters() -> Characters:
    """Return the table for ASCII texts, which is computed quickly."""
    return _describe(128)


@cache
def all_characters() -> Characters:
    """Return the table for all of Unicode, which takes longer to compute."""
    others = np.arange(ASSIGNED, sys.maxunicode + 1, dtype=np.int32)  # neither letters nor spaces
    return np.concatenate([_describe(ASSIGNED), others])


def _describe(n: int) -> Characters:
    every = np.arange(n, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    for character in IRREGULAR:
        every = every.replace(character, "\0")  # which has less bytes, so that it will be special
    lowered = every.lower()
    codes = np.frombuffer(lowered.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.int32)
    kinds = np.zeros(n, np.int32)
    # In this order digits overwrite letters. Kinds are those of the lower-case characters.
    for kind, pattern in PATTERNS.items():
        for found in re.finditer(pattern, lowered):
            kinds[found.start() : found.end()] = kind
    # Another width would shift what follows, but offsets in `folded` must be those in the text.
    is_special = _widths(codes) != _widths(np.arange(n))
    return np.where(is_special, np.int32(SPECIAL), codes | kinds)


def _widths(codes: NDArray[Any]) -> NDArray[Any]:
    """Return the number of continuation bytes of each character in UTF-8."""
    return np.searchsorted([0x80, 0x800, 0x10000], codes, side="right")


@in_place
def fold(text: Bytes, characters: Characters, folded: Bytes) -> bool:
    r"""Write the text in lower case to the same offsets of `folded`; bytes not in ``\w`` stay 0.

    `folded` must be zeros, 8 more than the text has bytes. Returns False if the text has a special
    character; the result is then invalid, and the caller must apply `str.lower` first.
    """
    at: Any = np.int64(0)  # else `read` is compiled for the constant, too
    while at < len(text):
        # ASCII without decoding; none of these characters is special.
        if text[at] < 0x80:
            character = characters[text[at]]
            folded[at] = character & CODE if character >= LETTER else 0
            at += 1
            continue
        code, width = read(text, at)
        character = characters[code]
        if character == SPECIAL:
            return False
        if character >= LETTER:
            write(folded, at, character & CODE, width)
        at += width
    return True


@shared
def read(text: Bytes, at: int) -> tuple[int, int]:
    """Return the code point of the UTF-8 character at an offset, and its number of bytes."""
    # `texts.encode` has written the text: the lead byte is valid and gives the width.
    lead: Any = np.int64(text[at])
    if lead < 0x80:
        return lead, 1
    if lead < 0xE0:
        return (lead & 0x1F) << 6 | (text[at + 1] & 0x3F), 2
    if lead < 0xF0:
        return (lead & 0x0F) << 12 | (text[at + 1] & 0x3F) << 6 | (text[at + 2] & 0x3F), 3
    upper = (lead & 0x07) << 18 | (text[at + 1] & 0x3F) << 12
    return upper | (text[at + 2] & 0x3F) << 6 | (text[at + 3] & 0x3F), 4


@inlined
def write(text: Bytes, at: int, code: int, width: int) -> None:
    """Write a code point as UTF-8 in `width` bytes, 2 to 4."""
    for j in range(width - 1, 0, -1):
        text[at + j] = 0x80 | (code & 0x3F)
        code >>= 6
    # The lead byte: `width` ones, a zero, and the highest bits of the code point.
    text[at] = ((0xFF00 >> width) & 0xFF) | code


# Gaps of Shell sort (Ciura 2001); few numbers are sorted by insertion alone. NumPy's sort would
# take a second to compile.
GAPS = (1750, 701, 301, 132, 57, 23, 10, 4, 1)


class CountBuffer(NamedTuple):
    """Distinct words of documents and their counts, as CSR arrays with room for all."""

    indptr: Ints  # (n_docs + 1,)
    words: WordIds
    counts: Floats


def empty_count_buffer(n_docs: int, n_bytes: int) -> CountBuffer:
    """Return a buffer with room for the words of n_docs texts of n_bytes in total.

    Words are separated, so that there is at most one per two bytes. Memory that is not written to
    is not allocated by the operating system.
    """
    room = n_bytes // 2 + n_docs
    return CountBuffer(np.zeros(n_docs + 1, np.int64), np.empty(room, np.int32), np.empty(room))


@inlined
def add_document(buffer: CountBuffer, i: int, numbers: WordIds) -> None:
    """Append ``np.unique(numbers, return_counts=True)`` as row i; `numbers` are sorted in place."""
    at = buffer.indptr[i]
    sort(numbers)
    words, counts = buffer.words, buffer.counts
    for j in range(len(numbers)):
        if j > 0 and numbers[j] == numbers[j - 1]:
            counts[at - 1] += 1
        else:
            words[at] = numbers[j]
            counts[at] = 1
            at += 1
    buffer.indptr[i + 1] = at


@inlined
def sort(numbers: WordIds) -> None:
    """``numbers.sort()``, quick where there are few."""
    for gap in GAPS:
        if gap > 1 and 4 * gap > len(numbers):
            continue
        for i in range(gap, len(numbers)):
            number, j = numbers[i], i
            while j >= gap and numbers[j - gap] > number:
                numbers[j] = numbers[j - gap]
                j -= gap
            numbers[j] = number


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
    texts: Texts, i: int, runs: Ints, rules: Rules, tables: Tables, min_count: int, numbers: WordIds
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
