"""From eigenpairs to a valid model: Algorithm 1, line 5, and what it leaves open."""

from __future__ import annotations

import numpy as np

from spectralleader.documents import Floats
from spectralleader.model import TopicModel
from spectralleader.spectral.whitening import Whitening

NOTHING = 1e-12  # a lambda or a topic's mass below this carries no topic


def recover(
    whitening: Whitening, eigenvalues: Floats, eigenvectors: Floats
) -> tuple[Floats, Floats]:
    """Return omega_i = 1 / lambda_i^2 and u_i = lambda_i (W^T)^+ v_i, as they come out (eq. 10).

    A negative lambda flips with its v, which leaves u as it is. A lambda of nothing means no topic:
    weight 0.
    """
    usable = np.abs(eigenvalues) > NOTHING
    weights = np.where(usable, 1.0 / np.where(usable, eigenvalues, 1.0) ** 2, 0.0)
    return weights, (eigenvalues[:, None] * eigenvectors) @ whitening.backward.T


def to_simplex(topics: Floats) -> tuple[Floats, Floats]:
    """Return the topics as distributions and the mass clipped from each, shapes (k, d) and (k,).

    A topic that sums to a negative number is flipped first; negative entries become 0 and the rest
    is renormalised. A topic with no positive entry stays all zero.
    """
    topics = np.where(topics.sum(axis=1, keepdims=True) < 0, -topics, topics)
    kept = np.maximum(topics, 0.0)
    mass = kept.sum(axis=1)
    clipped = mass - topics.sum(axis=1)
    return kept / np.where(mass > NOTHING, mass, np.inf)[:, None], clipped


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

    Missing topics (too few were found, or one is empty) get weight 0 and the unigram distribution;
    if all are missing the model is the unigram model. Every topic is mixed with `share` unigram.
    """
    found = (topics.sum(axis=1) > 0.5) & (weights > 0)
    full_weights = np.zeros(n_topics)
    full_topics = np.tile(unigram, (n_topics, 1))
    n_found = int(found.sum())
    full_topics[:n_found] = (1.0 - share) * topics[found] + share * unigram
    full_weights[:n_found] = np.clip(weights[found], 0.0, 1.0)
    total = full_weights.sum()
    full_weights = full_weights / total if total > 0 else np.full(n_topics, 1.0 / n_topics)
    return TopicModel.trusted(full_weights, full_topics / full_topics.sum(axis=1, keepdims=True))
