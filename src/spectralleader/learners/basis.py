"""The basis that moments are kept in: the top eigenspace of the pairs of documents."""

from __future__ import annotations

import numpy as np

from spectralleader.documents import Documents, Floats, Ints
from spectralleader.moments.product import pairs_product
from spectralleader.spectral.subspace import TOLERANCE, Product, Subspace, top_subspace

EXTRA = 3  # directions kept beside the K that a model needs, so that the basis stays good longer


def is_all_words(n_words: int, n_topics: int) -> bool:
    """Say whether the vocabulary is so small that the basis is all of it."""
    return n_words < 2 * (n_topics + EXTRA)


def scale_words(documents: Documents, power: float) -> Floats:
    """Return the weight of each word, ``(f + 1/n_docs) ** -power``, f being its frequency, (d,).

    The model is equivariant under a scaling of words (method.md, eq. 23), the noise is not: with
    power 0 a few frequent words swamp the rest. The floor keeps rare words, whose frequency is
    hardly known, from doing the same.
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
    S = scale_words(documents, scaling) if scaling else np.ones(documents.n_words)
    if is_all_words(documents.n_words, n_topics):
        return np.diag(S)
    known = np.zeros(documents.n_words, np.bool_)
    known[documents.words] = True
    n_known, r = int(known.sum()), n_topics + EXTRA
    basis = np.zeros((documents.n_words, n_known if n_known < 2 * r else r))
    if n_known < 2 * r:
        basis[known] = np.eye(n_known)
    else:
        ids = np.cumsum(known) - 1
        found = _search(documents, ids[documents.words], S[known, None], n_topics, seed, tolerance)
        basis[known] = found
    return basis if scaling == 0.0 else basis * S[:, None]


def _search(
    documents: Documents, words: Ints, S: Floats, n_topics: int, seed: int, tolerance: float
) -> Floats:
    """Find the eigenspace of the scaled pairs over the known words, numbered anew, (n_known, r)."""
    arrays = (documents.indptr, words.astype(np.int32), documents.counts, documents.lengths)
    multiply = pairs_product(*arrays, len(S))
    scaled = multiply if (S == 1.0).all() else lambda Z: S * multiply(S * Z)
    return search(scaled, len(S), n_topics, seed, tolerance).basis


def search(
    multiply: Product, n_words: int, n_topics: int, seed: int, tolerance: float = TOLERANCE
) -> Subspace:
    """Find the top eigenspace of pairs that are known by their products, K + EXTRA directions."""
    # blocks of about K columns: smaller ones need more passes over the documents, larger ones
    # more time between the passes; fours fill a vector register
    start = np.random.default_rng(seed).standard_normal((n_words, 4 * -(-n_topics // 4)))
    found = top_subspace(
        multiply, start, n_wanted=n_topics, n_kept=n_topics + EXTRA, tolerance=tolerance
    )
    # signed as `whiten` signs over words, so that the random starts are the literal one's
    largest = np.abs(found.basis).argmax(axis=0)
    signs = np.sign(found.basis[largest, range(found.basis.shape[1])])
    return found._replace(basis=found.basis * signs)
