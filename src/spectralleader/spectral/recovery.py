"""From eigenpairs to a valid model: Algorithm 1, line 5, and what it leaves open."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.moments import Sums
from spectralleader.runtime.compiled import kernel

NOTHING = 1e-12  # a lambda or a topic's mass below this carries no topic


@kernel
def recover(
    sums: Sums, W: Floats, lambdas: Floats, vectors: Floats, weights: Floats, topics: Floats
) -> Floats:
    """Set weights and topics of a valid model; return the mass clipped from each topic found.

    ``omega_i = 1 / lambda_i^2`` and ``u_i = lambda_i (W^T)^+ v_i`` with ``(W^T)^+ = M2 W`` (eq.
    10); then what the paper leaves open, see `complete`. A negative lambda flips with its v, which
    leaves u unchanged. A lambda of 0 means no topic: weight 0.
    """
    omega, v = np.zeros(len(lambdas)), vectors / max(1.0, sums.n[2])
    for i in range(len(lambdas)):
        if abs(lambdas[i]) > NOTHING:
            omega[i] = 1.0 / lambdas[i] ** 2
        v[i] *= lambdas[i]
    # Eq. 21, multiplied from the left: only the last product is over the d words.
    u = np.dot(np.dot(v, W.T), sums.image.T)
    unigram = smooth_words(sums.words, sums.n[0])
    share = background_share(len(weights), len(unigram), sums.n[0])
    return complete(omega, u, unigram, share, weights, topics)


@kernel
def complete(
    omega: Floats, u: Floats, unigram: Floats, share: float, weights: Floats, topics: Floats
) -> Floats:
    """Set weights and topics without impossible words; return the mass clipped from each u.

    A u that sums to a negative number is flipped; negative entries become 0, the rest is
    normalised, and mixed with `share` unigram. Missing topics (of no weight or no mass, or fewer
    than there are to set) get weight 0, the last places and the unigram distribution; if all are
    missing the model is the unigram model.
    """
    clipped, n_found = np.zeros(len(omega)), 0
    for i in range(len(omega)):
        size, total = 0.0, 0.0  # max(x, 0) is (x + |x|) / 2, which vectorises
        for w in range(len(unigram)):
            size += abs(u[i, w])
            total += u[i, w]
        # The larger of the positive and the negative mass is kept, flipped if it is negative.
        mass, clipped[i] = (size + abs(total)) / 2, (size - abs(total)) / 2
        if omega[i] > 0 and mass > NOTHING:
            weights[n_found] = min(omega[i], 1.0)
            scale = (1.0 - share) * (-1.0 if total < 0 else 1.0) / mass
            for w in range(len(unigram)):
                kept = scale * u[i, w]
                topics[n_found, w] = (kept + abs(kept)) / 2 + share * unigram[w]
            n_found += 1
    for i in range(n_found, len(weights)):
        # If no topic was found, the division below makes the weights equal.
        weights[i] = 0.0 if n_found > 0 else 1.0
        topics[i] = unigram
    weights /= weights.sum()
    return clipped


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
