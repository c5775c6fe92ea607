"""EM over remembered documents: batch, incremental and stepwise.

All share one E-step and one update of the statistics: `expect` is a pass of batch EM, `visit` is
incremental EM (Neal & Hinton 1998), `sweep` is stepwise EM (Cappe & Moulines 2009).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spectralleader.arrays import Floats, Ints, Posteriors, WordIds
from spectralleader.documents.views import Scattered
from spectralleader.em.products import Chances, multiply_words, normalise, safe_length
from spectralleader.em.statistics import Statistics
from spectralleader.runtime.compiled import inlined, kernel, shared

WEIGHT = 1.0  # pseudo-documents, shared by all topics
UNSEEN = 0.5  # pseudo-count of a word that has not occurred yet
EVERY = 32  # documents between updates of weights and sizes of topics in `visit`
SWEEP_POWER = 0.6  # exponent of the step size; after the first few, blocks weigh about the same


class Columns(NamedTuple):
    """The statistics of K topics, as columns of larger tables."""

    words: Floats  # (d, at least first + K)
    totals: Floats  # (2, at least first + K), documents and words
    first: int
    n_topics: int

    @classmethod
    def of(cls, statistics: Statistics) -> Columns:
        """Return all columns of some statistics, as views."""
        return cls(statistics.words, statistics.totals, 0, statistics.totals.shape[1])


class Smoothing(NamedTuple):
    """Smoothing of topics towards the word frequencies."""

    seen: Floats  # (d,), at least UNSEEN
    n_seen: float  # their sum
    strength: float  # pseudo-words per topic


@kernel
def expect(
    documents: Scattered,
    source: Columns,
    smoothing: Smoothing,
    target: Columns,
    posterior: Posteriors,
) -> float:
    """Add the documents to the target by their posteriors under the source; return their fit.

    ``posterior[:] = softmax(log weights + X @ log topics)``; ``X.T @ posterior`` and
    ``[1, lengths] @ posterior`` are added. The fit is the sum of the log-probabilities.
    """
    K, fit = source.n_topics, 0.0
    work = np.empty((5, 1, K))  # indexed, not unpacked: its parts would not be known as contiguous
    slope, offset, prior, rows, logs = work[0], work[1], work[2], work[3], work[4]
    row = rows[0]
    for k in range(K):
        logs[0, k] = 0.0
    chances = _set_lines(source, smoothing, 1.0, slope, offset, prior)
    for i in range(len(documents.bounds)):
        low, high = documents.bounds[i, 0], documents.bounds[i, 1]
        for k in range(K):  # a slice assigned to a slice compiles the error of unlike shapes
            row[k] = prior[0, k]
        is_long = multiply_words(low, high, documents.words, documents.counts, chances, rows, logs)
        fit += normalise(row, logs[0], is_long)
        for k in range(K):
            posterior[i, k] = row[k]
            row[k] = posterior[i, k]  # rounded to float32, so that it can be subtracted exactly
        _add(low, high, documents.words, documents.counts, row, 1.0, target)
    return fit


@kernel
def log_probs(documents: Scattered, source: Columns, smoothing: Smoothing) -> Floats:
    """Return the log-probability of each document under the smoothed source, (n_docs,)."""
    out = np.empty(len(documents.bounds))
    K, work = source.n_topics, np.empty((5, 1, source.n_topics))
    slope, offset, prior, rows, logs = work[0], work[1], work[2], work[3], work[4]
    row = rows[0]
    for k in range(K):
        logs[0, k] = 0.0
    chances = _set_lines(source, smoothing, 1.0, slope, offset, prior)
    for i in range(len(out)):
        low, high = documents.bounds[i, 0], documents.bounds[i, 1]
        for k in range(K):  # a slice assigned to a slice compiles the error of unlike shapes
            row[k] = prior[0, k]
        is_long = multiply_words(low, high, documents.words, documents.counts, chances, rows, logs)
        out[i] = normalise(row, logs[0], is_long)
    return out


@inlined
def visit(
    bounds: Ints,
    words: WordIds,
    counts: Floats,
    places: Ints,
    posterior: Posteriors,
    columns: Columns,
    smoothing: Smoothing,
    least: float,
) -> None:
    """Update the posteriors of the documents in some places, one after the other.

    The statistics are updated for every document whose posterior changes by more than `least`.
    """
    K = columns.n_topics
    table, first = columns.words, columns.first
    n_docs, n_words = columns.totals[0, first : first + K], columns.totals[1, first : first + K]
    work = np.empty((5, 1, K))  # indexed, not unpacked: its parts would not be known as contiguous
    slope, offset, prior, rows, logs = work[0], work[1], work[2], work[3], work[4]
    row = rows[0]
    for k in range(K):
        logs[0, k] = 0.0
    chances = _set_lines(columns, smoothing, 1.0, slope, offset, prior)
    for i in range(len(places)):
        if i % EVERY == EVERY - 1:
            chances = _set_lines(columns, smoothing, 1.0, slope, offset, prior)
        place = places[i]
        low, high = bounds[place, 0], bounds[place, 1]
        for k in range(K):
            row[k] = prior[0, k]
        is_long = multiply_words(low, high, words, counts, chances, rows, logs)
        normalise(row, logs[0], is_long)
        largest, before, mine = 0.0, 0.0, posterior[place]
        for k in range(K):
            before += mine[k]
            row[k] = np.float64(np.float32(row[k])) - np.float64(mine[k])
            largest = max(largest, abs(row[k]))
        if largest > least or before < 0.5:  # a new document has no posterior yet: it sums to 0
            length = 0.0
            for j in range(low, high):
                w, count = np.uint32(words[j]), counts[j]
                length += count
                sums = table[w, first : first + K]
                for k in range(K):  # rounding could make it negative
                    sums[k] = max(sums[k] + count * row[k], 0.0)
            for k in range(K):
                mine[k] = np.float32(mine[k] + row[k])
                n_docs[k] = max(n_docs[k] + row[k], 0.0)
                n_words[k] = max(n_words[k] + length * row[k], 0.0)


@kernel
def follow(
    remembered: tuple[Any, ...],
    moved: tuple[Any, ...],
    chosen: Ints,
    n_before: int,
    again: tuple[int, int],
    posterior: Posteriors,
    topics: tuple[tuple[Any, ...], tuple[Any, ...]],
    least: float,
) -> None:
    """Remove documents that left a sample, visit those that entered, and revisit others.

    The layout of `moved` is that of `Change`: first the documents that entered, into the places
    ``chosen[:, 1]``, of which those below n_before were taken. Then ``again[1]`` documents are
    revisited, starting at the place ``again[0]``.

    This is called for every block. `Scattered`, `Columns` and `Smoothing` are passed as plain
    tuples, because Numba takes 2 us to determine the type of each NamedTuple.
    """
    columns, smoothing = Columns(*topics[0]), Smoothing(*topics[1])
    left_bounds, left_words, left_counts, _ = moved
    bounds, words, counts, _ = remembered
    n_places, row, i = len(bounds), np.empty(columns.n_topics), len(chosen)
    for c in range(len(chosen)):
        place = chosen[c, 1]
        if place < n_before:
            for k in range(len(row)):
                row[k] = posterior[place, k]
                posterior[place, k] = 0.0
            low, high = left_bounds[i, 0], left_bounds[i, 1]
            _add(low, high, left_words, left_counts, row, -1.0, columns)
            i += 1
    places = np.empty(len(chosen) + again[1], np.int64)
    for j in range(len(chosen)):
        places[j] = chosen[j, 1]
    for j in range(again[1]):
        places[len(chosen) + j] = (again[0] + j) % n_places
    visit(bounds, words, counts, places, posterior, columns, smoothing, least)


@kernel
def sweep(
    documents: Scattered, columns: Columns, smoothing: Smoothing, size: int, n_passes: int
) -> None:
    """Stepwise EM in place: ``mu <- (1 - eta) mu + eta s'`` per block.

    It converges faster than batch EM: a pass has many steps, and their noise helps to leave
    plateaus. The documents should be in random order. At most 10^5 blocks are supported, because
    the lazy factor of the statistics is only multiplied out at the end.
    """
    n, K = len(documents.bounds), columns.n_topics
    scale, n_steps = 1.0, 0
    rows = np.empty((size, K))
    work = np.empty((4, 1, K))
    slope, offset, prior, logs = work[0], work[1], work[2], work[3]
    for k in range(K):
        logs[0, k] = 0.0
    for _ in range(n_passes):
        for first in range(0, n, size):
            last = min(n, first + size)
            step = (n_steps + 2.0) ** -SWEEP_POWER
            n_steps += 1
            chances = _set_lines(columns, smoothing, scale, slope, offset, prior)
            for i in range(first, last):
                some = rows[i - first : i - first + 1]
                for k in range(K):
                    some[0, k] = prior[0, k]
                low, high = documents.bounds[i, 0], documents.bounds[i, 1]
                is_long = multiply_words(
                    low, high, documents.words, documents.counts, chances, some, logs
                )
                normalise(some[0], logs[0], is_long)
            scale *= 1.0 - step
            gain = step * n / (last - first) / scale
            for i in range(first, last):
                low, high = documents.bounds[i, 0], documents.bounds[i, 1]
                row = rows[i - first]
                _add(low, high, documents.words, documents.counts, row, gain, columns)
    _multiply(columns, scale)


@shared
def _set_lines(
    columns: Columns,
    smoothing: Smoothing,
    scale: float,
    slope: Floats,
    offset: Floats,
    prior: Floats,
) -> Chances:
    """Set the coefficients of P(word | topic), and P(topic); return the former.

    The statistics are `scale` times those in the columns.
    """
    n_docs = 0.0
    for k in range(columns.n_topics):
        n_words = scale * columns.totals[1, columns.first + k]
        slope[0, k] = scale / (n_words + smoothing.strength)
        offset[0, k] = smoothing.strength / smoothing.n_seen / (n_words + smoothing.strength)
        prior[0, k] = scale * columns.totals[0, columns.first + k] + WEIGHT / columns.n_topics
        n_docs += prior[0, k]
    for k in range(columns.n_topics):
        prior[0, k] /= n_docs
    safe = safe_length(offset, UNSEEN)
    return Chances(columns.words, columns.first, smoothing.seen, slope, offset, safe)


@shared
def _add(
    low: int,
    high: int,
    words: WordIds,
    counts: Floats,
    row: Floats,
    gain: float,
    columns: Columns,
) -> None:
    """Add a document's entries to the statistics, `gain` times, with the posterior `row`."""
    table, first, length = columns.words, columns.first, 0.0
    n_docs = columns.totals[0, first : first + len(row)]
    n_words = columns.totals[1, first : first + len(row)]
    for j in range(low, high):
        w, count = np.uint32(words[j]), gain * counts[j]
        length += count
        sums = table[w, first : first + len(row)]
        for k in range(len(row)):  # by rounding it could fall below zero
            sums[k] = max(sums[k] + count * row[k], 0.0)
    for k in range(len(row)):
        n_docs[k] = max(n_docs[k] + gain * row[k], 0.0)
        n_words[k] = max(n_words[k] + length * row[k], 0.0)


@inlined
def _multiply(columns: Columns, factor: float) -> None:
    for k in range(columns.first, columns.first + columns.n_topics):
        for i in range(2):
            columns.totals[i, k] *= factor
    for w in range(len(columns.words)):
        for k in range(columns.first, columns.first + columns.n_topics):
            columns.words[w, k] *= factor
