r"""Characters: lower case and kind of every character, as Python's `str` and `re` see them."""

from __future__ import annotations

import re
import sys
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spectralleader.runtime.compiled import inlined, kernel, shared
from spectralleader.text.packing import Bytes

# Kinds stand above the code points; a letter is what \w takes but for the digits, \d.
SPACE, LETTER, DIGIT = 1 << 21, 2 << 21, 3 << 21
KIND, CODE = DIGIT, SPACE - 1  # masks
PATTERNS = {SPACE: r"\s+", LETTER: r"\w+", DIGIT: r"\d+"}  # digits last: they are \w too
# Their lower case depends on the neighbours, or is two characters.
IRREGULAR = "\N{GREEK CAPITAL LETTER SIGMA}", "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}"
SPECIAL = -1

# By code point: lower case and kind of that, or SPECIAL where lower case has not as many bytes.
Characters = NDArray[np.int32]


@cache
def ascii_characters() -> Characters:
    """Return the table for texts in ASCII, at once."""
    return _describe(128)


@cache
def all_characters() -> Characters:
    """Return the table for all texts; making it takes a moment."""
    return _describe(sys.maxunicode + 1)


def _describe(n: int) -> Characters:
    every = np.arange(n, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    for character in IRREGULAR:
        every = every.replace(character, "\0")  # which has less bytes, so that it will be special
    lowered = every.lower()
    codes = np.frombuffer(lowered.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.int32)
    kinds = np.zeros(n, np.int32)
    for kind, pattern in PATTERNS.items():
        for found in re.finditer(pattern, lowered):
            kinds[found.start() : found.end()] = kind
    is_special = _widths(codes) != _widths(np.arange(n))
    return np.where(is_special, np.int32(SPECIAL), codes | kinds)


def _widths(codes: NDArray[Any]) -> NDArray[Any]:
    """Return how many bytes characters have in UTF-8."""
    return np.searchsorted([0x80, 0x800, 0x10000], codes, side="right")


@kernel
def fold(text: Bytes, characters: Characters, folded: Bytes) -> bool:
    r"""Write UTF-8 in lower case, byte by byte, leaving out whatever is not ``\w``.

    `folded` holds 0s, 8 more than there are bytes. Returns whether the outcome is right: with a
    special character it is not, and needs `str.lower`.
    """
    at: Any = np.int64(0)  # else `read` is compiled for the constant, too
    while at < len(text):
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
    """Return the code point of the character at a place in UTF-8, and how many bytes it has."""
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
    """Write a code point in UTF-8, in 2 to 4 bytes."""
    for j in range(width - 1, 0, -1):
        text[at + j] = 0x80 | (code & 0x3F)
        code >>= 6
    text[at] = ((0xFF00 >> width) & 0xFF) | code
