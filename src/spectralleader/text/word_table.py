"""WordTable: a hash table from words, as UTF-8 bytes, to numbers, in arrays for kernels.

Open addressing with linear probing: the hash gives the first slot to probe, and a comparison of
bytes decides. Words are numbered in the order of insertion.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Ints
from spectralleader.runtime.compiled import in_place, inlined, shared
from spectralleader.text.packing import Bytes, decode, encode

UPPER = -(2**32)  # the upper half of a slot: as much of the hash
LOWER = 2**32 - 1  # the lower half: the word's number plus 1
SEED = 0x345678DCBA987  # any odd numbers with many bits set will do
STEP = 0x5851F42D4C957F2D
FINISH = 0x2545F4914F6CDD1D
ROOM = 16  # words that a new table has room for


class WordTable(NamedTuple):
    """A hash table of words. Kernels modify it in place; only `enlarge` returns a new one."""

    slots: Ints  # (a power of 2,) hash and number of a word, or 0
    starts: Ints  # (room + 1,) word i is arena[starts[i] : starts[i + 1]]
    arena: Bytes  # words end to end, UTF-8
    totals: Ints  # (room,) number of occurrences of each word
    size: Ints  # (1,) the number of words


def empty_table() -> WordTable:
    """Return an empty table."""
    return WordTable(
        np.zeros(2 * ROOM, np.int64),
        np.zeros(ROOM + 1, np.int64),
        np.zeros(8 * ROOM, np.uint8),
        np.zeros(ROOM, np.int64),
        np.zeros(1, np.int64),
    )


def copy_table(table: WordTable) -> WordTable:
    """Return an independent copy, to be searched while words are added to the original."""
    words, totals = (table.slots.copy(), table.starts.copy(), table.arena.copy()), table.totals
    return WordTable(*words, totals.copy(), table.size.copy())


def look_up(table: WordTable, words: list[str], *, adds: bool) -> tuple[Ints, WordTable]:
    """Return the numbers of words, and the table.

    If `adds`, unknown words are added, and the table may be an enlarged one. Otherwise the table is
    unchanged and unknown words have the number -1.
    """
    text, ends = encode(words)
    packed = np.frombuffer(bytearray(text + bytes(8)), np.uint8)  # writable, as folded texts are
    numbers, done = np.empty(len(ends), np.int64), 0
    # The kernel stops at the first word for which there is no room, and resumes with it.
    while (done := look_up_packed(table, packed, ends, adds, numbers, done)) < len(ends):
        table = enlarge(table)
    return numbers, table


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


def words_of(table: WordTable) -> list[str]:
    """Return the words in the order of their numbers."""
    n = int(table.size[0])
    return decode(table.arena[: table.starts[n]].tobytes(), table.starts[1 : n + 1])


@in_place
def look_up_packed(
    table: WordTable,
    text: Bytes,
    ends: Ints,
    adds: bool,  # noqa: FBT001  # kernels have no keywords
    numbers: Ints,
    first: int,
) -> int:
    """``numbers[first:] = [words.index(word) for word in packed_words[first:]]``, see `look_up`.

    If `adds`, the totals are updated. Returns the number of words done, which is less than their
    total number if the table is full.
    """
    start = ends[first - 1] if first > 0 else 0
    for i in range(first, len(ends)):
        end = ends[i]
        hashed = hash_word(text, start, end)
        number = find_word(table.slots, table.starts, table.arena, text, start, end, hashed)
        if number < 0 and adds:
            if not has_room(table, end - start):
                return i
            number = add_word(table, text, start, end, hashed)
        if adds:
            table.totals[number] += 1
        numbers[i] = number
        start = end
    return len(ends)


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
