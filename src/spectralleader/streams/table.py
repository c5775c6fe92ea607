"""Table: words by their bytes, in arrays that kernels can search and add to.

Open addressing with linear probing: a word's hash says where to look first, and its bytes decide.
Words are numbered in the order in which they were added.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spectralleader.compiled import kernel
from spectralleader.documents import Ints
from spectralleader.streams.packing import Bytes, decode, encode

UPPER = -(2**32)  # the upper half of a slot: as much of the hash
LOWER = 2**32 - 1  # the lower half: the word's number plus 1
SEED = 0x345678DCBA987  # any odd numbers with many bits set will do
STEP = 0x100000001B3
FINISH = 0x1D8AF066B9D6E8B5
ROOM = 16  # words that a new table has room for


class Table(NamedTuple):
    """A table of words; `grown` returns one with more room, everything else works in place."""

    slots: Ints  # (a power of 2,) hash and number of a word, or 0
    starts: Ints  # (room + 1,) word i is arena[starts[i] : starts[i + 1]]
    arena: Bytes  # words end to end, UTF-8
    totals: Ints  # (room,) how often each word was met
    size: Ints  # (1,) the number of words


def empty_table() -> Table:
    """Return a table of no words."""
    return Table(
        np.zeros(2 * ROOM, np.int64),
        np.zeros(ROOM + 1, np.int64),
        np.zeros(8 * ROOM, np.uint8),
        np.zeros(ROOM, np.int64),
        np.zeros(1, np.int64),
    )


def look_up(table: Table, words: list[str], *, adds: bool) -> tuple[Ints, Table]:
    """Return the words' numbers, and the table with those added that were not there.

    Unless it `adds`, the table stays as it is and unknown words have the number -1.
    """
    text, ends = encode(words)
    return look_up_packed(table, np.frombuffer(text, np.uint8), ends, adds)


def words_of(table: Table) -> list[str]:
    """Return the words in the order of their numbers."""
    n = int(table.size[0])
    return decode(table.arena[: table.starts[n]].tobytes(), table.starts[1 : n + 1])


@kernel
def look_up_packed(table: Table, text: Bytes, ends: Ints, adds: bool) -> tuple[Ints, Table]:  # noqa: FBT001  # kernels have no keywords
    """``[words.index(word) for word in packed words]``, see `look_up`; adding counts as meeting."""
    numbers = np.empty(len(ends), np.int64)
    start = 0
    for i in range(len(ends)):
        hashed = SEED
        for j in range(start, ends[i]):
            hashed = (hashed ^ int(text[j])) * STEP
        word = text[start : ends[i]]
        hashed = finish(hashed)
        numbers[i] = find(table, word, len(word), hashed)
        if adds:
            if numbers[i] < 0:
                table = with_room(table, len(word))
                numbers[i] = add(table, word, len(word), hashed)
            table.totals[numbers[i]] += 1
        start = ends[i]
    return numbers, table


@kernel
def finish(hashed: int) -> int:
    """Stir a hash so that all bytes have a say in its upper half."""
    return (hashed ^ (hashed >> 29)) * FINISH


@kernel
def find(table: Table, word: Bytes, length: int, hashed: int) -> int:
    """Return the number of the word ``word[:length]``, or -1."""
    slots, starts, arena = table.slots, table.starts, table.arena
    mask = len(slots) - 1
    at = (hashed >> 32) & mask
    while slots[at] != 0:
        if (slots[at] ^ hashed) & UPPER == 0:
            number: int = (slots[at] & LOWER) - 1
            start = starts[number]
            if starts[number + 1] - start == length:
                j = 0
                while j < length and arena[start + j] == word[j]:
                    j += 1
                if j == length:
                    return number
        at = (at + 1) & mask
    return -1


@kernel
def add(table: Table, word: Bytes, length: int, hashed: int) -> int:
    """Append a word that is not there to a table with room; return its number."""
    number: int = table.size[0]
    table.size[0] += 1
    start = table.starts[number]
    table.starts[number + 1] = start + length
    table.arena[start : start + length] = word[:length]
    table.totals[number] = 0
    place(table.slots, (hashed & UPPER) | (number + 1))
    return number


@kernel
def place(slots: Ints, slot: int) -> None:
    """Put a slot where a search will find it."""
    mask = len(slots) - 1
    at = (slot >> 32) & mask
    while slots[at] != 0:
        at = (at + 1) & mask
    slots[at] = slot


@kernel
def with_room(table: Table, length: int) -> Table:
    """Return a table with room for one more word of that length: the same one if it has it."""
    number = table.size[0]
    used = table.starts[number]
    slots, starts, arena, totals = table.slots, table.starts, table.arena, table.totals
    if used + length > len(arena):
        arena = np.empty(2 * (used + length), np.uint8)
        arena[:used] = table.arena[:used]
    if number == len(totals):
        totals = np.zeros(2 * number, np.int64)
        totals[:number] = table.totals
        starts = np.zeros(2 * number + 1, np.int64)
        starts[: number + 1] = table.starts
        slots = np.zeros(4 * number, np.int64)  # at most half of the slots are taken
        for slot in table.slots:
            if slot != 0:
                place(slots, slot)
    return Table(slots, starts, arena, totals, table.size)
