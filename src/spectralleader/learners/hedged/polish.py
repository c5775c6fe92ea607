"""Polish: EM over remembered documents, from where an estimate is."""

from __future__ import annotations

import numpy as np

from spectralleader.compiled import kernel
from spectralleader.documents import Documents, Floats, Ints, WordIds
from spectralleader.learners.hedged.background import WEIGHT
from spectralleader.learners.hedged.foresight import SMALL
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
def log_topics(words: Floats, totals: Floats, background: Floats, strength: float) -> Floats:
    """``np.log((words + strength * background) / (totals[1] + strength))``, (d, K)."""
    logs = np.empty_like(words)
    log_totals = np.log(totals[1] + strength)
    for w in range(len(words)):
        for k in range(words.shape[1]):
            logs[w, k] = np.log(words[w, k] + strength * background[w]) - log_totals[k]
    return logs


@kernel
def normalise(row: Floats) -> float:
    """Make logarithms probabilities, in place; return the logarithm of their sum."""
    largest = row.max()
    total = 0.0
    for k in range(len(row)):
        row[k] = np.exp(row[k] - largest)
        total += row[k]
    for k in range(len(row)):
        row[k] /= total
    return float(largest + np.log(total))


@kernel
def log_weights(totals: Floats) -> Floats:
    """Logarithm of `smooth_weights`."""
    k = totals.shape[1]
    logs: Floats = np.log((totals[0] + WEIGHT / k) / (totals[0].sum() + WEIGHT))
    return logs


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
    logs = log_topics(table, totals, background, strength)
    prior = log_weights(totals)
    out, out_totals = np.zeros_like(table), np.zeros_like(totals)
    row = np.empty(len(prior))
    fit = 0.0
    for i in range(len(indptr) - 1):
        row[:] = prior
        for j in range(indptr[i], indptr[i + 1]):
            for k in range(len(row)):
                row[k] += counts[j] * logs[words[j], k]
        fit += normalise(row)
        add_document(i, indptr, words, counts, row, 1.0, out, out_totals)
    return out, out_totals, fit / max(1, len(indptr) - 1)


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
        length += counts[j]
        for k in range(len(row)):
            out[words[j], k] += gain * counts[j] * row[k]
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
    n = len(indptr) - 1
    k_topics = table.shape[1]
    scale, n_steps = 1.0, 0
    rows, product = np.empty((size, k_topics)), np.empty(k_topics)
    for _ in range(n_passes):
        for first in range(0, n, size):
            last = min(n, first + size)
            step = (n_steps + 2.0) ** -SWEEP_POWER
            n_steps += 1
            prior = log_weights(scale * totals)
            inverse = 1.0 / (scale * totals[1] + strength)
            for i in range(first, last):
                row = rows[i - first]
                row[:] = prior
                product[:] = 1.0
                for j in range(indptr[i], indptr[i + 1]):
                    w = words[j]
                    for k in range(k_topics):
                        chance = (scale * table[w, k] + strength * background[w]) * inverse[k]
                        if counts[j] == 1.0:  # most are: one logarithm for many words
                            product[k] *= chance
                        else:
                            row[k] += counts[j] * np.log(chance)
                        if product[k] < SMALL:
                            row[k] += np.log(product[k])
                            product[k] = 1.0
                for k in range(k_topics):
                    row[k] += np.log(product[k])
                normalise(row)
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
