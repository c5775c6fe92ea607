"""Tally: the counts of documents, one after the other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spectralleader.compiled import kernel
from spectralleader.documents import Floats, Ints, WordIds

FEW = 40  # numbers that are sorted fastest by insertion


class Tally(NamedTuple):
    """Distinct words and their counts, with room for more."""

    words: WordIds
    counts: Floats
    size: Ints  # (1,) entries so far


@kernel
def empty_tally(room: int) -> Tally:
    """Return a tally of nothing."""
    room = max(room, 16)
    return Tally(np.empty(room, np.int32), np.empty(room, np.float64), np.zeros(1, np.int64))


@kernel
def add_document(tally: Tally, numbers: WordIds) -> Tally:
    """Append ``np.unique(numbers, return_counts=True)``; `numbers` are sorted in place."""
    at = tally.size[0]
    if at + len(numbers) > len(tally.words):
        tally = enlarged(tally, 2 * (at + len(numbers)))
    sort(numbers)
    words, counts = tally.words, tally.counts
    for i in range(len(numbers)):
        if i > 0 and numbers[i] == numbers[i - 1]:
            counts[at - 1] += 1
        else:
            words[at] = numbers[i]
            counts[at] = 1
            at += 1
    tally.size[0] = at
    return tally


@kernel
def enlarged(tally: Tally, room: int) -> Tally:
    """Return the tally with more room."""
    at = tally.size[0]
    words, counts = np.empty(room, np.int32), np.empty(room, np.float64)
    words[:at] = tally.words[:at]
    counts[:at] = tally.counts[:at]
    return Tally(words, counts, tally.size)


@kernel
def sort(numbers: WordIds) -> None:
    """``numbers.sort()``, quick where there are few."""
    if len(numbers) > FEW:
        numbers.sort()
        return
    for i in range(1, len(numbers)):
        number, j = numbers[i], i
        while j > 0 and numbers[j - 1] > number:
            numbers[j] = numbers[j - 1]
            j -= 1
        numbers[j] = number
