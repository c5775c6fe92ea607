"""The basis of the moments: the top eigenspace of the pairs."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.documents import Documents
from spectralleader.documents.csr import number_words
from spectralleader.moments.pair_operator import pair_operator
from spectralleader.spectral.block_krylov import TOLERANCE, Product, top_subspace

# Directions besides the K that a model needs, so that the basis stays accurate longer. L1 is flat
# from 0 to 5 (python -m benchmarks.constants); each direction costs 2 to 4 us per step.
EXTRA = 3
MANY = 1000  # from this many documents on, equal eigenvalues of the pairs are not expected


def is_all_words(n_words: int, n_topics: int) -> bool:
    """Return whether the vocabulary is so small that the basis spans all words."""
    return n_words < 2 * (n_topics + EXTRA)


def find_basis(
    documents: Documents, n_topics: int, seed: int, tolerance: float = TOLERANCE
) -> Floats:
    """Return the top eigenspace of the documents' pairs, K + EXTRA directions, (d, r).

    Words that do not occur in the documents get zero rows.
    """
    d = documents.n_words
    # No search and no approximation: the basis spans all words.
    if is_all_words(d, n_topics):
        return np.eye(d)
    words, known = number_words(documents.words, d)
    multiply = pair_operator(documents, words, len(known))
    # Half as many columns need more passes over the documents, but less time: 256 instead of 302 ms
    # at 50,000 words. With few documents, though, the pairs can have more equal eigenvalues than
    # such a block has columns, and the rest of them would not be found.
    n_columns = n_topics if documents.n_docs < MANY else -(-n_topics // 2)
    wanted = (len(known), n_topics, seed, tolerance, n_columns)
    found = top_eigenspace(multiply, *wanted)
    basis = np.zeros((d, found.shape[1]))
    basis[known] = found
    return basis


def top_eigenspace(
    multiply: Product, n_words: int, n_topics: int, seed: int, tolerance: float, n_columns: int
) -> Floats:
    """Return the top eigenspace of pairs given by their products, (n_words, r).

    It has r = K + EXTRA directions, or all if there are few words. Blocks have n_columns columns,
    rounded up to a multiple of 4 to fill vector registers.
    """
    r = n_topics + EXTRA
    if n_words < 2 * r:
        return np.eye(n_words)
    start = np.random.default_rng(seed).random((n_words, 4 * -(-n_columns // 4))) - 0.5
    basis = top_subspace(multiply, start, n_wanted=n_topics, n_kept=r, tolerance=tolerance).basis
    # Signed like in `whiten` over words, so that the random starts mean the same as in Algorithm 1.
    largest = np.abs(basis).argmax(axis=0)
    return np.asarray(basis * np.sign(basis[largest, range(r)]))
