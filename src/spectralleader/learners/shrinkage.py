"""Shrinkage: how far topics shrink towards what is certain, by the paper's own loss."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from spectralleader.compiled import kernel
from spectralleader.documents import Documents, Floats, Ints, WordIds
from spectralleader.model import TopicModel
from spectralleader.states import floats, whole

LEVELS = np.array([0.0, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 3 / 8])

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
    >>> shrinkage.renew(parts, [truth, truth, truth])
    >>> shrinkage.level(1000)
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

    def renew(
        self, parts: Sequence[Documents], models: Sequence[TopicModel], in_common: float = 1.0
    ) -> None:
        """Let each part of the sample judge the model of the others.

        A document needs 3 words. `in_common` is the share of the documents that the last sample
        had too.
        """
        totals = self.totals * np.sqrt(in_common)
        for part, model in zip(parts, models, strict=True):
            totals += judge(model, part)
        self.totals, self.leading = totals, lead(totals)
        if any((part.lengths >= 3).any() for part in parts):
            self.n_docs = sum(part.n_docs for part in parts)

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
    table = (np.ascontiguousarray(model.topics.T), mean, model.weights)
    overlaps, n = tensor_overlaps(*block, *table, mixing(model.n_words))
    return np.asarray(n * norms(model, mean) - 2.0 * overlaps)


def mixing(n_words: int) -> Floats:
    """Return what each level has of a topic, of the mean, and in every word, (n_levels, 3)."""
    return np.stack([(1 - LEVELS) ** 2, (1 - LEVELS) * LEVELS, LEVELS / n_words], axis=1)


def norms(model: TopicModel, mean: Floats) -> Floats:
    """Return ||M||_F^2 at every level, by overlaps of topics, (n_levels,)."""
    inner = model.topics @ model.topics.T
    with_mean = model.topics @ mean
    crossed = with_mean[:, None] + with_mean[None, :]
    own, of_mean, flat = mixing(model.n_words).T[:, :, None, None]
    overlaps = own**2 * inner + own * of_mean * crossed + of_mean**2 * (mean @ mean)
    overlaps += 2.0 * (own + of_mean) * flat + flat**2 * model.n_words  # distributions sum to 1
    return np.asarray(np.einsum("j,sjk,k->s", model.weights, overlaps**3, model.weights))


@kernel
def tensor_overlaps(
    indptr: Ints,
    words: WordIds,
    counts: Floats,
    lengths: Floats,
    table: Floats,
    mean: Floats,
    weights: Floats,
    mixing: Floats,
) -> tuple[Floats, int]:
    """Return the sum over documents of M(x1, x2, x3) at every level, and how many have 3 words.

    Over distinct positions: by power sums of u_k over the document's words, p1^3 - 3 p1 p2 + 2 p3.
    """
    n_levels, n_topics = len(mixing), table.shape[1]
    out = np.zeros(n_levels)
    sums = np.empty((n_levels, n_topics, 3))
    n = 0
    for i in range(len(indptr) - 1):
        length = lengths[i]
        if length < 3.0:
            continue
        n += 1
        sums[:] = 0.0
        for j in range(indptr[i], indptr[i + 1]):
            w, count = words[j], counts[j]
            for s in range(n_levels):
                shared = mixing[s, 2] + mixing[s, 1] * mean[w]
                for k in range(n_topics):
                    u = shared + mixing[s, 0] * table[w, k]
                    sums[s, k, 0] += count * u
                    sums[s, k, 1] += count * u * u
                    sums[s, k, 2] += count * u * u * u
        triples = length * (length - 1.0) * (length - 2.0)
        for s in range(n_levels):
            for k in range(n_topics):
                p1, p2, p3 = sums[s, k, 0], sums[s, k, 1], sums[s, k, 2]
                out[s] += weights[k] * (p1 * p1 * p1 - 3.0 * p1 * p2 + 2.0 * p3) / triples
    return out, n
