"""Likelihood: log-probabilities, posteriors and topic proportions of documents, from arrays."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.documents import Documents
from spectralleader.runtime.compiled import inlined, kernel, shared

N_ROUNDS = 30  # EM iterations for topic proportions; later ones change them by less than 1e-2


def log_sum(joint: Floats) -> Floats:
    """Return log(sum(exp(row))) of each row, without overflow or underflow."""
    largest = joint.max(axis=1)
    # For a document that every topic rules out, -inf - -inf would be NaN.
    finite = np.where(np.isfinite(largest), largest, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(finite + np.log(np.exp(joint - finite[:, None]).sum(axis=1)))


def softmax(joint: Floats, fallback: Floats) -> Floats:
    """Return exp(row) normalised to sum 1; a row of only -inf becomes the fallback distribution."""
    largest = joint.max(axis=1)
    ruled_out = ~np.isfinite(largest)
    likelihood = np.exp(joint - np.where(ruled_out, 0.0, largest)[:, None])
    likelihood[ruled_out] = fallback
    return np.asarray(likelihood / likelihood.sum(axis=1, keepdims=True))


def find_shares(weights: Floats, topics: Floats, documents: Documents) -> Floats:
    """Return the topic proportions of each document, (n_docs, K); see `TopicModel.shares`."""
    rows = np.repeat(np.arange(documents.n_docs), np.diff(documents.indptr))
    # Not 0, so that a word that every topic rules out is not 0 / 0.
    likelihood = np.maximum(topics.T[documents.words], np.finfo(float).tiny)  # (n_entries, K)
    shares = np.tile(weights, (documents.n_docs, 1))
    import scipy.sparse as sp  # slow to import, and not needed for learning

    # One column per entry: the product sums the assignments of each document's entries.
    counts = sp.csr_array(
        (documents.counts, np.arange(len(rows)), documents.indptr),
        shape=(documents.n_docs, len(rows)),
    )
    for _ in range(N_ROUNDS):
        assigned = shares[rows] * likelihood
        assigned /= np.maximum(assigned.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        # M-step, not normalised: the E-step above normalises per token anyway. Adding the weights
        # counts as one more token, which keeps short documents near the prior.
        shares = weights + counts @ assigned
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def take_logs(weights: Floats, topics: Floats) -> tuple[Floats, Floats]:
    """Return log(weights), (K,), and log(topics.T), (d, K): one row per word, as documents ask."""
    with np.errstate(divide="ignore"):
        return np.log(weights), np.log(np.ascontiguousarray(topics.T))


@kernel
def log_joint(
    indptr: Ints, words: WordIds, counts: Floats, log_weights: Floats, log_topics: Floats
) -> Floats:
    """``log_weights + X @ log_topics``, (d, K), without the 0 * -inf of the dense product."""
    out = np.empty((len(indptr) - 1, len(log_weights)))
    for i in range(len(out)):
        add_logs(indptr[i], indptr[i + 1], words, counts, log_weights, log_topics, out[i])
    return out


@shared
def add_logs(
    low: int,
    high: int,
    words: WordIds,
    counts: Floats,
    log_weights: Floats,
    log_topics: Floats,
    joint: Floats,
) -> None:
    """Set the row of a document in `log_joint`, whose entries are those from `low` to `high`."""
    for k in range(len(joint)):
        joint[k] = log_weights[k]
    for j in range(low, high):
        count, row = counts[j], log_topics[np.uint32(words[j])]
        for k in range(len(joint)):
            joint[k] += count * row[k]


@kernel
def find_best(
    indptr: Ints,
    words: WordIds,
    counts: Floats,
    log_weights: Floats,
    log_topics: Floats,
    best: Ints,
    told: Floats,
) -> None:
    """Write what is known of each document: the argmax of its row of `TopicModel.posterior`.

    And to `told`, of shape (n_docs, 3): the maximum of that row, the document's entry of
    `TopicModel.log_prob` and its number of words.

    In one kernel, because a service is asked for one document at a time: NumPy's calls would take
    most of that time, some 90 us instead of 5.
    """
    joint = np.empty(len(log_weights))
    for i in range(len(indptr) - 1):
        add_logs(indptr[i], indptr[i + 1], words, counts, log_weights, log_topics, joint)
        length, total = 0.0, 0.0
        for j in range(indptr[i], indptr[i + 1]):
            length += counts[j]
        k_best = find_largest(joint)
        largest = joint[k_best]
        if largest == -np.inf:  # ruled out by all topics: it tells nothing, and gets the weights
            k_best = find_largest(log_weights)
            total = np.exp(-log_weights[k_best])
        else:
            for k in range(len(joint)):
                total += np.exp(joint[k] - largest)
        best[i] = k_best
        told[i, 0] = 1.0 / total
        # An empty document has log-probability 0, not the rounding error of the weights' sum.
        told[i, 1] = largest + np.log(total) if length > 0.0 else 0.0
        told[i, 2] = length


@inlined
def find_largest(row: Floats) -> int:
    """``row.argmax()``, which would compile for longer."""
    best = 0
    for k in range(len(row)):
        if row[k] > row[best]:
            best = k
    return best
