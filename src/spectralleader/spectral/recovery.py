"""From eigenpairs to a valid model: Algorithm 1, line 5, and what it leaves open."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.runtime.compiled import kernel

NOTHING = 1e-12  # a lambda or a topic's mass below this carries no topic


@kernel
def recover(backward: Floats, eigenvalues: Floats, eigenvectors: Floats) -> tuple[Floats, Floats]:
    """Return omega_i = 1 / lambda_i^2 and u_i = lambda_i (W^T)^+ v_i, as they come out (eq. 10).

    A negative lambda flips with its v, which leaves u as it is. A lambda of nothing means no topic:
    weight 0.
    """
    weights, scaled = np.zeros(len(eigenvalues)), np.empty_like(eigenvectors)
    for i in range(len(eigenvalues)):
        if abs(eigenvalues[i]) > NOTHING:
            weights[i] = 1.0 / eigenvalues[i] ** 2
        scaled[i] = eigenvalues[i] * eigenvectors[i]
    return weights, np.dot(scaled, backward.T)


@kernel
def clip(topics: Floats) -> tuple[Floats, Floats, Floats]:
    """Say how to make topics distributions: each one's sign, mass kept, and mass clipped, (k,).

    A topic that sums to a negative number is flipped; negative entries become 0 and the rest is
    divided by its mass: ``np.maximum(sign * topic, 0) / mass``.
    """
    k, d = topics.shape
    signs, masses, clipped = np.ones(k), np.zeros(k), np.zeros(k)
    for i in range(k):
        size, total = 0.0, 0.0  # max(x, 0) is (x + |x|) / 2, and sums of these fill registers
        for w in range(d):
            size += abs(topics[i, w])
            total += topics[i, w]
        if total < 0:
            signs[i] = -1.0
        masses[i], clipped[i] = (size + abs(total)) / 2, (size - abs(total)) / 2
    return signs, masses, clipped


@kernel
def smooth_words(words: Floats, n_tokens: float) -> Floats:
    """Return the unigram distribution: word frequencies and one token's worth of uniform."""
    share = 1.0 / (1.0 + n_tokens)
    total = words.sum()
    if total == 0.0:
        return np.full(len(words), 1.0 / len(words))
    smoothed: Floats = words * ((1.0 - share) / total) + share / len(words)
    return smoothed


@kernel
def background_share(n_topics: int, n_words: int, n_tokens: float) -> float:
    """Return the share of unigram in each topic: free parameters against tokens seen (eq. 11).

    ``K (d - 1) / (K (d - 1) + n_tokens)``: all of it before anything is seen, none in the limit.
    """
    parameters = max(n_topics * (n_words - 1), 1)
    return parameters / (parameters + n_tokens)


@kernel
def complete(
    weights: Floats,
    topics: Floats,
    unigram: Floats,
    share: float,
    to_weights: Floats,
    to_topics: Floats,
) -> Floats:
    """Set weights and topics of a valid model, with no impossible word; return the mass clipped.

    Topics become distributions by `clip`, and each is mixed with `share` unigram. Missing topics
    (of no weight or no mass, or fewer than there are to set) get weight 0, the last places and the
    unigram distribution; if all are missing the model is the unigram model.
    """
    signs, masses, clipped = clip(topics)
    n_found, total = 0, 0.0
    for i in range(len(weights)):
        if weights[i] > 0 and masses[i] > NOTHING:
            to_weights[n_found] = min(weights[i], 1.0)
            total += to_weights[n_found]
            scale = (1.0 - share) * signs[i] / masses[i]
            for w in range(len(unigram)):
                kept = scale * topics[i, w]
                to_topics[n_found, w] = (kept + abs(kept)) / 2 + share * unigram[w]
            n_found += 1
    for i in range(n_found, len(to_weights)):
        to_weights[i] = 0.0 if n_found > 0 else 1.0
        to_topics[i] = unigram
    to_weights /= total if n_found > 0 else len(to_weights)
    return clipped


@kernel
def finish(
    backward: Floats,
    eigenvalues: Floats,
    eigenvectors: Floats,
    words: Floats,
    n_tokens: float,
    to_weights: Floats,
    to_topics: Floats,
) -> Floats:
    """Go from eigenpairs to a valid model: set its weights and topics; return the mass clipped."""
    weights, topics = recover(backward, eigenvalues, eigenvectors)
    unigram = smooth_words(words, n_tokens)
    share = background_share(len(to_weights), len(words), n_tokens)
    return complete(weights, topics, unigram, share, to_weights, to_topics)
