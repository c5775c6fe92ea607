"""CountBuffer: the word counts of documents, appended one by one as CSR arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.runtime.compiled import inlined

# Gaps of Shell sort (Ciura 2001); few numbers are sorted by insertion alone. NumPy's sort would
# take a second to compile.
GAPS = (1750, 701, 301, 132, 57, 23, 10, 4, 1)


class CountBuffer(NamedTuple):
    """Distinct words of documents and their counts, as CSR arrays with room for all."""

    indptr: Ints  # (n_docs + 1,)
    words: WordIds
    counts: Floats


def empty_count_buffer(n_docs: int, n_bytes: int) -> CountBuffer:
    """Return a buffer with room for the words of n_docs texts of n_bytes in total.

    Words are separated, so that there is at most one per two bytes. Memory that is not written to
    is not allocated by the operating system.
    """
    room = n_bytes // 2 + n_docs
    return CountBuffer(np.zeros(n_docs + 1, np.int64), np.empty(room, np.int32), np.empty(room))


@inlined
def add_document(buffer: CountBuffer, i: int, numbers: WordIds) -> None:
    """Append ``np.unique(numbers, return_counts=True)`` as row i; `numbers` are sorted in place."""
    at = buffer.indptr[i]
    sort(numbers)
    words, counts = buffer.words, buffer.counts
    for j in range(len(numbers)):
        if j > 0 and numbers[j] == numbers[j - 1]:
            counts[at - 1] += 1
        else:
            words[at] = numbers[j]
            counts[at] = 1
            at += 1
    buffer.indptr[i + 1] = at


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
