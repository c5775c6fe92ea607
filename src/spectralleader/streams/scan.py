"""Scan: from the bytes of texts to counts of words, in one walk.

The meaning of all this is `Words`, called on each text; here are its rules once more, for speed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spectralleader.compiled import kernel
from spectralleader.documents import Floats, Ints, WordIds
from spectralleader.streams.characters import DIGIT, LETTER, SPACE, Characters
from spectralleader.streams.packing import Bytes
from spectralleader.streams.table import SEED, STEP, Table, add, find, finish, with_room
from spectralleader.streams.tally import add_document, empty_tally

AT, DOT, COLON, SLASH, QUOTE, LESS, GREATER = b'@.:/"<>'
H, T, P, S, W = b"htpsw"


class Rules(NamedTuple):
    """What counts as a word, as the kernels see it."""

    min_length: int
    skips_urls: bool
    skips_mentions: bool
    skips_numbers: bool
    stops: Table


class Run(NamedTuple):
    """A run of word characters; their lower case is in a buffer, in UTF-8."""

    end: int  # where it ends in the text
    size: int  # bytes in the buffer
    length: int  # characters
    hashed: int
    is_number: bool


@kernel
def scan(
    text: Bytes,
    ends: Ints,
    characters: Characters,
    rules: Rules,
    table: Table,
    adds: bool,  # noqa: FBT001  # kernels have no keywords
) -> tuple[Ints, WordIds, Floats, Table]:
    """Count the words of texts, end to end in UTF-8: CSR arrays, words in order of their numbers.

    ``[Counter(table_words.index(word) for word in words(text)) for text in texts]``, without the
    words that are not in the table. If it `adds` they are added: the table is returned as it then
    is, with totals.
    """
    indptr = np.zeros(len(ends) + 1, np.int64)
    tally = empty_tally(len(text) // 16)
    numbers = np.empty(64, np.int32)
    buffer = np.empty(64, np.uint8)
    at = 0
    for i in range(len(ends)):
        if 2 * (ends[i] - at) > len(buffer):  # lower case has at most 3 bytes where there were 2
            buffer = np.empty(2 * (ends[i] - at), np.uint8)
        if ends[i] - at > len(numbers):
            numbers = np.empty(ends[i] - at, np.int32)
        n = 0
        while at < ends[i]:
            at, size, hashed = next_word(text, at, ends[i], characters, rules, buffer)
            if size == 0 or find(rules.stops, buffer, size, hashed) >= 0:
                continue
            number = find(table, buffer, size, hashed)
            if adds:
                if number < 0:
                    table = with_room(table, size)
                    number = add(table, buffer, size, hashed)
                table.totals[number] += 1
            if number >= 0:
                numbers[n] = number
                n += 1
        tally = add_document(tally, numbers[:n])
        indptr[i + 1] = tally.size[0]
    n_entries = indptr[-1]
    return indptr, tally.words[:n_entries].copy(), tally.counts[:n_entries].copy(), table


@kernel
def next_word(
    text: Bytes, at: int, end: int, characters: Characters, rules: Rules, buffer: Bytes
) -> tuple[int, int, int]:
    """Put the next word, stop word or not, in the buffer; return where it ends, its bytes and hash.

    No bytes mean that none was found up to there.
    """
    while at < end:
        code, width = read(text, at)
        if characters.kinds[code] < LETTER:
            at += width
            if code == AT and rules.skips_mentions:
                at = read_run(text, at, end, characters, buffer).end
            continue
        run = read_run(text, at, end, characters, buffer)
        at = run.end
        if rules.skips_urls and starts_url(text, at, end, run.size, buffer):
            at = skip_url(text, at, end, characters)
        elif run.length >= rules.min_length and not (rules.skips_numbers and run.is_number):
            return at, run.size, finish(run.hashed)
    return at, 0, 0


@kernel
def read_run(text: Bytes, at: int, end: int, characters: Characters, buffer: Bytes) -> Run:
    r"""Read what ``\w*`` matches, in lower case, into the buffer."""
    size, length, hashed, is_number = 0, 0, SEED, True
    while at < end:
        if text[at] < 128:
            kind = characters.kinds[text[at]]
            if kind < LETTER:
                break
            buffer[size] = characters.lower[text[at]]
            hashed = (hashed ^ int(buffer[size])) * STEP
            size += 1
            at += 1
        else:
            code, width = read(text, at)
            kind = characters.kinds[code]
            if kind < LETTER:
                break
            first, size = size, write(buffer, size, characters.lower[code])
            for j in range(first, size):
                hashed = (hashed ^ int(buffer[j])) * STEP
            at += width
        is_number &= kind == DIGIT
        length += 1
    return Run(at, size, length, hashed, is_number)


@kernel
def starts_url(text: Bytes, at: int, end: int, size: int, buffer: Bytes) -> bool:
    """Say whether the run in the buffer, and what follows it, are ``https?://`` or ``www.``."""
    if size == 3 and at < end and text[at] == DOT:
        return bool(buffer[0] == W and buffer[1] == W and buffer[2] == W)
    if not (size == 4 or (size == 5 and buffer[4] == S)) or at + 2 >= end:
        return False
    if text[at] != COLON or text[at + 1] != SLASH or text[at + 2] != SLASH:
        return False
    return bool(buffer[0] == H and buffer[1] == T and buffer[2] == T and buffer[3] == P)


@kernel
def skip_url(text: Bytes, at: int, end: int, characters: Characters) -> int:
    r"""Return where ``[^\s<>"]*`` ends."""
    while at < end:
        code, width = read(text, at)
        if characters.kinds[code] == SPACE or code in (QUOTE, LESS, GREATER):
            break
        at += width
    return at


@kernel
def read(text: Bytes, at: int) -> tuple[int, int]:
    """Return the code point of the character at a place in UTF-8, and its bytes."""
    lead: Any = np.int64(text[at])
    if lead < 0x80:
        return lead, 1
    if lead < 0xE0:
        return (lead & 0x1F) << 6 | (text[at + 1] & 0x3F), 2
    if lead < 0xF0:
        return (lead & 0x0F) << 12 | (text[at + 1] & 0x3F) << 6 | (text[at + 2] & 0x3F), 3
    upper = (lead & 0x07) << 18 | (text[at + 1] & 0x3F) << 12
    return upper | (text[at + 2] & 0x3F) << 6 | (text[at + 3] & 0x3F), 4


@kernel
def write(buffer: Bytes, at: int, code: int) -> int:
    """Write a code point in UTF-8; return where it ends."""
    if code < 0x80:
        buffer[at] = code
        return at + 1
    n = 1 if code < 0x800 else (2 if code < 0x10000 else 3)  # bytes after the first
    buffer[at] = ((0xFF00 >> (n + 1)) & 0xFF) | (code >> (6 * n))
    for j in range(1, n + 1):
        buffer[at + j] = 0x80 | ((code >> (6 * (n - j))) & 0x3F)
    return at + n + 1
