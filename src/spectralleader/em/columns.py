"""The statistics of K topics as columns of a table: one document's E-step, and how it is added.

Every EM on statistics is made of these two steps; a finished model has its own E-step in `models`.
An E-step multiplies probabilities, without a logarithm per word.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats, WordIds
from spectralleader.runtime.compiled import inlined, shared

SMALLEST = -500.0  # lower bound of the log of a product of safe length; float64 ends at -708
LOW, LIFT = 2.0**-250, 2.0**722  # products below LOW are multiplied by LIFT
LOG_LIFT = np.log(LIFT)  # more than -SMALLEST; and LOW / LIFT is not denormal yet
NOTHING = -200.0  # log of a share that is rounded to 0: denormal numbers are slow


class WordProbs(NamedTuple):
    """``P(word | topic) = slope * table[word] + offset * seen[word]``, for columns from `first` on.

    Several slopes and offsets describe the same topics with different smoothing.
    """

    table: Floats  # expected words, (d, at least first + K)
    first: int  # column
    seen: Floats  # how often each word was seen, (d,)
    slope: Floats  # (n, K)
    offset: Floats  # (n, K)
    safe: float  # number of words that can be multiplied without underflow


@inlined
def safe_length(offset: Floats, least: float) -> float:
    """Return the number of words that can be multiplied without underflow.

    `least` is the smallest frequency of a word.
    """
    smallest = offset[0, 0]
    for s in range(len(offset)):
        for k in range(offset.shape[1]):
            # Compared, not `min` and `max`: each kind of kernel would compile its own.
            if offset[s, k] < smallest:
                smallest = offset[s, k]
    # n factors of at least `smallest * least` have a product of at least exp(SMALLEST).
    n = np.floor(SMALLEST / np.log(smallest * least))
    return float(n if n > 1.0 else 1.0)


@shared
def multiply_words(
    low: int,
    high: int,
    words: WordIds,
    counts: Floats,
    word_probs: WordProbs,
    products: Floats,
    logs: Floats,
) -> bool:
    """Multiply P(word | topic) of the entries `low` to `high` of a document into the products.

    If these, (n, K), become too small, part of them is moved to the logarithms. Returns whether
    that was necessary.
    """
    table, first, seen, slope, offset, safe = word_probs
    (n_smoothed, K), is_long, n = products.shape, False, 0.0
    for j in range(low, high):
        n += counts[j]
    if n <= safe:  # nearly always: nothing can underflow
        for s in range(n_smoothed):
            product, a, b = products[s], slope[s], offset[s]
            for j in range(low, high):
                w = np.uint32(words[j])
                mass, row = seen[w], table[w, first : first + K]
                for _ in range(int(counts[j])):
                    for k in range(K):
                        product[k] *= a[k] * row[k] + b[k] * mass
        return False
    n = 0.0
    for j in range(low, high):
        w, times = np.uint32(words[j]), counts[j]
        mass = seen[w]
        n += times
        # A product that was not lifted is at least LOW: LOW * exp(SMALLEST) is a normal float64.
        if n > safe:
            is_long, n = True, times
            lift(products, logs)
            # Repeated this often, one word alone would underflow: add its logarithm instead.
            if times > safe:
                for s in range(n_smoothed):
                    for k in range(K):
                        chance = slope[s, k] * table[w, first + k] + offset[s, k] * mass
                        logs[s, k] += times * np.log(chance)
                n = 0.0
                continue
        row = table[w, first : first + K]  # Numba checks two indices for wrap-around, one not
        for _ in range(int(times)):  # faster than a power: most counts are 1
            for s in range(n_smoothed):
                product, a, b = products[s], slope[s], offset[s]
                for k in range(K):
                    product[k] *= a[k] * row[k] + b[k] * mass
    return is_long


@inlined
def lift(products: Floats, logs: Floats) -> None:
    """Scale small products up, and record the factor in the logarithms."""
    for s in range(len(products)):
        for k in range(products.shape[1]):
            # LIFT is a power of two: scaling is exact.
            is_small = products[s, k] < LOW
            products[s, k] *= LIFT if is_small else 1.0
            logs[s, k] -= LOG_LIFT if is_small else 0.0


@shared
def normalise(row: Floats, logs: Floats, is_long: bool) -> float:  # noqa: FBT001
    """Divide a row by its sum in place; return the log of the sum. Adds and resets the logs."""
    largest = 0.0
    if is_long:
        # Log-sum-exp, only for documents whose products had to be lifted.
        largest = -np.inf
        for k in range(len(row)):
            logs[k] += np.log(row[k])
            largest = max(largest, logs[k])
        for k in range(len(row)):
            below = logs[k] - largest
            row[k] = np.exp(below) if below > NOTHING else 0.0
            logs[k] = 0.0
    total = 0.0
    for k in range(len(row)):
        total += row[k]
    # The only division of a row; a short document also has a single logarithm, the one returned.
    inverse = 1.0 / total
    for k in range(len(row)):
        row[k] *= inverse
    return float(largest + np.log(total))


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
def smoothed_line(
    scale: float, n_words: float, strength: float, n_seen: float
) -> tuple[float, float]:
    """Return slope and offset of eq. 27 as a line in the counts: the model is never formed.

    ``P(word | topic) = slope * count + offset * seen``, of a topic with n_words words, and
    `strength` pseudo-words distributed like `seen`, whose sum is n_seen.
    """
    inverse = 1.0 / (n_words + strength)
    return scale * inverse, strength * inverse / n_seen


@shared
def set_weights(n_docs: Floats, scale: float, pseudo: float, empty: float, out: Floats) -> None:
    """M-step: set the weights of topics with ``scale * n_docs`` documents and `pseudo` ones shared.

    A topic without documents has its share of `empty` documents: it is closed if these are 0.
    """
    total = 0.0
    for k in range(len(out)):
        own = scale * n_docs[k]
        # omega of eq. 27, before normalisation; `pseudo` is 1 there. Without documents, background
        # alone would attract odd documents, to all such topics alike.
        out[k] = own + pseudo / len(out) if own > 0.0 else empty / len(out)
    for k in range(len(out)):  # a loop of its own, see `compiled.kernel`
        total += out[k]
    for k in range(len(out)):
        out[k] = out[k] / total if total > 0.0 else 1.0 / len(out)


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
        line = smoothed_line(scale, n_words, smoothing.strength, smoothing.n_seen)
        slope[0, k], offset[0, k] = line
    own = columns.totals[0, columns.first : columns.first + columns.n_topics]
    empty = 0.0 if smoothing.closes else smoothing.weight
    set_weights(own, scale, smoothing.weight, empty, prior[0])
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
    columns: Columns,
) -> None:
    """Add a document's entries to the statistics, `gain` times, with the responsibilities `row`.

    A negative gain removes what was added before. No sum becomes negative by rounding.
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
            sums[k] = max(sums[k] + count * row[k], 0.0)
    for k in range(len(row)):
        # totals[1] follows the words, up to rounding, without a pass over the vocabulary.
        n_docs[k] = max(n_docs[k] + gain * row[k], 0.0)
        n_words[k] = max(n_words[k] + length * row[k], 0.0)
