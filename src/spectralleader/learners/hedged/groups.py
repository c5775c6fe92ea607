"""A group of topics: what a pass of EM does with a document, where topics are few.

The loops are of a length that is known when they are compiled: what they multiply stays in
registers, where a loop over K topics would begin and end for every word. Where there are more
topics than a group has that costs less than going over the words once a group.
"""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats, WordIds
from spectralleader.learners.hedged.products import lift, normalise
from spectralleader.runtime.compiled import kernel

LANES = 8  # topics in a group; it is filled up with topics of no weight


@kernel
def group(values: Floats) -> Floats:
    """Return values, one a topic, as a group, (LANES,)."""
    out = np.zeros(LANES)
    out[: len(values)] = values
    return out


@kernel
def grouped(table: Floats, background: Floats, slope: Floats, offset: Floats) -> Floats:
    """Return ``slope * table + offset * background``, (d, LANES)."""
    n_words, n_topics = table.shape
    out = np.zeros((n_words, LANES))
    for w in range(n_words):
        for k in range(n_topics):
            out[w, k] = slope[k] * table[w, k] + offset[k] * background[w]
    return out


@kernel
def short_posterior(
    first: int,
    last: int,
    words: WordIds,
    counts: Floats,
    topics: Floats,
    prior: Floats,
    row: Floats,
) -> float:
    """Put P(topic | document) into the row, and return log P(document).

    ``prior * product of topics[word] ** count``, divided by its sum; it must not underflow.
    """
    for k in range(LANES):
        row[k] = prior[k]
    for j in range(first, last):
        w = words[j]
        for k in range(LANES):
            row[k] *= topics[w, k]
        if counts[j] > 1.0:
            for _ in range(int(counts[j]) - 1):
                for k in range(LANES):
                    row[k] *= topics[w, k]
    total = 0.0
    for k in range(LANES):
        total += row[k]
    inverse = 1.0 / total
    for k in range(LANES):
        row[k] *= inverse
    return float(np.log(total))


@kernel
def long_posterior(
    first: int,
    last: int,
    words: WordIds,
    counts: Floats,
    topics: Floats,
    prior: Floats,
    row: Floats,
    logs: Floats,
    safe: float,
) -> float:
    """Do what `short_posterior` does for a document of any length.

    After `safe` words at most, products are lifted. There are as many logarithms as topics.
    """
    n = 0.0
    for k in range(LANES):
        row[k] = prior[k]
    for j in range(first, last):
        w, count = words[j], counts[j]
        n += count
        if n > safe:
            lift(row[: len(logs)], logs)
            n = count
            if count > safe:
                for k in range(len(logs)):
                    logs[k] += count * np.log(topics[w, k])
                n = 0.0
                continue
        for _ in range(int(count)):
            for k in range(LANES):
                row[k] *= topics[w, k]
    return normalise(row[: len(logs)], logs, True)


@kernel
def add_group(
    first: int,
    last: int,
    words: WordIds,
    counts: Floats,
    row: Floats,
    length: float,
    out: Floats,
    totals: Floats,
) -> None:
    """Add a document to the statistics of a group, with the posterior `row`."""
    for j in range(first, last):
        w, count = words[j], counts[j]
        for k in range(LANES):
            out[w, k] += count * row[k]
    for k in range(LANES):
        totals[0, k] += row[k]
        totals[1, k] += length * row[k]
