"""Shrinkage: how far topics shrink towards what is certain, by the paper's own loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from spectralleader.compiled import kernel
from spectralleader.documents import Documents, Floats, Ints, WordIds
from spectralleader.learners.order import known_from_state, recode_known
from spectralleader.model import TopicModel
from spectralleader.states import floats

LEVELS = np.array([0.0, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2])

ROUNDING = 1e-11  # totals of losses that differ by less are equal


class Shrinkage:
    """Follows the leader on l_t over a few levels of shrinkage s.

    ``u_k <- (1 - s) ((1 - s) u_k + s u) + s / d``: topics shrink towards their mean u, and with it
    towards the uniform distribution. An estimate from few documents is further from the truth than
    a shrunk one; how much shrinkage is best is observable, because the loss
    ``l_t(M) = ||x1 (x) x2 (x) x3 - M||^2`` is: documents judge a model that was made before them,
    at every level, and the level of the least total loss is used. Before any document has judged,
    and among equals, that is the safest, the largest. Models of few documents lose much more than
    later ones, and models of other documents tell nothing: so what was lost is discounted whenever
    the reference is renewed, by the root of the share of documents that it has in common with the
    last one.

    Examples
    --------
    >>> shrinkage = Shrinkage()
    >>> float(shrinkage.level)
    0.5
    >>> truth = TopicModel([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]])
    >>> shrinkage.renew(truth)
    >>> shrinkage.judge(truth.sample(1000, 3)[0])
    >>> float(shrinkage.level)
    0.0
    """

    def __init__(self) -> None:
        self.totals: Floats = np.zeros(len(LEVELS))  # of the losses, but for what levels share
        self._judged: Judged | None = None

    @property
    def level(self) -> float:
        """The level of the least total loss; the largest of equals."""
        return float(LEVELS[self.totals <= self.totals.min() + ROUNDING].max())

    def renew(self, model: TopicModel, in_common: float = 1.0) -> None:
        """Let the next documents judge a model that does not know them.

        `in_common` is the share of its documents that the last reference knew.
        """
        self._judged = Judged(model)
        self.totals *= np.sqrt(in_common)

    def judge(self, documents: Documents) -> None:
        """Add the loss of the reference, which does not know them; a document needs 3 words."""
        if self._judged is not None:
            self.totals += self._judged.losses(documents)

    def shrink(self, model: TopicModel) -> TopicModel:
        """Return the model at the level that leads."""
        return shrink(model, self.level)

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words of the reference; it need not know new ones."""
        if self._judged is not None and new_ids is not None:
            self._judged = Judged(recode_known(self._judged.model, new_ids, n_words))

    def to_state(self) -> dict[str, Any]:
        """Return all that is needed to go on."""
        reference = None if self._judged is None else self._judged.model.to_state()
        return {"totals": self.totals.copy(), "reference": reference}

    @classmethod
    def from_state(cls, state: dict[str, Any], n_topics: int, n_words: int) -> Shrinkage:
        """Rebuild what `to_state` described, for a learner of that size."""
        shrinkage = cls()
        shrinkage.totals = floats(state, "totals", (len(LEVELS),))
        if (reference := known_from_state(state, n_topics, n_words)) is not None:
            shrinkage._judged = Judged(reference)
        return shrinkage


class Judged:
    """A model that documents judge at every level, with what does not depend on them."""

    def __init__(self, model: TopicModel) -> None:
        self.model = model
        self.mean: Floats = model.weights @ model.topics
        self._table = np.ascontiguousarray(model.topics.T)  # a word a row
        self._over(model.n_words)

    def _over(self, n_words: int) -> None:
        """Get ready for documents over so many words."""
        self._n_words, self._mixing = n_words, mixing(n_words)
        self._norms = norms(self.model, self.mean, n_words)

    def losses(self, documents: Documents) -> Floats:
        """Return the total loss on documents, but for what all levels share, (n_levels,).

        They may be over more words than the model, which rules those out.
        """
        if documents.n_words != self._n_words:
            self._over(documents.n_words)
        block = (documents.indptr, documents.words, documents.counts, documents.lengths)
        table = (self._table, self.mean, self.model.weights)
        overlaps, n = tensor_overlaps(*block, *table, self._mixing)
        return np.asarray(n * self._norms - 2.0 * overlaps)


def shrink(model: TopicModel, level: float) -> TopicModel:
    """Return the model with its topics shrunk towards their mean and the uniform distribution."""
    if level == 0.0:
        return model
    mean = model.weights @ model.topics
    own = (1.0 - level) ** 2
    shared = (1.0 - level) * level * mean + level / model.n_words
    return TopicModel.trusted(model.weights.copy(), own * model.topics + shared)


def mixing(n_words: int) -> Floats:
    """Return what each level has of a topic, of the mean, and in every word, (n_levels, 3)."""
    return np.stack([(1 - LEVELS) ** 2, (1 - LEVELS) * LEVELS, LEVELS / n_words], axis=1)


def norms(model: TopicModel, mean: Floats, n_words: int) -> Floats:
    """Return ||M||_F^2 at every level over n_words words, by overlaps of topics, (n_levels,)."""
    inner = model.topics @ model.topics.T
    with_mean = model.topics @ mean
    pairwise = with_mean[:, None] + with_mean[None, :]
    own, of_mean, flat = mixing(n_words).T[:, :, None, None]
    overlaps = own**2 * inner + own * of_mean * pairwise + of_mean**2 * (mean @ mean)
    overlaps += 2.0 * (own + of_mean) * flat + flat**2 * n_words  # distributions sum to 1
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
                known = w < len(table)
                shared = mixing[s, 2] + (mixing[s, 1] * mean[w] if known else 0.0)
                for k in range(n_topics):
                    u = shared + (mixing[s, 0] * table[w, k] if known else 0.0)
                    sums[s, k, 0] += count * u
                    sums[s, k, 1] += count * u * u
                    sums[s, k, 2] += count * u * u * u
        triples = length * (length - 1.0) * (length - 2.0)
        for s in range(n_levels):
            for k in range(n_topics):
                p1, p2, p3 = sums[s, k, 0], sums[s, k, 1], sums[s, k, 2]
                out[s] += weights[k] * (p1 * p1 * p1 - 3.0 * p1 * p2 + 2.0 * p3) / triples
    return out, n
