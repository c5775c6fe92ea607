"""Groups of topics: what a pass of EM does with a document.

The loops within a group are of a length that is known when they are compiled: what they multiply
stays in registers, where a loop over K topics would begin and end for every word.
"""

from __future__ import annotations

import numpy as np

from spectralleader.compiled import kernel
from spectralleader.documents import Floats, WordIds

NOTHING = -200.0  # logarithm of a posterior that counts as 0: smaller numbers are slow
LANES = 8  # topics in a group; the last one is filled up with topics of no weight


@kernel
def group(values: Floats) -> Floats:
    """Return values, one a topic, in groups, (n_groups, LANES)."""
    out = np.zeros((-(-len(values) // LANES), LANES))
    out.reshape(-1)[: len(values)] = values
    return out


@kernel
def grouped(table: Floats, background: Floats, slope: Floats, offset: Floats) -> Floats:
    """Return ``slope * table + offset * background``, (d, n_groups, LANES)."""
    n_words, n_topics = table.shape
    out = np.zeros((n_words, -(-n_topics // LANES), LANES))
    for w in range(n_words):
        for k in range(n_topics):
            chance = slope[k] * table[w, k] + offset[k] * background[w]
            out[w, k // LANES, k % LANES] = chance
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
    total = 0.0
    for g in range(len(prior)):
        for k in range(LANES):
            row[g, k] = prior[g, k]
        for j in range(first, last):
            w = words[j]
            for k in range(LANES):
                row[g, k] *= topics[w, g, k]
            if counts[j] > 1.0:
                for _ in range(int(counts[j]) - 1):
                    for k in range(LANES):
                        row[g, k] *= topics[w, g, k]
        for k in range(LANES):
            total += row[g, k]
    inverse = 1.0 / total
    for g in range(len(prior)):
        for k in range(LANES):
            row[g, k] *= inverse
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
    safe: float,
) -> float:
    """Do what `short_posterior` does for a document of any length.

    After `safe` words at most, products give way to their logarithms.
    """
    logs = np.zeros_like(row)
    for g in range(len(prior)):
        row[g] = prior[g]
        n = 0.0
        for j in range(first, last):
            w, count = words[j], counts[j]
            n += count
            if n > safe:
                take_logs(row, logs, g)
                n = count
            if count > safe:
                for k in range(LANES):
                    logs[g, k] += count * np.log(topics[w, g, k])
                n = 0.0
            else:
                for _ in range(int(count)):
                    for k in range(LANES):
                        row[g, k] *= topics[w, g, k]
        take_logs(row, logs, g)
    largest, total = logs.max(), 0.0
    for g in range(len(prior)):
        for k in range(LANES):
            below = logs[g, k] - largest
            row[g, k] = np.exp(below) if below > NOTHING else 0.0
            total += row[g, k]
    row /= total
    return float(largest + np.log(total))


@kernel
def take_logs(row: Floats, logs: Floats, g: int) -> None:
    """Move the products of a group to the logarithms: they become 1."""
    for k in range(LANES):
        logs[g, k] += np.log(row[g, k])
        row[g, k] = 1.0


@kernel
def add_groups(
    first: int,
    last: int,
    words: WordIds,
    counts: Floats,
    row: Floats,
    length: float,
    out: Floats,
    totals: Floats,
) -> None:
    """Add a document to the statistics, in groups, with the posterior `row`."""
    for g in range(len(row)):
        for j in range(first, last):
            w, count = words[j], counts[j]
            for k in range(LANES):
                out[w, g, k] += count * row[g, k]
        for k in range(LANES):
            totals[0, g, k] += row[g, k]
            totals[1, g, k] += length * row[g, k]
