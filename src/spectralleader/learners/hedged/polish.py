"""Polish: EM over remembered documents, from where an estimate is."""

from __future__ import annotations

import numpy as np

from spectralleader.compiled import kernel
from spectralleader.documents import Documents, Floats, Ints, WordIds
from spectralleader.learners.hedged.background import WEIGHT
from spectralleader.learners.hedged.groups import (
    add_groups,
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
from spectralleader.learners.statistics import Statistics

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
    n_words, n_topics = table.shape
    slope, offset = lines(totals[1], strength)
    safe = safe_length(offset, background.min())
    topics, prior = grouped(table, background, slope, offset), group(weigh(totals))
    out, out_totals = np.zeros_like(topics), np.zeros((2, *prior.shape))
    row, fit = np.empty_like(prior), 0.0
    for i in range(len(indptr) - 1):
        first, last, length = indptr[i], indptr[i + 1], 0.0
        for j in range(first, last):
            length += counts[j]
        if length <= safe:
            fit += short_posterior(first, last, words, counts, topics, prior, row)
        else:
            fit += long_posterior(first, last, words, counts, topics, prior, row, safe)
        add_groups(first, last, words, counts, row, length, out, out_totals)
    found = out.reshape(n_words, -1)[:, :n_topics].copy()
    return found, out_totals.reshape(2, -1)[:, :n_topics].copy(), fit / max(1, len(indptr) - 1)


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
