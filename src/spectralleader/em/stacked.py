"""Stacked: the statistics of several estimates of K topics, for one pass over a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import LARGEST, floats
from spectralleader.documents import Documents
from spectralleader.em.background import Background
from spectralleader.em.columns import (
    UNSEEN,
    WEIGHT,
    Columns,
    WordProbs,
    add_document,
    multiply_words,
    normalise,
    safe_length,
    set_weights,
    smoothed_line,
)
from spectralleader.em.statistics import SMALLEST_SCALE, Statistics
from spectralleader.runtime.compiled import in_place


class Stacked(Saved):
    """Sufficient statistics of several estimates of K topics, by name, with one row per word.

    Estimate i is `scales[i]` times the columns i K to (i + 1) K. All estimates can thus be
    evaluated in one pass over a document, and each can decay at its own rate.
    """

    saved = fields(
        scales=field(
            floats, shape=lambda known: (len(known["names"]),), least=SMALLEST_SCALE, most=1.0
        ),
        statistics=field(
            Statistics,
            n_topics=lambda known: len(known["names"]) * known["n_topics"],
            most=LARGEST / SMALLEST_SCALE,  # as they are: each is smaller by its scale
        ),
    )

    def __init__(self, names: Sequence[str], n_topics: int, n_words: int) -> None:
        self.n_topics, self._at = n_topics, {name: i for i, name in enumerate(names)}
        self.scales: Floats = np.ones(len(names))
        self.statistics = Statistics.zero(len(names) * n_topics, n_words)

    def columns(self, name: str) -> Columns:
        """Return a view of the statistics of an estimate, without its scale."""
        first = self._at[name] * self.n_topics
        return Columns(self.statistics.words, self.statistics.totals, first, self.n_topics)

    def view(self, name: str) -> Statistics:
        """Return a view of the statistics of an estimate."""
        words, totals, first, n_topics = self.columns(name)
        at, scale = slice(first, first + n_topics), float(self.scales[self._at[name]])
        return Statistics(totals[:, at], words[:, at], scale)

    def replace(self, name: str, statistics: Statistics) -> None:
        """Replace the statistics of an estimate."""
        shared = self.view(name)
        shared.totals[:], shared.words[:] = statistics.totals, statistics.words
        self.scales[self._at[name]] = statistics.scale

    def evaluate(
        self, block: Documents, background: Background, rows: tuple[Floats, Ints, Floats]
    ) -> tuple[Floats, Floats]:
        """Return what `expert_log_probs` computes: log-probabilities, and P(words | topic)."""
        n, n_strengths, n_estimates = block.n_docs, len(rows[0]), len(self.scales)
        log_probs = np.empty((n, 2 + len(rows[1])))
        topic_likelihoods = np.empty((n, n_estimates * n_strengths, self.n_topics))
        work = np.empty((5, n_strengths, n_estimates * self.n_topics))
        expert_log_probs(
            (block.indptr, block.words, block.counts),
            (self.statistics.words, self.statistics.totals, self.scales),
            (background.seen, background.n_seen, background.roots, background.n_roots),
            rows,
            (log_probs, topic_likelihoods, work),
        )
        return log_probs, topic_likelihoods

    def learn(
        self, block: Documents, topic_likelihoods: Floats, weights: Floats, keep: Floats
    ) -> None:
        """Let the last ``len(keep)`` estimates decay and learn documents.

        Each is multiplied by ``keep ** n_docs``. The topic likelihoods are those of `evaluate`; the
        first model of an estimate is its own.
        """
        totals, words = self.statistics.totals, self.statistics.words
        learn_posteriors(
            (block.indptr, block.words, block.counts),
            (words, totals, self.scales),
            (topic_likelihoods, weights, keep),
            np.empty((2, len(keep) * self.n_topics)),
        )
        if min(self.scales.tolist()) < SMALLEST_SCALE:
            # A pass over the vocabulary, but a rare one: before any lazy scale underflows.
            factors = np.repeat(self.scales, self.n_topics)
            totals *= factors
            words *= factors
            self.scales[:] = 1.0

    def _loaded(self) -> None:
        factors = np.repeat(self.scales, self.n_topics)
        if (factors * self.statistics.totals > LARGEST).any():
            raise ValueError(f"estimates must have at most {LARGEST:g} documents and words")


@in_place
def expert_log_probs(
    block: tuple[Any, ...],
    stack: tuple[Any, ...],
    background: tuple[Any, ...],
    rows: tuple[Any, ...],
    out: tuple[Any, ...],
) -> None:
    """Set each expert's log-probability of each document, and P(words | topic) of each model.

    A model is an estimate at a strength, the strengths of an estimate being side by side. The
    log-probability is ``log(priors[prior] @ topic_likelihoods[model])``, where these are
    ``exp(X @ log((scale * table + strength * roots / n_roots) / (scale * totals[1] + strength)))``.

    Numba takes 0.5 us to determine the type of a NamedTuple, and 0.1 us for a plain tuple. These
    are, d being the number of words:

    - block: ``indptr``, ``words`` and ``counts`` of `Documents`;
    - stack: the table (d, n_tables K), the totals (2, n_tables K) and the scales (n_tables,);
    - background: ``seen`` (d,) and its sum, ``roots`` (d,) and their sum, as in `Background`;
    - rows: the strengths, in words of background per topic and known word; model and prior of each
      expert with topics, (n_experts, 2); the priors, of which the first are set, to the weights of
      each estimate, (n_priors, K);
    - out: the log-probabilities (n_docs, 2 + n_experts), of which the first two are of experts
      without topics: any word, and words by their frequency; the topic likelihoods, each row
      divided by its sum, (n_docs, n_models, K); and room for 5 numbers per strength and topic,
      (5, n_strengths, n_tables K).
    """
    indptr, words, counts = block
    table, totals, scales = stack
    seen, n_seen, roots, n_roots = background
    strengths, experts, priors = rows
    log_probs, topic_likelihoods, work = out
    n, n_tables, n_strengths = len(indptr) - 1, len(scales), len(strengths)
    n_topics = table.shape[1] // n_tables
    # Indexed, not unpacked: the parts would not be known as contiguous.
    slope, offset, products, logs, units = work[0], work[1], work[2], work[3], work[4]
    for t in range(n_tables):
        # Open, also without documents: a document that no other topic explains is then unlikely,
        # and not impossible.
        n_docs = totals[0, t * n_topics : (t + 1) * n_topics]
        set_weights(n_docs, scales[t], WEIGHT, WEIGHT, priors[t])
    for s in range(n_strengths):
        strength = len(seen) * strengths[s]  # of a topic, from the strength per known word
        for x in range(n_tables * n_topics):
            scale = scales[x // n_topics]
            line = smoothed_line(scale, scale * totals[1, x], strength, n_roots)
            slope[s, x], offset[s, x] = line
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
        log_probs[i, 0] = -length * np.log(len(seen))
        log_probs[i, 1] = total - length * np.log(n_seen)
        for e in range(len(experts)):
            model, prior, total = experts[e, 0], experts[e, 1], 0.0
            for k in range(n_topics):
                total += priors[prior, k] * topic_likelihoods[i, model, k]
            unit = units[model % n_strengths, model // n_strengths]
            log_probs[i, 2 + e] = unit + np.log(total)


@in_place
def learn_posteriors(
    block: tuple[Any, ...], stack: tuple[Any, ...], likelihoods: tuple[Any, ...], room: Floats
) -> None:
    """``table += gain * X.T @ r`` and ``totals += gain * [1, lengths] @ r`` of the last estimates.

    ``r = weights * topic_likelihoods``, divided by its sum. The tuples are those of
    `expert_log_probs`, and topic likelihoods, weights of the topics in each estimate and factors
    per document of the last ones. `room` is to work in, two numbers per topic of these estimates.
    """
    indptr, words, counts = block
    table, totals, scales = stack
    topic_likelihoods, weights, keep = likelihoods
    n, n_topics = len(indptr) - 1, weights.shape[1]
    n_tables, n_strengths = len(scales), topic_likelihoods.shape[1] // len(scales)
    first = n_tables - len(keep)
    row, gains = room[0], room[1]
    columns = Columns(table, totals, first * n_topics, len(row))
    for g in range(len(keep)):
        # kappa of eq. 32, with b = n documents.
        kept = keep[g] ** n
        scales[first + g] *= kept
        # (1 - kappa) m / b for each document, with m = 1 / (1 - keep), relative to the lazy scale.
        gains[g] = (1.0 - kept) / (1.0 - keep[g]) / n / scales[first + g]
    for i in range(n):
        for g in range(len(keep)):
            # The models of an estimate are side by side; responsibilities are those of the first.
            model, total = (first + g) * n_strengths, 0.0
            for k in range(n_topics):
                row[g * n_topics + k] = weights[first + g, k] * topic_likelihoods[i, model, k]
            for k in range(n_topics):  # a loop of its own, see `compiled.kernel`
                total += row[g * n_topics + k]
            for k in range(n_topics):
                row[g * n_topics + k] *= gains[g] / total
        # The columns of these estimates are adjacent: one pass over a document updates all.
        add_document(indptr[i], indptr[i + 1], words, counts, row, 1.0, columns)
