"""GSDMM: collapsed Gibbs sampling of the Dirichlet multinomial mixture (Yin & Wang, KDD 2014).

Written for the benchmark from the paper. The model is ours, one topic per document with Dirichlet
priors; the algorithm passes over all documents several times and remembers the topic of each.
"""

from __future__ import annotations

import numba
import numpy as np

from spectralleader import Documents, TopicModel
from spectralleader.arrays import Floats, Ints, WordIds

ALPHA, BETA = 0.1, 0.1  # pseudo-counts of documents in a topic, and of a word in a topic
N_ITERATIONS = 10  # the paper: most documents have settled after five
# Factors multiplied before a logarithm is taken. Each is at least BETA / (words of the corpus),
# about 1e-8 here, so that eight of them stay far above the smallest double, 1e-308.
AT_ONCE = 8


def fit(
    documents: Documents, n_topics: int, *, seed: int = 0, n_iterations: int = N_ITERATIONS
) -> TopicModel:
    """Return the model after the last iteration: the mean of the topics given the assignments.

    Documents must not be empty.
    """
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_topics, size=documents.n_docs)
    uniform = rng.random((n_iterations, documents.n_docs))
    n_docs, counts = tally(documents, labels, n_topics)
    sample(documents.indptr, documents.words, documents.counts, labels, n_docs, counts, uniform)
    smoothed = counts.T + BETA
    return TopicModel(
        (n_docs + ALPHA) / (n_docs + ALPHA).sum(), smoothed / smoothed.sum(axis=1, keepdims=True)
    )


def tally(documents: Documents, labels: Ints, n_topics: int) -> tuple[Floats, Floats]:
    """Return how many documents, (K,), and how often each word, (d, K), the topics have."""
    counts = np.zeros((documents.n_words, n_topics))
    rows = np.repeat(labels, np.diff(documents.indptr))
    np.add.at(counts, (documents.words, rows), documents.counts)
    return np.bincount(labels, minlength=n_topics).astype(np.float64), counts


@numba.njit(cache=True, error_model="numpy")
def sample(
    indptr: Ints,
    words: WordIds,
    counts: Floats,
    labels: Ints,
    topic_docs: Floats,
    topic_words: Floats,
    uniform: Floats,
) -> None:
    """Draw the topic of every document given all others, once for each row of `uniform`.

    `labels`, `topic_docs` (K,) and `topic_words` (d, K) are updated in place.
    """
    n_words, n_topics = topic_words.shape
    totals = np.zeros(n_topics)  # words of each topic
    for word in range(n_words):
        totals += topic_words[word]
    logs, product = np.empty(n_topics), np.empty(n_topics)
    for iteration in range(len(uniform)):
        for document in range(len(labels)):
            first, last = indptr[document], indptr[document + 1]
            old = labels[document]
            _move(words[first:last], counts[first:last], old, -1.0, topic_docs, topic_words, totals)
            # Equation 4 of the paper: log of (m_z + alpha), of the words, of their total.
            logs[:] = np.log(topic_docs + ALPHA)
            product[:] = 1.0
            n_before = 0  # occurrences so far, i - 1 in the paper
            for entry in range(first, last):
                row = topic_words[words[entry]]
                for repeat in range(int(counts[entry])):  # j - 1 in the paper
                    for topic in range(n_topics):
                        own = row[topic] + BETA + repeat
                        product[topic] *= own / (totals[topic] + n_words * BETA + n_before)
                    n_before += 1
                    if n_before % AT_ONCE == 0:
                        logs += np.log(product)
                        product[:] = 1.0
            logs += np.log(product)
            new = _draw(logs, uniform[iteration, document])
            labels[document] = new
            _move(words[first:last], counts[first:last], new, 1.0, topic_docs, topic_words, totals)


@numba.njit(cache=True, error_model="numpy")
def _move(
    words: WordIds,
    counts: Floats,
    topic: int,
    sign: float,
    topic_docs: Floats,
    topic_words: Floats,
    totals: Floats,
) -> None:
    """Add a document to a topic, or take it out."""
    topic_docs[topic] += sign
    for entry in range(len(words)):
        topic_words[words[entry], topic] += sign * counts[entry]
        totals[topic] += sign * counts[entry]


@numba.njit(cache=True, error_model="numpy")
def _draw(logs: Floats, uniform: float) -> int:
    """Draw a topic, given log-probabilities up to a constant; they are overwritten."""
    logs[:] = np.exp(logs - logs.max())
    left = uniform * logs.sum()
    for topic in range(len(logs) - 1):
        left -= logs[topic]
        if left < 0.0:
            return topic
    return len(logs) - 1
