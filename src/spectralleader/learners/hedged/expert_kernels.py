"""Kernels of the experts: their likelihoods in one pass over a block, and tracked priors."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.em.columns import (
    UNSEEN,
    WEIGHT,
    WordProbs,
    multiply_words,
    normalise,
    safe_length,
    smoothed_line,
)
from spectralleader.runtime.compiled import in_place, inlined


@in_place
def expert_log_probs(
    indptr: Ints,
    words: WordIds,
    counts: Floats,
    table: Floats,
    totals: Floats,
    scales: Floats,
    seen: Floats,
    n_seen: float,
    roots: Floats,
    n_roots: float,
    strengths: Floats,
    priors: Floats,
    experts: Ints,
    work: Floats,
    out: Floats,
    topic_likelihoods: Floats,
) -> None:
    """Set each expert's log-probability of each document, and P(words | topic) of each model.

    Of `out`, (n_docs, 2 + n_experts), the first column is of any word, the second of words by their
    frequency, the others are ``log(priors[prior] @ topic_likelihoods[model])``. The first priors
    are set, to the weights of each estimate, (n_tables, K). The topic likelihoods are
    ``exp(X @ log((scale * table + strength * roots / n_roots) / (scale * totals[1] + strength)))``,
    strengths being given per known word, a model being an estimate at a strength, the strengths of
    an estimate side by side, (n_docs, n_models, K), each row divided by its sum. `work` has room
    for 5 numbers per strength and topic, (5, n_strengths, n_tables K).
    """
    n, n_tables, n_strengths = len(indptr) - 1, len(scales), len(strengths)
    n_topics = table.shape[1] // n_tables
    # Indexed, not unpacked: the parts would not be known as contiguous.
    slope, offset, products, logs, units = work[0], work[1], work[2], work[3], work[4]
    _set_weights(totals, scales, priors)
    _set_coefficients(totals, scales, strengths, len(seen), n_roots, slope, offset)
    safe = safe_length(offset, UNSEEN)
    smoothed = WordProbs(table, 0, roots, slope, offset, safe)
    # `multiply_words` and `normalise` expect zeros, and leave zeros behind.
    for s in range(n_strengths):
        for x in range(n_tables * n_topics):
            logs[s, x] = 0.0
    for i in range(n):
        low, high = indptr[i], indptr[i + 1]
        # 1, not a prior: the experts of one model share P(words | topic) and differ only in their
        # priors, which are multiplied in below.
        for s in range(n_strengths):
            for x in range(n_tables * n_topics):
                products[s, x] = 1.0
        is_long = multiply_words(low, high, words, counts, smoothed, products, logs)
        for s in range(n_strengths):
            for t in range(n_tables):
                model, at = t * n_strengths + s, t * n_topics
                # A slice, because a loop over two indices with an offset is not vectorised, which
                # takes twice the time at 100 topics.
                row = topic_likelihoods[i, model]
                for k in range(n_topics):
                    row[k] = products[s, at + k]
                # Normalised, with the log of the sum kept apart: long documents would underflow.
                units[s, t] = normalise(row, logs[s, at : at + n_topics], is_long)
        # The two experts without topics: every word equally likely, and (c_w + 1/2) / (n + d/2).
        length, total = 0.0, 0.0
        for j in range(low, high):
            length += counts[j]
            total += counts[j] * np.log(seen[words[j]])
        out[i, 0], out[i, 1] = -length * np.log(len(seen)), total - length * np.log(n_seen)
        for e in range(len(experts)):
            model, prior, total = experts[e, 0], experts[e, 1], 0.0
            for k in range(n_topics):
                total += priors[prior, k] * topic_likelihoods[i, model, k]
            unit = units[model % n_strengths, model // n_strengths]
            out[i, 2 + e] = unit + np.log(total)


@inlined
def _set_weights(totals: Floats, scales: Floats, out: Floats) -> None:
    """``out[:n_tables] = (scale * totals[0] + WEIGHT / K) / sum`` of each estimate."""
    n_topics = totals.shape[1] // len(scales)
    for t in range(len(scales)):
        total = 0.0
        for k in range(n_topics):
            out[t, k] = scales[t] * totals[0, t * n_topics + k] + WEIGHT / n_topics
        for k in range(n_topics):  # a loop of its own, see `compiled.kernel`
            total += out[t, k]
        for k in range(n_topics):
            out[t, k] /= total


@inlined
def _set_coefficients(
    totals: Floats,
    scales: Floats,
    strengths: Floats,
    n_words: int,
    n_roots: float,
    slope: Floats,
    offset: Floats,
) -> None:
    """Set slope and offset of `WordProbs` at each strength, (n_strengths, n_tables K)."""
    n_topics = totals.shape[1] // len(scales)
    for s in range(len(strengths)):
        strength = n_words * strengths[s]  # background words per topic, from those per known word
        for x in range(totals.shape[1]):
            scale = scales[x // n_topics]
            line = smoothed_line(scale, scale * totals[1, x], strength, n_roots)
            slope[s, x], offset[s, x] = line


@in_place
def track_priors(
    priors: Floats, rates: Floats, n_forgetting: int, floor: float, topic_likelihoods: Floats
) -> None:
    """Update each prior, (n_models n_rates, K), with the posteriors r of the documents under it.

    The first n_forgetting are exponential averages: ``prior <- (1 - rate) prior + rate r``. The
    others assume that a topic stays for 1 / rate documents, as in a hidden Markov model: ``prior <-
    (1 - rate) r + rate / K``. A share `floor` of each is distributed equally.
    """
    n_topics = priors.shape[1]
    for i in range(len(topic_likelihoods)):
        for p in range(len(priors)):
            model, m, total = p // len(rates), p % len(rates), 0.0
            for k in range(n_topics):
                total += priors[p, k] * topic_likelihoods[i, model, k]
            # Both updates of eq. 28, with the floor, are prior * (keep + gain * chance) + equal.
            stays = m < n_forgetting
            keep = (1.0 - floor) * (1.0 - rates[m]) if stays else 0.0
            gain = (1.0 - floor) * (rates[m] if stays else 1.0 - rates[m]) / total
            equal = (floor + (0.0 if stays else (1.0 - floor) * rates[m])) / n_topics
            for k in range(n_topics):
                priors[p, k] = priors[p, k] * (keep + gain * topic_likelihoods[i, model, k]) + equal


@in_place
def add_losses(losses: Floats, log_probs: Floats, keep: float) -> None:
    """``losses[:] = losses * keep ** n_docs - log_probs.sum(axis=0)``."""
    # One decay per block: all its documents weigh the same, in any order.
    factor = keep ** len(log_probs)
    for e in range(len(losses)):
        losses[e] *= factor
    for i in range(len(log_probs)):
        for e in range(len(losses)):
            losses[e] -= log_probs[i, e]
