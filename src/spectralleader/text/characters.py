r"""Characters: tables of lower case and character class, consistent with `str` and `re`."""

from __future__ import annotations

import re
import sys
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spectralleader.runtime.compiled import in_place, inlined, shared
from spectralleader.text.packing import Bytes

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
    # `packing.encode` has written the text: the lead byte is valid and gives the width.
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
