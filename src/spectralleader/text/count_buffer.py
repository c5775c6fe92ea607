"""Tally: the counts of documents, one after the other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.runtime.compiled import inlined

# Gaps of Shell sort (Ciura 2001); few numbers are sorted by insertion alone. NumPy's sort would
# take a second to compile.
GAPS = (1750, 701, 301, 132, 57, 23, 10, 4, 1)


class Tally(NamedTuple):
    """Distinct words of documents and their counts, as CSR arrays with room for all."""

    indptr: Ints  # (n_docs + 1,)
    words: WordIds
    counts: Floats


def empty_tally(n_docs: int, n_bytes: int) -> Tally:
    """Return a tally with room for the words of so many texts, n_bytes in all.

    Words have something between them, so there is at most one for two bytes. Memory that is not
    written to is not taken.
    """
    room = n_bytes // 2 + n_docs
    return Tally(np.zeros(n_docs + 1, np.int64), np.empty(room, np.int32), np.empty(room))


@inlined
def add_document(tally: Tally, i: int, numbers: WordIds) -> None:
    """Append ``np.unique(numbers, return_counts=True)`` as row i; `numbers` are sorted in place."""
    at = tally.indptr[i]
    sort(numbers)
    words, counts = tally.words, tally.counts
    for j in range(len(numbers)):
        if j > 0 and numbers[j] == numbers[j - 1]:
            counts[at - 1] += 1
        else:
            words[at] = numbers[j]
            counts[at] = 1
            at += 1
    tally.indptr[i + 1] = at


@inlined
def sort(numbers: WordIds) -> None:
    """``numbers.sort()``, quick where there are few."""
    for gap in GAPS:
        if gap > 1 and 4 * gap > len(numbers):
            continue
        for i in range(gap, len(numbers)):
            number, j = numbers[i], i
            while j >= gap and numbers[j - gap] > number:
                numbers[j] = numbers[j - gap]
                j -= gap
            numbers[j] = number
