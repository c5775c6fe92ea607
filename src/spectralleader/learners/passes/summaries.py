"""Summaries: the contribution of one partition to each pass, as pure functions.

Summaries add up over partitions; that of an empty partition is zero.
"""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.documents import Documents
from spectralleader.documents.views import DocumentView
from spectralleader.em import passes
from spectralleader.em.columns import Columns, Smoothing, work_space
from spectralleader.em.statistics import Statistics, with_words
from spectralleader.learners.passes.partitions import Summary
from spectralleader.moments import ProjectedSums, pair_operator, sums


def count(documents: Documents) -> Summary:
    """Return the numbers of documents and words, word counts, and sums of word frequencies.

    The numbers are ``[documents, words, documents of >= 1, >= 2, >= 3 words]``; the counts and the
    sums over documents of ``c / L`` are (d,).
    """
    lengths = documents.lengths
    longer = [float((lengths >= order).sum()) for order in (1, 2, 3)]
    counts = np.bincount(documents.words, documents.counts, minlength=documents.n_words)
    n = np.array([float(documents.n_docs), float(lengths.sum()), *longer])
    return n, counts.astype(np.float64), sums.sum_words(documents)


def count_pairs(documents: Documents) -> Summary:
    """Return the arrays of `count` and the sum of the pairs, (d, d), for small vocabularies."""
    return *count(documents), sums.sum_pairs(documents)


def multiply_pairs(documents: Documents, block: Floats) -> Summary:
    """Return the sum of the pairs times a (d, b) block, (d, b)."""
    arrays = (documents.indptr, documents.words, documents.counts)
    weights = sums.tuple_weights(documents, 2)
    return (pair_operator.multiply_pairs(*arrays, weights, block),)


def project(documents: Documents, basis: Floats) -> Summary:
    """Return the sums of words, pairs and triples in a basis: the fields of `Sums` after it."""
    projected = ProjectedSums(basis)
    projected.update(documents)
    return projected.sums[1:]


def expect(documents: Documents, words: Floats, totals: Floats, smoothing: Smoothing) -> Summary:
    """E-step: return the expected statistics, (d, K) and (2, K), and the log-probability, (1,)."""
    # The posterior of an empty document is the prior: it would only slow down EM.
    known, n_topics = with_words(documents), totals.shape[1]
    target = Statistics.zero(n_topics, len(words))
    # The kernel needs room for the posteriors; they are not used here.
    posterior = np.empty((known.n_docs, n_topics), np.float32)
    source, added = (
        Columns(x[0], x[1], 0, n_topics) for x in ((words, totals), (target.words, target.totals))
    )
    how = (smoothing, added, posterior, work_space(n_topics))
    fit = passes.batch_pass(DocumentView.of(known), source, *how)
    return target.words, target.totals, np.array([fit])
