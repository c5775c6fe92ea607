"""Shrinkage: how far topics shrink towards what is certain, by the paper's own loss."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.documents import Documents
from spectralleader.models import TopicModel
from spectralleader.runtime.compiled import kernel

CROSS_VALIDATED = "cross-validated"  # how `SpectralLeader(shrinkage=...)` asks for it
# Levels to choose from: with three of them L2 on the development streams is 4 to 6 % higher
# (python -m benchmarks.constants).
LEVELS = np.array([0.0, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 3 / 8])
SAFEST = float(LEVELS.max())  # before there are documents to choose by

# What `tensor_overlaps` sums, by factors: a topic's, weighted over topics, the mean's, and one; and
# where it enters the overlap with a shrunk topic, own u + of_mean m + flat: how often, with which
# powers of these three. The mean is that of the topics, so u m m adds up to m m m.
OVERLAPS = (
    ((1, 3, 0, 0),),  # u u u
    ((3, 2, 1, 0),),  # u u m
    ((3, 2, 0, 1),),  # u u 1
    ((3, 1, 2, 0), (1, 0, 3, 0)),  # m m m
    ((6, 1, 1, 1), (3, 0, 2, 1)),  # m m 1
    ((3, 1, 0, 2), (3, 0, 1, 2)),  # m 1 1
    ((1, 0, 0, 3),),  # 1 1 1, which counts documents
)

# Folds: each part of the sample judges the model of the others. With 2 or 5 L2 on the
# development streams differs by less than 2 standard errors (python -m benchmarks.constants).
N_PARTS = 3

ROUNDING = 1e-11  # totals of losses that differ by less are equal


def choose_level(parts: Sequence[Documents], models: Sequence[TopicModel]) -> float:
    """Return the level with the least loss of each model on the part it was not made from.

    ``u_k <- (1 - s) ((1 - s) u_k + s u) + s / d``: at level s, topics shrink towards their mean u,
    and with it towards the uniform distribution. An estimate from few documents is further from the
    truth than a shrunk one; how much shrinkage is best is observable, because the loss
    ``l_t(M) = ||x1 (x) x2 (x) x3 - M||^2`` is. Of levels with equal loss the largest is returned,
    as for documents of fewer than 3 words, which have no loss.

    Examples
    --------
    >>> truth = TopicModel([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]])
    >>> parts = split(truth.sample(1000, 3)[0])
    >>> choose_level(parts, [truth, truth, truth])
    0.0
    """
    losses = np.zeros(len(LEVELS))
    for part, model in zip(parts, models, strict=True):
        losses += judge(model, part)
    return float(LEVELS[losses <= losses.min() + ROUNDING].max())


def split(documents: Documents) -> list[Documents]:
    """Return the documents in consecutive parts of nearly equal size.

    Consecutive, because documents that come in a burst, as on real text, would judge the model of
    their like with kindness.
    """
    ends = [documents.n_docs * i // N_PARTS for i in range(N_PARTS + 1)]
    return [documents[start:end] for start, end in pairwise(ends)]


def judge(model: TopicModel, documents: Documents) -> Floats:
    """Return the total loss on documents at every level, but for what these share, (n_levels,).

    A document needs 3 words.
    """
    mean = model.weights @ model.topics
    block = (documents.indptr, documents.words, documents.counts, documents.lengths)
    overlaps = np.empty(len(OVERLAPS))
    tensor_overlaps(*block, model.weights, model.topics, mean, overlaps)
    at_levels = shares(model.n_words) @ overlaps
    # Eq. 26; the last overlap is the number of documents.
    return np.asarray(overlaps[-1] * norms(model) - 2.0 * at_levels)


@lru_cache
def shares(n_words: int) -> Floats:
    """Return how much of each of `OVERLAPS` there is in that of a level, (n_levels, 7)."""
    own, of_mean, flat = mixing(n_words).T
    # The multinomial expansion of (own u + of_mean m + flat)^3, term by term.
    entering = [[n * own**u * of_mean**m * flat**f for n, u, m, f in terms] for terms in OVERLAPS]
    return np.stack([np.sum(terms, axis=0) for terms in entering], axis=1)


@lru_cache
def mixing(n_words: int) -> Floats:
    """Return what each level has of a topic, of the mean, and in every word, (n_levels, 3)."""
    return np.stack([(1 - LEVELS) ** 2, (1 - LEVELS) * LEVELS, LEVELS / n_words], axis=1)


def norms(model: TopicModel) -> Floats:
    """Return ||M||_F^2 at every level, by overlaps of topics, (n_levels,)."""
    inner = model.topics @ model.topics.T
    with_mean = inner @ model.weights
    crossed = with_mean[:, None] + with_mean[None, :]
    own, of_mean, flat = mixing(model.n_words).T[:, :, None, None]
    # Inner products of the shrunk topics, which eq. 12 cubes and weights; O(K^2) per level.
    overlaps = own**2 * inner + own * of_mean * crossed + of_mean**2 * (model.weights @ with_mean)
    overlaps += 2.0 * (own + of_mean) * flat + flat**2 * model.n_words  # distributions sum to 1
    return np.asarray(np.einsum("j,sjk,k->s", model.weights, overlaps**3, model.weights))


@kernel
def tensor_overlaps(
    indptr: Ints,
    words: WordIds,
    counts: Floats,
    lengths: Floats,
    weights: Floats,
    topics: Floats,
    mean: Floats,
    out: Floats,
) -> None:
    """Sum over documents of 3 words and more the mean over 3 distinct positions, as in `OVERLAPS`.

    With sums p over a document's words, that of ``x(w1) y(w2) z(w3)`` over distinct positions is
    ``p_x p_y p_z - p_xy p_z - p_xz p_y - p_yz p_x + 2 p_xyz``.
    """
    k = len(weights)
    out[:] = 0.0
    sums = np.empty((5, k))  # of u, u^2, u^3, u m and u^2 m
    for i in range(len(indptr) - 1):
        length = lengths[i]
        if length < 3.0:
            continue
        sums[:] = 0.0
        m1, m2, m3 = 0.0, 0.0, 0.0
        for j in range(indptr[i], indptr[i + 1]):
            w, count = np.uint32(words[j]), counts[j]
            m = mean[w]
            m1, m2, m3 = m1 + count * m, m2 + count * m * m, m3 + count * m * m * m
            for a in range(k):
                u = topics[a, w]
                once = count * u
                twice = once * u
                sums[0, a] += once
                sums[1, a] += twice
                sums[2, a] += twice * u
                sums[3, a] += once * m
                sums[4, a] += twice * m
        pairs, share = length * (length - 1.0), 1.0 / (length * (length - 1.0) * (length - 2.0))
        for a in range(k):
            p1, p2, p3, c1, c2 = sums[0, a], sums[1, a], sums[2, a], sums[3, a], sums[4, a]
            square = p1 * p1 - p2
            # a_1^3 - 3 a_1 a_2 + 2 a_3 of eq. 26.
            out[0] += weights[a] * share * (p1 * p1 * p1 - 3.0 * p1 * p2 + 2.0 * p3)
            out[1] += weights[a] * share * (square * m1 - 2.0 * c1 * p1 + 2.0 * c2)
            # With a constant third factor, the mean over triples is the mean over pairs.
            out[2] += weights[a] * square / pairs
        # Weighted over topics, u m m is m m m: from here on nothing is per topic.
        out[3] += share * (m1 * m1 * m1 - 3.0 * m1 * m2 + 2.0 * m3)
        out[4] += (m1 * m1 - m2) / pairs
        out[5] += m1 / length
        out[6] += 1.0
