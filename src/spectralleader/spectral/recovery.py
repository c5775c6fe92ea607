"""From eigenpairs to a valid model: Algorithm 1, line 5, and what it leaves open."""

from __future__ import annotations

import numpy as np

from spectralleader.compiled import kernel
from spectralleader.documents import Floats
from spectralleader.model import TopicModel

NOTHING = 1e-12  # a lambda or a topic's mass below this carries no topic


@kernel
def recover(backward: Floats, eigenvalues: Floats, eigenvectors: Floats) -> tuple[Floats, Floats]:
    """Return omega_i = 1 / lambda_i^2 and u_i = lambda_i (W^T)^+ v_i, as they come out (eq. 10).

    A negative lambda flips with its v, which leaves u as it is. A lambda of nothing means no topic:
    weight 0.
    """
    r, k = backward.shape
    weights, topics = np.zeros(k), np.zeros((k, r))
    for i in range(k):
        if abs(eigenvalues[i]) > NOTHING:
            weights[i] = 1.0 / eigenvalues[i] ** 2
        for a in range(r):
            for b in range(k):
                topics[i, a] += eigenvalues[i] * backward[a, b] * eigenvectors[i, b]
    return weights, topics


@kernel
def to_simplex(topics: Floats) -> tuple[Floats, Floats]:
    """Return the topics as distributions and the mass clipped from each, shapes (k, d) and (k,).

    A topic that sums to a negative number is flipped first; negative entries become 0 and the rest
    is renormalised. A topic with no positive entry stays all zero.
    """
    k, d = topics.shape
    kept, clipped = np.zeros((k, d)), np.zeros(k)
    for i in range(k):
        total = topics[i].sum()
        sign = -1.0 if total < 0 else 1.0
        mass = 0.0
        for w in range(d):
            kept[i, w] = max(sign * topics[i, w], 0.0)
            mass += kept[i, w]
        clipped[i] = mass - abs(total)
        if mass > NOTHING:
            kept[i] /= mass
        else:
            kept[i] = 0.0
    return kept, clipped


def smooth_words(words: Floats, n_tokens: float) -> Floats:
    """Return the unigram distribution: word frequencies and one token's worth of uniform."""
    d = len(words)
    share = 1.0 / (1.0 + n_tokens)
    return (1.0 - share) * words + share / d if n_tokens > 0 else np.full(d, 1.0 / d)


def background_share(n_topics: int, n_words: int, n_tokens: float) -> float:
    """Return the share of unigram in each topic: free parameters against tokens seen (eq. 11).

    ``K (d - 1) / (K (d - 1) + n_tokens)``: all of it before anything is seen, none in the limit.
    """
    parameters = max(n_topics * (n_words - 1), 1)
    return parameters / (parameters + n_tokens)


def complete(
    weights: Floats, topics: Floats, unigram: Floats, n_topics: int, share: float
) -> TopicModel:
    """Return a valid model of n_topics topics, none of whose words is impossible.

    Missing topics (weight 0, or fewer than n_topics) get weight 0, the last places and the unigram
    distribution; if all are missing the model is the unigram model. Every topic is mixed with
    `share` unigram.
    """
    return TopicModel.trusted(*_complete(weights, topics, unigram, n_topics, share))


@kernel
def _complete(
    weights: Floats, topics: Floats, unigram: Floats, n_topics: int, share: float
) -> tuple[Floats, Floats]:
    out_weights, out_topics = np.zeros(n_topics), np.empty((n_topics, len(unigram)))
    n_found = 0
    for i in range(len(weights)):
        if weights[i] > 0:
            out_weights[n_found] = min(weights[i], 1.0)
            out_topics[n_found] = (1.0 - share) * topics[i] + share * unigram
            n_found += 1
    for i in range(n_found, n_topics):
        out_topics[i] = unigram
    for i in range(n_topics):
        out_topics[i] /= out_topics[i].sum()
    if n_found == 0:
        out_weights[:] = 1.0
    return out_weights / out_weights.sum(), out_topics
