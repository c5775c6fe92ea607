import re
import sys

import numpy as np

from spectralleader.text.scan import (
    CODE,
    DIGIT,
    KIND,
    LETTER,
    SPACE,
    SPECIAL,
    all_characters,
    ascii_characters,
)

EVERY = [chr(code) for code in range(sys.maxunicode + 1)]


def size(text):
    return len(text.encode(errors="surrogatepass"))


def test_every_character_has_pythons_lower_case_or_is_special():
    for character, entry in zip(EVERY, all_characters().tolist(), strict=True):
        if entry == SPECIAL:
            assert size(character.lower()) != size(character) or character == "Σ"
        else:
            assert chr(entry & CODE) == character.lower()


def test_lower_case_has_no_special_characters():
    characters = all_characters()
    for code in np.flatnonzero(characters == SPECIAL).tolist():
        assert all(characters[ord(part)] != SPECIAL for part in chr(code).lower())


def test_every_character_has_the_kind_that_re_says():
    kinds = (all_characters() & KIND).tolist()
    patterns = {DIGIT: r"\d", LETTER: r"(?!\d)\w", SPACE: r"\s", 0: r"[^\w\s]"}
    by_kind = {kind: re.compile(pattern).fullmatch for kind, pattern in patterns.items()}
    for code, (character, kind) in enumerate(zip(EVERY, kinds, strict=True)):
        if all_characters()[code] != SPECIAL:
            assert by_kind[kind](character.lower())


def test_the_table_for_ascii_is_the_beginning_of_the_whole_one():
    np.testing.assert_array_equal(ascii_characters(), all_characters()[:128])
