"""Summaries: what one part of the documents adds to each pass. Pure, and sums: zero is neutral."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.documents import Documents
from spectralleader.em.statistics import with_words
from spectralleader.learners.hedged.polish import em_pass
from spectralleader.learners.passes.partitions import Summary
from spectralleader.moments import ProjectedSums, pair_operator, sums


def count(documents: Documents) -> Summary:
    """Count documents and words.

    Returns ``[documents, words, documents of >= 1, >= 2, >= 3 words]``, how often each word occurs,
    (d,), and the sum of the documents' word frequencies, (d,).
    """
    lengths = documents.lengths
    longer = [float((lengths >= order).sum()) for order in (1, 2, 3)]
    counts = np.bincount(documents.words, documents.counts, minlength=documents.n_words)
    n = np.array([float(documents.n_docs), float(lengths.sum()), *longer])
    return n, counts.astype(np.float64), sums.sum_words(documents)


def count_pairs(documents: Documents) -> Summary:
    """Return what `count` does and the sum of the pairs, (d, d): for small vocabularies."""
    return *count(documents), sums.sum_pairs(documents)


def multiply_pairs(documents: Documents, block: Floats) -> Summary:
    """Return the sum of the pairs times a (d, b) block, (d, b)."""
    arrays = (documents.indptr, documents.words, documents.counts, documents.lengths)
    return (pair_operator.multiply_pairs(*arrays, block),)


def project(documents: Documents, basis: Floats) -> Summary:
    """Return the sums of words, pairs and triples in a basis, as `Sums` has them."""
    projected = ProjectedSums(basis)
    projected.update(documents)
    return projected.sums[1:]


def expect(
    documents: Documents, words: Floats, totals: Floats, background: Floats, strength: float
) -> Summary:
    """E-step: return the expected statistics, (d, K) and (2, K), and the log-probability, (1,)."""
    known = with_words(documents)
    arrays = (known.indptr, known.words, known.counts)
    out, out_totals, fit = em_pass(*arrays, words, totals, background, strength)
    return out, out_totals, np.array([fit * known.n_docs])
