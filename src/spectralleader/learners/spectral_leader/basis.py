"""The basis that moments are kept in: the top eigenspace of the pairs of documents."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats, WordIds
from spectralleader.documents import Documents
from spectralleader.documents.views import Scattered
from spectralleader.moments.exchange import number_words
from spectralleader.moments.product import pairs_product
from spectralleader.spectral.subspace import TOLERANCE, Product, Subspace, top_subspace

# Directions kept beside the K that a model needs, so that the basis stays good longer. L1 is flat
# from 0 to 5 (python -m benchmarks.constants); each direction costs 2 to 4 us per step.
EXTRA = 3
MANY = 1000  # documents, of which no two eigenvalues of the pairs are equal by chance


def is_all_words(n_words: int, n_topics: int) -> bool:
    """Say whether the vocabulary is so small that the basis is all of it."""
    return n_words < 2 * (n_topics + EXTRA)


def scale_words(documents: Documents, power: float) -> Floats:
    """Return the weight of each word, ``(f + 1/n_docs) ** -power``, f being its frequency, (d,).

    The model is equivariant under a scaling of words (method.md, eq. 23), the noise is not: with
    power 0 a few frequent words swamp the rest. The floor keeps rare words, whose frequency is
    hardly known, from doing the same: a floor 10 times smaller or larger is no better
    (python -m benchmarks.constants).
    """
    counts = np.bincount(documents.words, documents.counts, minlength=documents.n_words)
    frequencies = counts / max(1.0, float(counts.sum()))
    return np.asarray((frequencies + 1.0 / max(1, documents.n_docs)) ** -power)


def find_basis(
    documents: Documents,
    n_topics: int,
    seed: int,
    scaling: float = 0.0,
    tolerance: float = TOLERANCE,
) -> Floats:
    """Return the top eigenspace of the documents' pairs, K + EXTRA directions, (d, r).

    Words that the documents do not have are outside of it: only the others are searched. With a
    `scaling`, the eigenspace is that of the moments of scaled words S x; what is returned are its
    rows times S, so that moments of x in this basis are those of S x in the eigenspace, and topics
    come out unscaled.
    """
    scales = scale_words(documents, scaling) if scaling else None
    if is_all_words(documents.n_words, n_topics):
        return np.eye(documents.n_words) if scales is None else np.diag(scales)
    words, known = number_words(Scattered.of(documents).bounds, documents.words, documents.n_words)
    n_known, r = len(known), n_topics + EXTRA
    if n_known < 2 * r:
        found = np.eye(n_known)
    else:
        S = None if scales is None else scales[known, None]
        found = _search(documents, words, n_known, S, (n_topics, seed, tolerance))
    basis = np.zeros((documents.n_words, found.shape[1]))
    basis[known] = found
    return basis if scales is None else basis * scales[:, None]


def _search(
    documents: Documents,
    words: WordIds,
    n_words: int,
    S: Floats | None,
    wanted: tuple[int, int, float],
) -> Floats:
    """Find the eigenspace of the scaled pairs over the known words, numbered anew, (n_known, r)."""
    arrays = (documents.indptr, words, documents.counts, documents.lengths)
    multiply = pairs_product(*arrays, n_words)
    scaled = multiply if S is None else lambda Z: S * multiply(S * Z)
    n_topics, seed, tolerance = wanted
    # a block of half the columns needs more passes over the documents and less time in all; of few
    # documents the pairs can have equal eigenvalues, and it would find no more of them than columns
    n_columns = n_topics if documents.n_docs < MANY else -(-n_topics // 2)
    return search(scaled, n_words, n_topics, seed, tolerance, n_columns=n_columns).basis


def search(
    multiply: Product,
    n_words: int,
    n_topics: int,
    seed: int,
    tolerance: float = TOLERANCE,
    *,
    n_columns: int | None = None,
) -> Subspace:
    """Find the top eigenspace of pairs that are known by their products, K + EXTRA directions.

    Products are with blocks of K columns or so, if nobody says.
    """
    block = 4 * -(-(n_columns or n_topics) // 4)  # fours fill a vector register
    start = np.random.default_rng(seed).random((n_words, block)) - 0.5
    found = top_subspace(
        multiply, start, n_wanted=n_topics, n_kept=n_topics + EXTRA, tolerance=tolerance
    )
    # signed as `whiten` signs over words, so that the random starts are those of Algorithm 1
    largest = np.abs(found.basis).argmax(axis=0)
    signs = np.sign(found.basis[largest, range(found.basis.shape[1])])
    return found._replace(basis=found.basis * signs)
