"""Foresight: what stacked tables of expected statistics say of the next documents."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.learners.hedged.background import UNSEEN
from spectralleader.learners.hedged.products import multiply_words, normalise, safe_length
from spectralleader.runtime.compiled import kernel


@kernel
def likelihoods(
    indptr: Ints,
    words: WordIds,
    counts: Floats,
    table: Floats,
    totals: Floats,
    scales: Floats,
    seen: Floats,
    n_seen: float,
    strengths: Floats,
) -> tuple[Floats, Floats]:
    """Return P(words | topic) of every estimate at each strength of smoothing, and its unit.

    ``exp(X @ log((scale * table + strength * background) / (scale * totals[1] + strength)))``, the
    background being ``seen / n_seen``, at the documents' own words only. A model is an estimate at
    a strength, the strengths of an estimate side by side: (n_docs, n_models, K), each row divided
    by its sum, and the logarithms of these, (n_docs, n_models).
    """
    n, width, n_tables = len(indptr) - 1, table.shape[1], len(scales)
    n_topics, n_strengths = width // n_tables, len(strengths)
    slope, offset = stacked_lines(totals, scales, strengths, n_seen)
    safe = safe_length(offset, UNSEEN)
    out = np.empty((n, n_tables * n_strengths, n_topics))
    units = np.empty((n, n_tables * n_strengths))
    products, logs = np.empty(width), np.zeros(width)
    for i in range(n):
        for s in range(n_strengths):
            products[:] = 1.0
            is_long = multiply_words(
                indptr[i], indptr[i + 1], words, counts, table, seen,
                slope[s], offset[s], safe, products, logs,
            )  # fmt: skip
            for t in range(n_tables):
                row, at = out[i, t * n_strengths + s], t * n_topics
                row[:] = products[at : at + n_topics]
                tail = logs[at : at + n_topics]
                units[i, t * n_strengths + s] = normalise(row, tail, is_long)
    return out, units


@kernel
def stacked_lines(
    totals: Floats, scales: Floats, strengths: Floats, n_seen: float
) -> tuple[Floats, Floats]:
    """Return the factors of table and background, as `lines`, at each strength."""
    n_topics = totals.shape[1] // len(scales)
    slope = np.empty((len(strengths), totals.shape[1]))
    offset = np.empty_like(slope)
    for s in range(len(strengths)):
        for x in range(totals.shape[1]):
            scale = scales[x // n_topics]
            inverse = 1.0 / (scale * totals[1, x] + strengths[s])
            slope[s, x], offset[s, x] = scale * inverse, strengths[s] * inverse / n_seen
    return slope, offset


@kernel
def log_probs(
    indptr: Ints,
    words: WordIds,
    counts: Floats,
    seen: Floats,
    n_seen: float,
    chances: Floats,
    units: Floats,
    weights: Floats,
    priors: Floats,
) -> Floats:
    """Return the log-probability of each document by every candidate, (n_docs, n_candidates).

    Any word, word frequencies; then each model with its own weights, (n_estimates, K), and if it is
    among the first, with its tracked priors, (n_tracked, n_priors, K).
    """
    n, n_models, n_topics = chances.shape
    n_tracked, n_priors = priors.shape[0], priors.shape[1]
    n_strengths = n_models // len(weights)
    out = np.empty((n, 2 + n_models + n_tracked * n_priors))
    for i in range(n):
        out[i, 0], out[i, 1] = plain(indptr[i], indptr[i + 1], words, counts, seen, n_seen)
        column = 2
        for m in range(n_models):
            total = 0.0
            for k in range(n_topics):
                total += weights[m // n_strengths, k] * chances[i, m, k]
            out[i, column] = units[i, m] + np.log(total)
            column += 1
            if m < n_tracked:
                for p in range(n_priors):
                    total = 0.0
                    for k in range(n_topics):
                        total += priors[m, p, k] * chances[i, m, k]
                    out[i, column] = units[i, m] + np.log(total)
                    column += 1
    return out


@kernel
def plain(
    first: int, last: int, words: WordIds, counts: Floats, seen: Floats, n_seen: float
) -> tuple[float, float]:
    """Return a document's log-probability if all words are alike, and by their frequencies."""
    length, total = 0.0, 0.0
    for j in range(first, last):
        length += counts[j]
        total += counts[j] * np.log(seen[words[j]])
    return -length * np.log(len(seen)), total - length * np.log(n_seen)
