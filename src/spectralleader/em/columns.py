"""The statistics of K topics as columns of a table: one document's E-step, and how it is added.

Every EM on statistics is made of these two steps; a finished model has its own E-step in `models`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats, WordIds
from spectralleader.em.products import WordProbs, multiply_words, normalise, safe_length
from spectralleader.runtime.compiled import shared

WEIGHT = 1.0  # pseudo-documents, shared by all topics
UNSEEN = 0.5  # pseudo-count of a word that has not occurred yet


class Columns(NamedTuple):
    """The statistics of K topics, as columns of larger tables."""

    words: Floats  # (d, at least first + K)
    totals: Floats  # (2, at least first + K), documents and words
    first: int
    n_topics: int


class Smoothing(NamedTuple):
    """Smoothing of topics towards a background, and of their weights towards equal ones."""

    seen: Floats  # (d,), positive
    n_seen: float  # their sum
    strength: float  # pseudo-words per topic
    weight: float = WEIGHT  # pseudo-documents, shared by all topics
    closes: bool = True  # whether a topic without documents is closed: it has no weight


def work_space(n_topics: int) -> Floats:
    """Return room for a kernel to work in: slope, offset, prior, a row and logs, (5, 1, K).

    The logs must be zeros, which `e_step` leaves behind. Kernels allocate nothing themselves: they
    would then count references to arrays, which takes longer than an E-step.
    """
    return np.zeros((5, 1, n_topics))


@shared
def m_step(
    columns: Columns,
    smoothing: Smoothing,
    scale: float,
    slope: Floats,
    offset: Floats,
    prior: Floats,
) -> WordProbs:
    """M-step: set the coefficients of P(word | topic), and P(topic); return the former.

    All are (1, K). The statistics are `scale` times those in the columns.
    """
    for k in range(columns.n_topics):
        n_words = scale * columns.totals[1, columns.first + k]
        # Eq. 27 as slope * count + offset * background: the (K, d) model is never formed.
        slope[0, k] = scale / (n_words + smoothing.strength)
        offset[0, k] = smoothing.strength / smoothing.n_seen / (n_words + smoothing.strength)
        own = scale * columns.totals[0, columns.first + k]
        # omega of eq. 27, before normalisation; `weight` is 1 there. Without documents, background
        # alone would attract odd documents, to all such topics alike.
        is_open = own > 0.0 or not smoothing.closes
        prior[0, k] = own + smoothing.weight / columns.n_topics if is_open else 0.0
    n_docs = 0.0
    for k in range(columns.n_topics):  # a loop of its own, see `compiled.kernel`
        n_docs += prior[0, k]
    for k in range(columns.n_topics):
        prior[0, k] = prior[0, k] / n_docs if n_docs > 0.0 else 1.0 / columns.n_topics
    # Every `seen` is at least UNSEEN (counts, their square roots, or ones), so that offset * UNSEEN
    # bounds every P(word | topic) from below.
    safe = safe_length(offset, UNSEEN)
    return WordProbs(columns.words, columns.first, smoothing.seen, slope, offset, safe)


@shared
def e_step(
    low: int,
    high: int,
    words: WordIds,
    counts: Floats,
    word_probs: WordProbs,
    prior: Floats,
    rows: Floats,
    logs: Floats,
) -> float:
    """E-step: set ``rows[0]`` to P(topic | document); return log P(document).

    The document has the entries from `low` to `high`. The prior and `logs`, zeros before and after,
    are (1, K).
    """
    for k in range(rows.shape[1]):  # a slice assigned to a slice compiles the error of shapes
        rows[0, k] = prior[0, k]
    is_long = multiply_words(low, high, words, counts, word_probs, rows, logs)
    return normalise(rows[0], logs[0], is_long)


@shared
def add_document(
    low: int,
    high: int,
    words: WordIds,
    counts: Floats,
    row: Floats,
    gain: float,
    least: float,
    columns: Columns,
) -> None:
    """Add a document's entries to the statistics, `gain` times, with the responsibilities `row`.

    No sum becomes less than `least`: 0 where only what was added before is removed, which rounding
    could make negative; -inf where sums are differences.
    """
    table, first, length = columns.words, columns.first, 0.0
    n_docs = columns.totals[0, first : first + len(row)]
    n_words = columns.totals[1, first : first + len(row)]
    for j in range(low, high):
        # Unsigned: Numba checks a signed index for wrap-around.
        w, count = np.uint32(words[j]), gain * counts[j]
        length += count
        sums = table[w, first : first + len(row)]
        for k in range(len(row)):
            sums[k] = max(sums[k] + count * row[k], least)
    for k in range(len(row)):
        # totals[1] follows the words, up to rounding, without a pass over the vocabulary.
        n_docs[k] = max(n_docs[k] + gain * row[k], least)
        n_words[k] = max(n_words[k] + length * row[k], least)
