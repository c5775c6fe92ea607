"""Products of probabilities: the E-step without a logarithm for every word."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats, WordIds
from spectralleader.runtime.compiled import inlined, shared

SMALLEST = -500.0  # logarithm that a product of safe length is above: doubles end at -708
LOW, LIFT = 2.0**-250, 2.0**722  # below the one, products are multiplied by the other
LOG_LIFT = np.log(LIFT)  # more than 500; and LOW / LIFT is no denormal yet
NOTHING = -200.0  # logarithm of a share that counts as 0: smaller numbers are slow


class Chances(NamedTuple):
    """``P(word | topic) = slope * table[word] + offset * seen[word]``, topics from a column on.

    Several slopes and offsets are of the same topics, smoothed differently.
    """

    table: Floats  # expected words, (d, at least first + K)
    first: int  # column
    seen: Floats  # how often each word was seen, (d,)
    slope: Floats  # (n, K)
    offset: Floats  # (n, K)
    safe: float  # words that may be multiplied before small products must be lifted


@inlined
def safe_length(offset: Floats, least: float) -> float:
    """Return how many words may be multiplied before small products must be lifted.

    No word was seen less often than `least`.
    """
    smallest = offset[0, 0]
    for s in range(len(offset)):
        for k in range(offset.shape[1]):
            smallest = min(smallest, offset[s, k])
    return float(max(1.0, np.floor(SMALLEST / np.log(smallest * least))))


@shared
def multiply_words(
    low: int,
    high: int,
    words: WordIds,
    counts: Floats,
    chances: Chances,
    products: Floats,
    logs: Floats,
) -> bool:
    """Multiply P(word | topic) of a document's words, entries `low` to `high`, into the products.

    Where these, (n, K), become too small, part of them is moved to the logarithms; whether the
    document was so long is returned.
    """
    table, first, seen, slope, offset, safe = chances
    (n_smoothed, K), is_long, n = products.shape, False, 0.0
    for j in range(low, high):
        w, times = np.uint32(words[j]), counts[j]
        mass = seen[w]
        n += times
        if n > safe:
            is_long, n = True, times
            lift(products, logs)
            if times > safe:
                for s in range(n_smoothed):
                    for k in range(K):
                        chance = slope[s, k] * table[w, first + k] + offset[s, k] * mass
                        logs[s, k] += times * np.log(chance)
                n = 0.0
                continue
        row = table[w, first : first + K]  # one index: two are checked for wrap-around
        for _ in range(int(times)):  # most are 1
            for s in range(n_smoothed):
                product, a, b = products[s], slope[s], offset[s]
                for k in range(K):
                    product[k] *= a[k] * row[k] + b[k] * mass
    return is_long


@inlined
def lift(products: Floats, logs: Floats) -> None:
    """Multiply small products, and note that in the logarithms: no logarithm is computed."""
    for s in range(len(products)):
        for k in range(products.shape[1]):
            is_small = products[s, k] < LOW
            products[s, k] *= LIFT if is_small else 1.0
            logs[s, k] -= LOG_LIFT if is_small else 0.0


@shared
def normalise(row: Floats, logs: Floats, is_long: bool) -> float:  # noqa: FBT001
    """Divide by the sum, in place; return its logarithm. Logarithms, if any, are taken back."""
    largest = 0.0
    if is_long:
        largest = -np.inf
        for k in range(len(row)):
            logs[k] += np.log(row[k])
            largest = max(largest, logs[k])
        for k in range(len(row)):
            below = logs[k] - largest
            row[k] = np.exp(below) if below > NOTHING else 0.0
            logs[k] = 0.0
    total = 0.0
    for k in range(len(row)):
        total += row[k]
    inverse = 1.0 / total
    for k in range(len(row)):
        row[k] *= inverse
    return float(largest + np.log(total))
