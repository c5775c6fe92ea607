"""WordTable: a hash table from words, as UTF-8 bytes, to numbers, in arrays for kernels.

Open addressing with linear probing: the hash gives the first slot to probe, and a comparison of
bytes decides. Words are numbered in the order of insertion.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.checks.states import integers, part
from spectralleader.runtime.compiled import in_place, inlined, shared
from spectralleader.text.texts import Bytes, Strings, decode, encode

UPPER = -(2**32)  # the upper half of a slot: as much of the hash
LOWER = 2**32 - 1  # the lower half: the word's number plus 1
SEED = 0x345678DCBA987  # any odd numbers with many bits set will do
STEP = 0x5851F42D4C957F2D  # as SEED
FINISH = 0x2545F4914F6CDD1D
UNKNOWN, FULL, RARE = -1, -2, -3  # instead of a word's number; rare words count down from RARE
ROOM = 16  # words that a new table has room for
# Words that are added at their first occurrence, whatever the minimum: with few documents most
# words are rare, and a model of a handful of texts should have their words.
N_AT_ONCE = 1000
LONGEST = 512  # bytes of a word that is added: with longer ones, words would not bound the memory


class WordTable(NamedTuple):
    """A hash table of words. Kernels modify it in place; only `enlarge` returns a new one."""

    slots: Ints  # (a power of 2,) hash and number of a word, or 0
    starts: Ints  # (room + 1,) word i is arena[starts[i] : starts[i + 1]]
    arena: Bytes  # words end to end, UTF-8
    totals: Ints  # (room,) number of occurrences of each word
    size: Ints  # (2,) the number of words, and of occurrences of those that were too long

    def words(self) -> Strings:
        """Return the words in the order of their numbers."""
        n = int(self.size[0])
        return Strings(decode(self.arena[: self.starts[n]].tobytes(), self.starts[1 : n + 1]))

    def to_state(self) -> dict[str, Any]:
        """Return the words and their totals."""
        n = int(self.size[0])
        # The arena is what `Strings` would encode, which takes ten times as long.
        words = {"text": self.arena[: self.starts[n]].copy(), "ends": self.starts[1 : n + 1].copy()}
        return {"words": words, "totals": self.totals[:n].copy()}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> WordTable:
        """Return the table that `to_state` described."""
        words = Strings.from_state(part(state, "words"))
        return make_table(words, integers(state, "totals", (len(words),)))


class Tables(NamedTuple):
    """The words that are counted, and the rare ones that may become such a word."""

    known: WordTable
    rare: WordTable  # its totals are of whole documents, so that the blocks make no difference


def empty_table() -> WordTable:
    """Return an empty table."""
    return WordTable(
        np.zeros(2 * ROOM, np.int64),
        np.zeros(ROOM + 1, np.int64),
        np.zeros(8 * ROOM, np.uint8),
        np.zeros(ROOM, np.int64),
        np.zeros(2, np.int64),
    )


def look_up(table: WordTable, words: Sequence[str]) -> Ints:
    """Return the numbers of words, -1 for unknown ones."""
    tables, one_document = Tables(table, table), np.array([len(words)])
    return add_documents(tables, words, one_document, None, min_count=0)[0]


def make_table(words: Sequence[str], totals: Ints | int = 0) -> WordTable:
    """Return the table of given words; raise `ValueError` if any is invalid or repeated."""
    for word in cast("Sequence[Any]", words):
        if not isinstance(word, str) or not word:
            raise ValueError(f"a vocabulary is made of words, got {word!r}")
    tables, one_document = Tables(empty_table(), empty_table()), np.array([len(words)])
    numbers, (table, _) = add_documents(tables, words, one_document, None, min_count=1)
    if len(wrong := np.flatnonzero(numbers != np.arange(len(words)))):
        how = "twice" if numbers[wrong[0]] >= 0 else f"with more than {LONGEST} bytes"
        raise ValueError(f"the vocabulary has the word {words[wrong[0]]!r:.60} {how}")
    table.totals[: len(words)] = totals
    return table


def add_documents(
    tables: Tables, words: Sequence[str], lengths: Ints, counts: Floats | None, *, min_count: int
) -> tuple[Ints, Tables]:
    """Return the numbers of the words of documents, -1 for those not counted, and the tables.

    An unknown word is added by the first document before which it occurred at least
    ``min_count - 1`` times; the first `N_AT_ONCE` words are added at once. If `min_count` is 0,
    nothing is added or counted.

    Parameters
    ----------
    words : sequence of str
        The words of all documents, end to end; `lengths` has their numbers.
    counts : array, optional
        How often each occurs. Defaults to once.
    """
    text, ends = encode(words)
    packed = np.frombuffer(bytearray(text + bytes(8)), np.uint8)  # writable, as folded texts are
    numbers, done, bounds = np.empty(len(ends), np.int64), 0, np.cumsum([0, *lengths.tolist()])
    counts = np.ones(len(ends)) if counts is None else counts
    # The kernel stops at the first document for which there is no room, and resumes with it.
    while True:
        done = look_up_packed(tables, packed, ends, counts, bounds, min_count, numbers, done)
        if done == len(bounds) - 1:
            return numbers, tables
        tables = enlarge_full(tables)


def enlarge_full(tables: Tables) -> Tables:
    """Return the tables with more room, after a kernel found one of them full."""
    if not any(has_all_words(table) for table in tables):  # the bytes of a word did not fit
        free = [len(table.arena) - int(table.starts[table.size[0]]) for table in tables]
        return Tables(
            *(enlarge(one) if n == min(free) else one for one, n in zip(tables, free, strict=True))
        )
    return Tables(*(enlarge(one) if has_all_words(one) else one for one in tables))


def has_all_words(table: WordTable) -> bool:
    """Return whether there is no room for another word, however short."""
    return int(table.size[0]) == len(table.totals)


def enlarge(table: WordTable) -> WordTable:
    """Return a table with twice the capacity for words, or for bytes if only those are full.

    The old table remains valid. This is not a kernel: a signal handler that raises while Numba
    boxes a returned table crashes the interpreter.
    """
    n, size = int(table.size[0]), table.size.copy()
    # There is room for more words, so it is the arena that is full.
    if n < len(table.totals):
        arena = np.concatenate([table.arena, np.zeros_like(table.arena)])
        return WordTable(table.slots.copy(), table.starts.copy(), arena, table.totals.copy(), size)
    slots = np.zeros(2 * len(table.slots), np.int64)  # at most half of them are taken
    # A slot contains the part of the hash that decides its place: no word is hashed again.
    insert_all_slots(table.slots, slots)
    starts, totals = np.zeros(2 * n + 1, np.int64), np.zeros(2 * n, np.int64)
    starts[: n + 1], totals[:n] = table.starts, table.totals
    return WordTable(slots, starts, table.arena.copy(), totals, size)


@in_place
def look_up_packed(
    tables: Tables,
    text: Bytes,
    ends: Ints,
    counts: Floats,
    bounds: Ints,
    min_count: int,
    numbers: Ints,
    first: int,
) -> int:
    """Set the numbers of the words of each document from `first` on, see `add_documents`.

    Document i has the words ``bounds[i]`` to ``bounds[i + 1]``. Returns the number of documents
    done, which is less than their total number if a table is full.
    """
    for i in range(first, len(bounds) - 1):
        start = ends[bounds[i] - 1] if bounds[i] > 0 else 0
        for j in range(bounds[i], bounds[i + 1]):
            hashed = hash_word(text, start, ends[j])
            numbers[j] = number_of(tables, text, start, ends[j], hashed, min_count)
            if numbers[j] == FULL:
                return i
            start = ends[j]
        # Only when the whole document fits: one that is read again must not be counted twice.
        for j in range(bounds[i], bounds[i + 1]):
            if min_count > 0:
                count_word(tables, numbers[j], counts[j])
            if numbers[j] < 0:
                numbers[j] = UNKNOWN
    return len(bounds) - 1


@shared
def number_of(
    tables: Tables, text: Bytes, start: int, end: int, hashed: int, min_count: int
) -> int:
    """Return the number of the word ``text[start:end]``, which may be added, see `add_documents`.

    That of a rare word is ``RARE - number``; `UNKNOWN` if nothing is added, `FULL` without room.
    """
    known, rare = tables.known, tables.rare
    number = find_word(known.slots, known.starts, known.arena, text, start, end, hashed)
    if number >= 0:
        return number
    if min_count == 0 or end - start > LONGEST:
        return UNKNOWN
    n_before = 0
    if min_count > 1 and known.size[0] >= N_AT_ONCE:
        number = find_word(rare.slots, rare.starts, rare.arena, text, start, end, hashed)
        if number < 0:
            if not has_room(rare, end - start):
                return FULL
            number = add_word(rare, text, start, end, hashed)
        n_before = rare.totals[number]
        if n_before < min_count - 1:
            return RARE - number
    if not has_room(known, end - start):
        return FULL
    number = add_word(known, text, start, end, hashed)
    # It remains in the rare table, where it is no longer searched for, until that is pruned.
    known.totals[number] = n_before
    return number


@shared
def count_word(tables: Tables, number: int, count: float) -> None:
    """Count a word by the number that `number_of` returned."""
    if number >= 0:
        tables.known.totals[number] += np.int64(count)
    elif number == UNKNOWN:
        tables.known.size[1] += np.int64(count)
    else:
        tables.rare.totals[RARE - number] += np.int64(count)


@shared
def load_8_bytes(text: Bytes, at: int, n: int) -> int:
    """Return the 8 bytes of text at an offset as an integer; for n < 8, the first n and zeros.

    All 8 bytes must be readable, because they are loaded at once.
    """
    i = np.uint64(at)  # unsigned: Numba checks a signed index for wrap-around
    loaded = np.uint64(0)
    for j in range(8):
        # Little-endian, whatever the machine; on little-endian ones this is a single load.
        loaded |= np.uint64(text[i + np.uint64(j)]) << np.uint64(8 * j)
    if n < 8:
        loaded &= (np.uint64(1) << np.uint64(8 * n)) - np.uint64(1)
    return np.int64(loaded)  # type: ignore[return-value]  # an integer to kernels


@shared
def hash_word(text: Bytes, start: int, end: int) -> int:
    """Return a hash of ``text[start:end]``, best mixed in its upper half; 8 bytes must follow."""
    hashed = SEED
    for at in range(start, end, 8):
        hashed = (hashed ^ load_8_bytes(text, at, end - at)) * STEP
        # Products carry only towards higher bits; the shift brings these back down.
        hashed ^= hashed >> 29
    return hashed * FINISH


@shared
def find_word(
    slots: Ints, starts: Ints, arena: Bytes, text: Bytes, start: int, end: int, hashed: int
) -> int:
    """Return the number of the word ``text[start:end]`` in a table of these arrays, or -1."""
    # At most half of the slots are taken, so that probing always ends at an empty one.
    mask = len(slots) - 1
    at = (hashed >> 32) & mask
    while slots[at] != 0:
        # Compare 32 bits of the hash first: the bytes of other words are hardly ever read.
        if (slots[at] ^ hashed) & UPPER == 0:
            number: int = (slots[at] & LOWER) - 1
            if starts[number + 1] - starts[number] == end - start:
                # Lengths are equal by now, so both sides have the same number of bytes left.
                behind = starts[number] - start
                j = start
                while j < end and load_8_bytes(text, j, end - j) == load_8_bytes(
                    arena, behind + j, end - j
                ):
                    j += 8
                if j >= end:
                    return number
        at = (at + 1) & mask
    return -1


@inlined
def has_room(table: WordTable, size: int) -> bool:
    """Return whether one more word of `size` bytes fits, with 8 spare bytes after it."""
    n = table.size[0]
    return bool(n < len(table.totals) and table.starts[n] + size + 8 <= len(table.arena))


@shared
def add_word(table: WordTable, text: Bytes, start: int, end: int, hashed: int) -> int:
    """Append the unknown word ``text[start:end]``, which must fit; return its number."""
    number: int = table.size[0]
    table.size[0] += 1
    at = table.starts[number]
    table.starts[number + 1] = at + end - start
    for j in range(end - start):
        table.arena[at + j] = text[start + j]
    # The number plus 1, because 0 is an empty slot.
    insert_slot(table.slots, (hashed & UPPER) | (number + 1))
    return number


@inlined
def insert_slot(slots: Ints, slot: int) -> None:
    """Insert a slot by linear probing."""
    mask = len(slots) - 1
    at = (slot >> 32) & mask
    while slots[at] != 0:
        at = (at + 1) & mask
    slots[at] = slot


@in_place
def insert_all_slots(slots: Ints, larger: Ints) -> None:
    """Insert all used slots into a larger array of slots."""
    for slot in slots:
        if slot != 0:
            insert_slot(larger, slot)
