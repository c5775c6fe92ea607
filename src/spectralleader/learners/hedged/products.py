"""Products of probabilities: likelihoods of documents without a logarithm for every word."""

from __future__ import annotations

import numpy as np

from spectralleader.compiled import kernel
from spectralleader.documents import Floats, WordIds

SMALLEST = -500.0  # logarithm that products are kept above: doubles end at -708


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
    """Return how many words may be multiplied before a product could become too small.

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

    ``(slope * table[word] + offset * background[word]) ** count``, in every column. What becomes
    too small is moved to the logarithms; whether any was is returned.
    """
    is_long, n = False, 0.0
    for j in range(first, last):
        w, mass, times = words[j], background[words[j]], counts[j]
        n += times
        if n > safe:
            is_long, n = True, times
            empty(products, logs)
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
def empty(products: Floats, logs: Floats) -> None:
    """Move the products to the logarithms: they become 1."""
    for k in range(len(products)):
        logs[k] += np.log(products[k])
        products[k] = 1.0


@kernel
def normalise(row: Floats, logs: Floats, is_long: bool) -> float:  # noqa: FBT001
    """Divide by the sum, in place; return its logarithm. Logarithms, if any, are taken back."""
    largest = 0.0
    if is_long:
        empty(row, logs)
        largest = logs.max()
        for k in range(len(row)):
            row[k] = np.exp(logs[k] - largest)
            logs[k] = 0.0
    total = 0.0
    for k in range(len(row)):
        total += row[k]
    inverse = 1.0 / total
    for k in range(len(row)):
        row[k] *= inverse
    return float(largest + np.log(total))
