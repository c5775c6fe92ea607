"""Table: words by their bytes, in arrays that kernels can search and add to.

Open addressing with linear probing: a word's hash says where to look first, and its bytes decide.
Words are numbered in the order in which they were added.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Ints
from spectralleader.runtime.compiled import inlined, kernel, shared
from spectralleader.text.packing import Bytes, decode, encode

UPPER = -(2**32)  # the upper half of a slot: as much of the hash
LOWER = 2**32 - 1  # the lower half: the word's number plus 1
SEED = 0x345678DCBA987  # any odd numbers with many bits set will do
STEP = 0x5851F42D4C957F2D
FINISH = 0x2545F4914F6CDD1D
ROOM = 16  # words that a new table has room for


class Table(NamedTuple):
    """A table of words; `enlarged` returns one with more room, everything else works in place."""

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


def copied(table: Table) -> Table:
    """Return a table of the same words, to be searched while words are added to the other."""
    words, totals = (table.slots.copy(), table.starts.copy(), table.arena.copy()), table.totals
    return Table(*words, totals.copy(), table.size.copy())


def look_up(table: Table, words: list[str], *, adds: bool) -> tuple[Ints, Table]:
    """Return the words' numbers, and the table with those added that were not there.

    Unless it `adds`, the table stays as it is and unknown words have the number -1.
    """
    text, ends = encode(words)
    packed = np.frombuffer(bytearray(text + bytes(8)), np.uint8)  # writable, as folded texts are
    numbers, done = np.empty(len(ends), np.int64), 0
    while (done := look_up_packed(table, packed, ends, adds, numbers, done)) < len(ends):
        table = enlarged(table)
    return numbers, table


def enlarged(table: Table) -> Table:
    """Return a table with twice the room, for words if that is full, for their bytes if not.

    The old one stays valid. This is not done in a kernel: a signal handler that raises while a
    kernel returns a table, which is a Python object, ends the interpreter.
    """
    n, size = int(table.size[0]), table.size.copy()
    if n < len(table.totals):
        arena = np.concatenate([table.arena, np.zeros_like(table.arena)])
        return Table(table.slots.copy(), table.starts.copy(), arena, table.totals.copy(), size)
    slots = np.zeros(2 * len(table.slots), np.int64)  # at most half of them are taken
    place_all(table.slots, slots)
    starts, totals = np.zeros(2 * n + 1, np.int64), np.zeros(2 * n, np.int64)
    starts[: n + 1], totals[:n] = table.starts, table.totals
    return Table(slots, starts, table.arena.copy(), totals, size)


def words_of(table: Table) -> list[str]:
    """Return the words in the order of their numbers."""
    n = int(table.size[0])
    return decode(table.arena[: table.starts[n]].tobytes(), table.starts[1 : n + 1])


@kernel
def look_up_packed(
    table: Table,
    text: Bytes,
    ends: Ints,
    adds: bool,  # noqa: FBT001  # kernels have no keywords
    numbers: Ints,
    first: int,
) -> int:
    """``numbers[first:] = [words.index(word) for word in packed_words[first:]]``, see `look_up`.

    Totals count additions. Returns the number of words that are done: fewer than there are if the
    table is full.
    """
    start = ends[first - 1] if first > 0 else 0
    for i in range(first, len(ends)):
        end = ends[i]
        hashed = hash_word(text, start, end)
        number = find(table.slots, table.starts, table.arena, text, start, end, hashed)
        if number < 0 and adds:
            if not has_room(table, end - start):
                return i
            number = add(table, text, start, end, hashed)
        if adds:
            table.totals[number] += 1
        numbers[i] = number
        start = end
    return len(ends)


@shared
def eight(text: Bytes, at: int, n: int) -> int:
    """Return 8 bytes of text as an integer, or, with 0s, the first n if there are fewer.

    The text must go on for 8 bytes: they are loaded at once.
    """
    i = np.uint64(at)  # an index without a sign need not be looked at: negative ones count back
    loaded = np.uint64(0)
    for j in range(8):
        loaded |= np.uint64(text[i + np.uint64(j)]) << np.uint64(8 * j)
    if n < 8:
        loaded &= (np.uint64(1) << np.uint64(8 * n)) - np.uint64(1)
    return np.int64(loaded)  # type: ignore[return-value]  # an integer to kernels


@shared
def hash_word(text: Bytes, start: int, end: int) -> int:
    """Return a hash of the bytes from start to end; 8 more must follow. Its upper half is good."""
    hashed = SEED
    for at in range(start, end, 8):
        hashed = (hashed ^ eight(text, at, end - at)) * STEP
        hashed ^= hashed >> 29
    return hashed * FINISH


@shared
def find(
    slots: Ints, starts: Ints, arena: Bytes, text: Bytes, start: int, end: int, hashed: int
) -> int:
    """Return the number of the word ``text[start:end]`` in a table of these arrays, or -1."""
    mask = len(slots) - 1
    at = (hashed >> 32) & mask
    while slots[at] != 0:
        if (slots[at] ^ hashed) & UPPER == 0:
            number: int = (slots[at] & LOWER) - 1
            if starts[number + 1] - starts[number] == end - start:
                behind = starts[number] - start
                j = start
                while j < end and eight(text, j, end - j) == eight(arena, behind + j, end - j):
                    j += 8
                if j >= end:
                    return number
        at = (at + 1) & mask
    return -1


@inlined
def has_room(table: Table, size: int) -> bool:
    """Return whether one more word of that many bytes fits; 8 more stay free."""
    n = table.size[0]
    return bool(n < len(table.totals) and table.starts[n] + size + 8 <= len(table.arena))


@shared
def add(table: Table, text: Bytes, start: int, end: int, hashed: int) -> int:
    """Append the word ``text[start:end]``, not there yet, to a table with room for it."""
    number: int = table.size[0]
    table.size[0] += 1
    at = table.starts[number]
    table.starts[number + 1] = at + end - start
    for j in range(end - start):
        table.arena[at + j] = text[start + j]
    place(table.slots, (hashed & UPPER) | (number + 1))
    return number


@inlined
def place(slots: Ints, slot: int) -> None:
    """Put a slot where a search will find it."""
    mask = len(slots) - 1
    at = (slot >> 32) & mask
    while slots[at] != 0:
        at = (at + 1) & mask
    slots[at] = slot


@kernel
def place_all(slots: Ints, larger: Ints) -> None:
    """Put every slot that is taken into a larger array of slots."""
    for slot in slots:
        if slot != 0:
            place(larger, slot)
