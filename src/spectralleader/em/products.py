"""E-step by products of probabilities, without a logarithm per word."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats, WordIds
from spectralleader.runtime.compiled import inlined, shared

SMALLEST = -500.0  # lower bound of the log of a product of safe length; float64 ends at -708
LOW, LIFT = 2.0**-250, 2.0**722  # products below LOW are multiplied by LIFT
LOG_LIFT = np.log(LIFT)  # more than -SMALLEST; and LOW / LIFT is not denormal yet
NOTHING = -200.0  # log of a share that is rounded to 0: denormal numbers are slow


class WordProbs(NamedTuple):
    """``P(word | topic) = slope * table[word] + offset * seen[word]``, for columns from `first` on.

    Several slopes and offsets describe the same topics with different smoothing.
    """

    table: Floats  # expected words, (d, at least first + K)
    first: int  # column
    seen: Floats  # how often each word was seen, (d,)
    slope: Floats  # (n, K)
    offset: Floats  # (n, K)
    safe: float  # number of words that can be multiplied without underflow


@inlined
def safe_length(offset: Floats, least: float) -> float:
    """Return the number of words that can be multiplied without underflow.

    `least` is the smallest frequency of a word.
    """
    smallest = offset[0, 0]
    for s in range(len(offset)):
        for k in range(offset.shape[1]):
            # Compared, not `min` and `max`: each kind of kernel would compile its own.
            if offset[s, k] < smallest:
                smallest = offset[s, k]
    # n factors of at least `smallest * least` have a product of at least exp(SMALLEST).
    n = np.floor(SMALLEST / np.log(smallest * least))
    return float(n if n > 1.0 else 1.0)


@shared
def multiply_words(
    low: int,
    high: int,
    words: WordIds,
    counts: Floats,
    word_probs: WordProbs,
    products: Floats,
    logs: Floats,
) -> bool:
    """Multiply P(word | topic) of the entries `low` to `high` of a document into the products.

    If these, (n, K), become too small, part of them is moved to the logarithms. Returns whether
    that was necessary.
    """
    table, first, seen, slope, offset, safe = word_probs
    (n_smoothed, K), is_long, n = products.shape, False, 0.0
    for j in range(low, high):
        n += counts[j]
    if n <= safe:  # nearly always: nothing can underflow
        for s in range(n_smoothed):
            product, a, b = products[s], slope[s], offset[s]
            for j in range(low, high):
                w = np.uint32(words[j])
                mass, row = seen[w], table[w, first : first + K]
                for _ in range(int(counts[j])):
                    for k in range(K):
                        product[k] *= a[k] * row[k] + b[k] * mass
        return False
    n = 0.0
    for j in range(low, high):
        w, times = np.uint32(words[j]), counts[j]
        mass = seen[w]
        n += times
        # A product that was not lifted is at least LOW: LOW * exp(SMALLEST) is a normal float64.
        if n > safe:
            is_long, n = True, times
            lift(products, logs)
            # Repeated this often, one word alone would underflow: add its logarithm instead.
            if times > safe:
                for s in range(n_smoothed):
                    for k in range(K):
                        chance = slope[s, k] * table[w, first + k] + offset[s, k] * mass
                        logs[s, k] += times * np.log(chance)
                n = 0.0
                continue
        row = table[w, first : first + K]  # Numba checks two indices for wrap-around, one not
        for _ in range(int(times)):  # faster than a power: most counts are 1
            for s in range(n_smoothed):
                product, a, b = products[s], slope[s], offset[s]
                for k in range(K):
                    product[k] *= a[k] * row[k] + b[k] * mass
    return is_long


@inlined
def lift(products: Floats, logs: Floats) -> None:
    """Scale small products up, and record the factor in the logarithms."""
    for s in range(len(products)):
        for k in range(products.shape[1]):
            # LIFT is a power of two: scaling is exact.
            is_small = products[s, k] < LOW
            products[s, k] *= LIFT if is_small else 1.0
            logs[s, k] -= LOG_LIFT if is_small else 0.0


@shared
def normalise(row: Floats, logs: Floats, is_long: bool) -> float:  # noqa: FBT001
    """Divide a row by its sum in place; return the log of the sum. Adds and resets the logs."""
    largest = 0.0
    if is_long:
        # Log-sum-exp, only for documents whose products had to be lifted.
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
    # The only division of a row; a short document also has a single logarithm, the one returned.
    inverse = 1.0 / total
    for k in range(len(row)):
        row[k] *= inverse
    return float(largest + np.log(total))
