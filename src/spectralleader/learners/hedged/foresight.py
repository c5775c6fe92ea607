"""Foresight: what tables of expected statistics say of the next documents."""

from __future__ import annotations

import numpy as np

from spectralleader.compiled import kernel
from spectralleader.documents import Floats, Ints, WordIds

SMALL = 1e-200  # products of probabilities are kept above, far from underflow


@kernel
def log_likelihoods(
    indptr: Ints,
    words: WordIds,
    counts: Floats,
    table: Floats,
    totals: Floats,
    scale: float,
    seen: Floats,
    n_seen: float,
    strengths: Floats,
) -> Floats:
    """Return log P(words | topic) at each strength of smoothing, (n_strengths, n_docs, K).

    ``X @ log((scale * table + strength * background) / (scale * totals[1] + strength))``, where the
    background is ``(seen + 1/2) / (n_seen + d/2)``: at the documents' own words only.
    """
    n, n_topics = len(indptr) - 1, table.shape[1]
    out = np.zeros((len(strengths), n, n_topics))
    inverse = np.empty((len(strengths), n_topics))
    for s in range(len(strengths)):
        for k in range(n_topics):
            inverse[s, k] = 1.0 / (scale * max(totals[1, k], 0.0) + strengths[s])
    room = n_seen + 0.5 * len(table)
    products = np.empty((len(strengths), n_topics))
    for i in range(n):
        products[:] = 1.0
        for j in range(indptr[i], indptr[i + 1]):
            w = words[j]
            background = (seen[w] + 0.5) / room
            for s in range(len(strengths)):
                pseudo = strengths[s] * background
                for k in range(n_topics):
                    chance = (scale * max(table[w, k], 0.0) + pseudo) * inverse[s, k]
                    if counts[j] == 1.0:  # most are: one logarithm for many words
                        products[s, k] *= chance
                    else:
                        out[s, i, k] += counts[j] * np.log(chance)
                    if products[s, k] < SMALL:
                        out[s, i, k] += np.log(products[s, k])
                        products[s, k] = 1.0
        for s in range(len(strengths)):
            for k in range(n_topics):
                out[s, i, k] += np.log(products[s, k])
    return out


@kernel
def log_background(
    indptr: Ints, words: WordIds, counts: Floats, seen: Floats, n_seen: float
) -> Floats:
    """Return the log-probability of each document without topics, (n_docs,)."""
    room = np.log(n_seen + 0.5 * len(seen))
    out = np.zeros(len(indptr) - 1)
    for i in range(len(out)):
        for j in range(indptr[i], indptr[i + 1]):
            out[i] += counts[j] * (np.log(seen[words[j]] + 0.5) - room)
    return out


@kernel
def with_priors(likelihoods: Floats, priors: Floats) -> Floats:
    """Return log P(document) under each of the priors (n_priors, K), (n_docs, n_priors)."""
    n, n_topics = likelihoods.shape
    out = np.empty((n, len(priors)))
    row = np.empty(n_topics)
    for i in range(n):
        largest = likelihoods[i].max()
        for k in range(n_topics):
            row[k] = np.exp(likelihoods[i, k] - largest)
        for p in range(len(priors)):
            total = 0.0
            for k in range(n_topics):
                total += priors[p, k] * row[k]
            out[i, p] = largest + np.log(total)
    return out


@kernel
def posteriors(likelihoods: Floats, prior: Floats) -> Floats:
    """Return P(topic | document) under a prior, (n_docs, K)."""
    out = np.empty_like(likelihoods)
    for i in range(len(out)):
        largest = likelihoods[i].max()
        for k in range(len(prior)):
            out[i, k] = prior[k] * np.exp(likelihoods[i, k] - largest)
        out[i] /= out[i].sum()
    return out
