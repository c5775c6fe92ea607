"""Polish: EM over remembered documents, from where an estimate is."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.documents import Documents
from spectralleader.em.statistics import Statistics
from spectralleader.learners.hedged.background import WEIGHT
from spectralleader.learners.hedged.groups import (
    LANES,
    add_group,
    group,
    grouped,
    long_posterior,
    short_posterior,
)
from spectralleader.learners.hedged.products import (
    lines,
    multiply_words,
    normalise,
    safe_length,
)
from spectralleader.runtime.compiled import kernel

SWEEP_BLOCKS = 20  # at least, in a sweep, however few the documents
SWEEP_SIZE = 100  # documents a block at most
SWEEP_POWER = 0.6  # of the step size: the blocks after the first few weigh about alike


def polish(
    documents: Documents,
    statistics: Statistics,
    background: Floats,
    strength: float,
    n_passes: int,
    tolerance: float = 0.0,
) -> tuple[Statistics, float]:
    """Return the statistics after passes of EM, and the mean log-probability before the last.

    The topics of the statistics have `strength` words of background each. Passes end early when
    one gains less than the tolerance, in nats a document.

    Examples
    --------
    >>> documents = Documents.from_tokens([[0, 0, 0], [1, 1, 1], [0, 0, 0]], n_words=2)
    >>> start = Statistics(np.array([[1.0, 1.0], [3.0, 3.0]]), np.array([[2.0, 1.0], [1.0, 2.0]]))
    >>> found, _ = polish(documents, start, np.full(2, 0.5), 0.1, n_passes=10)
    >>> found.totals[0].round(2).tolist()
    [2.0, 1.0]
    """
    arrays = (documents.indptr, documents.words, documents.counts)
    words, totals, before = statistics.words, statistics.totals, -np.inf
    for _ in range(n_passes):
        words, totals, fit = em_pass(*arrays, words, totals, background, strength)
        if fit - before < tolerance:
            break
        before = fit
    return Statistics(totals, words), float(fit)


def sweep(
    documents: Documents,
    statistics: Statistics,
    background: Floats,
    strength: float,
    n_passes: int,
) -> Statistics:
    """Return the statistics after passes of stepwise EM over the documents in small blocks.

    Where batch EM creeps, this strides: the blocks' noise carries it off plateaus, and a pass has
    many steps. The documents should be in random order.
    """
    size = max(1, min(SWEEP_SIZE, documents.n_docs // SWEEP_BLOCKS))
    arrays = (documents.indptr, documents.words, documents.counts)
    words, totals = statistics.words.copy(), statistics.totals.copy()
    em_sweep(*arrays, words, totals, background, strength, size, n_passes)
    return Statistics(totals, words)


@kernel
def weigh(totals: Floats) -> Floats:
    """Return the topics' weights, one pseudo-document shared among them, (K,)."""
    weights: Floats = (totals[0] + WEIGHT / totals.shape[1]) / (totals[0].sum() + WEIGHT)
    return weights


@kernel
def em_pass(
    indptr: Ints,
    words: WordIds,
    counts: Floats,
    table: Floats,
    totals: Floats,
    background: Floats,
    strength: float,
) -> tuple[Floats, Floats, float]:
    """Return the expected statistics under the model of earlier ones, and its mean log-probability.

    ``r = softmax(log weights + X @ log topics)``; ``X.T @ r`` and ``[1, lengths] @ r``.
    """
    slope, offset = lines(totals[1], strength)
    safe, prior = safe_length(offset, background.min()), weigh(totals)
    if len(prior) <= LANES:
        topics = grouped(table, background, slope, offset)
        return few_topics(indptr, words, counts, topics, prior, safe)
    out, out_totals, fit = np.zeros_like(table), np.zeros_like(totals), 0.0
    row, logs = np.empty_like(prior), np.zeros_like(prior)
    for i in range(len(indptr) - 1):
        row[:] = prior
        is_long = multiply_words(
            indptr[i], indptr[i + 1], words, counts, table, background,
            slope, offset, safe, row, logs,
        )  # fmt: skip
        fit += normalise(row, logs, is_long)
        add_document(i, indptr, words, counts, row, 1.0, out, out_totals)
    return out, out_totals, fit / max(1, len(indptr) - 1)


@kernel
def few_topics(
    indptr: Ints, words: WordIds, counts: Floats, topics: Floats, prior: Floats, safe: float
) -> tuple[Floats, Floats, float]:
    """Do what `em_pass` does, with topics that fit into a group, (d, LANES)."""
    n_topics, lanes = len(prior), group(prior)
    out, totals, fit = np.zeros_like(topics), np.zeros((2, LANES)), 0.0
    row, logs = np.empty(LANES), np.zeros(n_topics)
    for i in range(len(indptr) - 1):
        first, last, length = indptr[i], indptr[i + 1], 0.0
        for j in range(first, last):
            length += counts[j]
        if length <= safe:
            fit += short_posterior(first, last, words, counts, topics, lanes, row)
        else:
            fit += long_posterior(first, last, words, counts, topics, lanes, row, logs, safe)
        add_group(first, last, words, counts, row, length, out, totals)
    return out[:, :n_topics].copy(), totals[:, :n_topics].copy(), fit / max(1, len(indptr) - 1)


@kernel
def add_document(
    i: int,
    indptr: Ints,
    words: WordIds,
    counts: Floats,
    row: Floats,
    gain: float,
    out: Floats,
    totals: Floats,
) -> None:
    """Add document i to the statistics, `gain` times, with the posterior `row`."""
    length = 0.0
    for j in range(indptr[i], indptr[i + 1]):
        w, count = words[j], counts[j]
        length += count
        for k in range(len(row)):
            out[w, k] += gain * count * row[k]
    for k in range(len(row)):
        totals[0, k] += gain * row[k]
        totals[1, k] += gain * length * row[k]


@kernel
def em_sweep(
    indptr: Ints,
    words: WordIds,
    counts: Floats,
    table: Floats,
    totals: Floats,
    background: Floats,
    strength: float,
    size: int,
    n_passes: int,
) -> None:
    """Stepwise EM in place: ``mu <- (1 - eta) mu + eta s'`` a block, mu being of all documents."""
    n, n_topics = len(indptr) - 1, table.shape[1]
    scale, n_steps = 1.0, 0
    rows, logs = np.empty((size, n_topics)), np.zeros(n_topics)
    least = background.min()
    for _ in range(n_passes):
        for first in range(0, n, size):
            last = min(n, first + size)
            step = (n_steps + 2.0) ** -SWEEP_POWER
            n_steps += 1
            slope, offset = lines(scale * totals[1], strength)
            safe, prior = safe_length(offset, least), weigh(scale * totals)
            slope *= scale
            for i in range(first, last):
                row = rows[i - first]
                row[:] = prior
                is_long = multiply_words(
                    indptr[i], indptr[i + 1], words, counts, table, background,
                    slope, offset, safe, row, logs,
                )  # fmt: skip
                normalise(row, logs, is_long)
            scale *= 1.0 - step
            gain = step * n / (last - first) / scale
            for i in range(first, last):
                add_document(i, indptr, words, counts, rows[i - first], gain, table, totals)
            if scale < 1e-100:
                table *= scale
                totals *= scale
                scale = 1.0
    table *= scale
    totals *= scale
