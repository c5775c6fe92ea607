"""Products of probabilities: likelihoods of documents without a logarithm for every word."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats, WordIds
from spectralleader.runtime.compiled import kernel

SMALLEST = -500.0  # logarithm that a product of safe length is above: doubles end at -708
LOW, LIFT = 2.0**-250, 2.0**722  # below the one, products are multiplied by the other
LOG_LIFT = np.log(LIFT)  # more than 500; and LOW / LIFT is no denormal yet
NOTHING = -200.0  # logarithm of a share that counts as 0: smaller numbers are slow


@kernel
def lines(totals: Floats, strength: float) -> tuple[Floats, Floats]:
    """Return slope and offset of smoothed topics, given the words of each, (K,).

    ``P(word | topic) = slope * words + offset * background``, the topic having `strength` words of
    background beside its own.
    """
    slope = 1.0 / (totals + strength)
    return slope, strength * slope


@kernel
def safe_length(offset: Floats, least: float) -> float:
    """Return how many words may be multiplied before small products must be lifted.

    No word has less of the background than the least.
    """
    return float(max(1.0, np.floor(SMALLEST / np.log(offset.min() * least))))


@kernel
def multiply_words(
    first: int,
    last: int,
    words: WordIds,
    counts: Floats,
    table: Floats,
    background: Floats,
    slope: Floats,
    offset: Floats,
    safe: float,
    products: Floats,
    logs: Floats,
) -> bool:
    """Multiply the chances of a document's words, entries `first` to `last`, into the products.

    ``(slope * table[word] + offset * background[word]) ** count``, in every column. Where this
    becomes too small, part of it is moved to the logarithms; whether the document was so long is
    returned.
    """
    is_long, n = False, 0.0
    for j in range(first, last):
        w, mass, times = words[j], background[words[j]], counts[j]
        n += times
        if n > safe:
            is_long, n = True, times
            lift(products, logs)
            if times > safe:
                for x in range(len(products)):
                    logs[x] += times * np.log(slope[x] * table[w, x] + offset[x] * mass)
                n = 0.0
                continue
        for _ in range(int(times)):  # most are 1
            for x in range(len(products)):
                products[x] *= slope[x] * table[w, x] + offset[x] * mass
    return is_long


@kernel
def lift(products: Floats, logs: Floats) -> None:
    """Multiply small products, and let the logarithms tell: no logarithm is worked out."""
    for k in range(len(products)):
        is_small = products[k] < LOW
        products[k] *= LIFT if is_small else 1.0
        logs[k] -= LOG_LIFT if is_small else 0.0


@kernel
def normalise(row: Floats, logs: Floats, is_long: bool) -> float:  # noqa: FBT001
    """Divide by the sum, in place; return its logarithm. Logarithms, if any, are taken back."""
    largest = 0.0
    if is_long:
        for k in range(len(row)):
            logs[k] += np.log(row[k])
        largest = logs.max()
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
