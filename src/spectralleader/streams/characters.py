r"""Characters: lower case and kind of every character, as Python's `str` and `re` see them."""

from __future__ import annotations

import re
import sys
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spectralleader.streams.packing import Bytes

OTHER, SPACE, LETTER, DIGIT = 0, 1, 2, 3  # LETTER: whatever \w takes beside the digits of \d
PATTERNS = {SPACE: r"\s+", LETTER: r"\w+", DIGIT: r"\d+"}  # digits last: they are \w too
# Lower case depends on the neighbours, or is two characters: left to `str.lower`.
SPECIAL = ("\N{GREEK CAPITAL LETTER SIGMA}", "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}")


class Characters(NamedTuple):
    """Tables by code point, shape (1,114,112,), or (128,) where texts are ASCII."""

    lower: NDArray[np.int32]  # the character's lower case, itself for the special ones
    kinds: Bytes  # what that one is


@cache
def ascii_characters() -> Characters:
    """Return the tables for texts in ASCII, at once."""
    return _describe(128)


@cache
def all_characters() -> Characters:
    """Return the tables for all texts; making them takes a moment."""
    return _describe(sys.maxunicode + 1)


def _describe(n: int) -> Characters:
    every = np.arange(n, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    for character in SPECIAL:
        every = every.replace(character, "\0")  # as long, and put back below
    lowered = every.lower()
    lower = np.frombuffer(lowered.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.int32)
    for character in SPECIAL:
        lower[ord(character) : ord(character) + 1] = ord(character)
    kinds = np.zeros(n, np.uint8)
    for kind, pattern in PATTERNS.items():
        for found in re.finditer(pattern, lowered):
            kinds[found.start() : found.end()] = kind
    return Characters(lower, kinds)
