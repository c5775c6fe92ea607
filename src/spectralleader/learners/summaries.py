"""Summaries: what one partition of documents contributes to a pass, as pure functions.

Summaries add up over partitions; that of an empty partition is zero. Partitioned documents offer
nothing but such sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Protocol

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.documents import Documents, DocumentView
from spectralleader.em import passes
from spectralleader.em.columns import Smoothing, work_space
from spectralleader.em.statistics import Statistics, with_words
from spectralleader.moments import ProjectedSums, pair_operator, sums

Summary = tuple[Floats, ...]  # of documents; that of no documents is zeros of the same shapes
Task = Callable[[Documents], Summary]  # pure, and can be sent to another process


class Partitions(Protocol):
    """Partitioned documents, in memory or on a cluster."""

    n_words: int  # d, of all parts

    def total(self, task: Task) -> Summary:
        """Return the sum of the task's summaries over all partitions, added in any order."""


def add(one: Summary, other: Summary) -> Summary:
    """Return the sum of two summaries, array by array."""
    return tuple(a + b for a, b in zip(one, other, strict=True))


class InMemory:
    """Partitions that are blocks of documents in memory.

    Examples
    --------
    >>> blocks = [Documents.from_tokens([[0, 0], [1]], n_words=2)] * 3
    >>> partitions = InMemory(blocks, n_words=2)
    >>> partitions.total(lambda block: (block.lengths.sum(keepdims=True),))[0].tolist()
    [9.0]
    """

    def __init__(self, blocks: Iterable[Documents], n_words: int) -> None:
        self.n_words = n_words
        # `reduce` needs a first summary; that of an empty block is zeros of the right shapes.
        self._blocks = list(blocks) or [Documents.empty(n_words)]

    def total(self, task: Task) -> Summary:
        """Return the sum of the task's summaries over all blocks."""
        return reduce(add, map(task, self._blocks))


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
    """E-step: return the expected statistics, (d, K) and (2, K)."""
    # The posterior of an empty document is the prior: it would only slow down EM.
    known, n_topics = with_words(documents), totals.shape[1]
    target = Statistics.zero(n_topics, len(words))
    # The kernel needs room for the posteriors; they are not used here.
    posterior = np.empty((known.n_docs, n_topics), np.float32)
    source, work = Statistics(totals, words).columns, work_space(n_topics)
    passes.batch_pass(DocumentView.of(known), source, smoothing, target.columns, posterior, work)
    return target.words, target.totals
