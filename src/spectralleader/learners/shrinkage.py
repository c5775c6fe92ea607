"""Shrinkage: how far topics shrink towards what is certain, by the paper's own loss."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from spectralleader.compiled import kernel
from spectralleader.documents import Documents, Floats, Ints, WordIds
from spectralleader.model import TopicModel
from spectralleader.states import floats, whole

CROSS_VALIDATED = "cross-validated"  # how `SpectralLeader(shrinkage=...)` asks for it
LEVELS = np.array([0.0, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 3 / 8])

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

N_PARTS = 3  # of the sample; each judges the model of the others

ROUNDING = 1e-11  # totals of losses that differ by less are equal


class Shrinkage:
    """Chooses how far topics are shrunk, by cross-validation on the sample.

    ``u_k <- (1 - s) ((1 - s) u_k + s u) + s / d``: topics shrink towards their mean u, and with it
    towards the uniform distribution. An estimate from few documents is further from the truth than
    a shrunk one; how much shrinkage is best is observable, because the loss
    ``l_t(M) = ||x1 (x) x2 (x) x3 - M||^2`` is. Whenever the sample has doubled or changed as much,
    each third of its places judges the model of the other two at every level, and the level s of
    the least total loss leads; before any document has judged, and among equals, the largest. What
    was lost before is discounted by the root of the share of documents that both samples have.

    The models judged were made of two thirds of the n documents that there were. Noise falls as
    one over the number of documents, so with m documents the level used is s' with
    ``s' / (1 - s') = (2 / 3) (n / m) s / (1 - s)``.

    Examples
    --------
    >>> shrinkage = Shrinkage()
    >>> shrinkage.level(1)
    0.375
    >>> truth = TopicModel([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]])
    >>> parts = split(truth.sample(1000, 3)[0])
    >>> shrinkage.renewed(parts, [truth, truth, truth]).level(1000)
    0.0
    """

    def __init__(self) -> None:
        self.totals: Floats = np.zeros(len(LEVELS))  # of the losses, but for what levels share
        self.n_docs = 0  # in the sample that judged last; 0 if none has
        self.leading = lead(self.totals)

    def level(self, n_docs: int) -> float:
        """Return the level for a model of so many documents."""
        if self.n_docs == 0:
            return self.leading
        odds = self.leading / (1.0 - self.leading)
        odds *= (1.0 - 1.0 / N_PARTS) * self.n_docs / max(1, n_docs)
        return odds / (1.0 + odds)

    def renewed(
        self, parts: Sequence[Documents], models: Sequence[TopicModel], in_common: float = 1.0
    ) -> Shrinkage:
        """Return the shrinkage after each part of the sample has judged the model of the others.

        A document needs 3 words. `in_common` is the share of the documents that the last sample
        had too.
        """
        renewed = Shrinkage()
        renewed.totals = self.totals * np.sqrt(in_common)
        for part, model in zip(parts, models, strict=True):
            renewed.totals += judge(model, part)
        renewed.leading = lead(renewed.totals)
        can_judge = any((part.lengths >= 3).any() for part in parts)
        renewed.n_docs = sum(part.n_docs for part in parts) if can_judge else self.n_docs
        return renewed

    def to_state(self) -> dict[str, Any]:
        """Return all that is needed to go on."""
        return {"totals": self.totals.copy(), "n_docs": self.n_docs}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Shrinkage:
        """Rebuild what `to_state` described."""
        shrinkage = cls()
        shrinkage.totals = floats(state, "totals", (len(LEVELS),))
        shrinkage.n_docs = whole(state, "n_docs")
        shrinkage.leading = lead(shrinkage.totals)
        return shrinkage


def lead(totals: Floats) -> float:
    """Return the level of the least total loss, for models of two thirds; the largest of equals."""
    return float(LEVELS[totals <= totals.min() + ROUNDING].max())


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
    return np.asarray(overlaps[-1] * norms(model) - 2.0 * at_levels)


@lru_cache
def shares(n_words: int) -> Floats:
    """Return how much of each of `OVERLAPS` there is in that of a level, (n_levels, 7)."""
    own, of_mean, flat = mixing(n_words).T
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
            out[0] += weights[a] * share * (p1 * p1 * p1 - 3.0 * p1 * p2 + 2.0 * p3)
            out[1] += weights[a] * share * (square * m1 - 2.0 * c1 * p1 + 2.0 * c2)
            out[2] += weights[a] * square / pairs
        out[3] += share * (m1 * m1 * m1 - 3.0 * m1 * m2 + 2.0 * m3)
        out[4] += (m1 * m1 - m2) / pairs
        out[5] += m1 / length
        out[6] += 1.0
