"""Solve: the spectral method by a few passes over documents in parts, and EM if asked for."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.em.statistics import Statistics
from spectralleader.em.visits import UNSEEN, Columns, Smoothing
from spectralleader.learners.hedged.background import smooth
from spectralleader.learners.hedged.settings import SETTINGS
from spectralleader.learners.passes import summaries
from spectralleader.learners.passes.partitions import Partitions
from spectralleader.models import TopicModel
from spectralleader.moments import ProjectedSums
from spectralleader.spectral import Estimate, estimate
from spectralleader.spectral.basis import top_eigenspace
from spectralleader.spectral.block_krylov import Product
from spectralleader.spectral.power import power_method, random_starts

TOLERANCE = 1e-9  # residual of the eigenvectors: what is left of them is below 1e-8 in the model
DENSE_LIMIT = 2000  # largest vocabulary whose (d, d) pairs are summed, in one pass: 32 MB


class Counts(NamedTuple):
    """The first pass: how many documents and words there are."""

    n: Floats  # documents, words, documents of >= 1, >= 2, >= 3 words
    words: Floats  # (d,) how often each word occurs
    sum_words: Floats  # (d,) sum of the documents' word frequencies

    @property
    def n_docs(self) -> int:
        """Documents, empty ones too."""
        return int(self.n[0])

    @property
    def n_empty(self) -> int:
        """Documents without words."""
        return int(self.n[0] - self.n[2])


class Solution(NamedTuple):
    """The model, and how it came about."""

    model: TopicModel
    counts: Counts
    estimate: Estimate  # before polish
    fits: Floats  # (n_polish,) mean log-probability of a document before each pass of polish


def solve(
    partitions: Partitions,
    n_topics: int,
    *,
    seed: int = 0,
    n_polish: int = 0,
    n_restarts: int = 10,
    n_iterations: int = 30,
) -> Solution:
    """Return the model of documents in parts; how they are parted makes no difference.

    Passes: one that counts words, with the pairs themselves if the vocabulary is small and else
    about ten that multiply the pairs with a block of K columns; one for triples; and one for each
    iteration of polish.

    Parameters
    ----------
    partitions : Partitions
        The documents.
    n_topics : int
        K.
    seed : int
        Of all that is random.
    n_polish : int
        Iterations of EM after the spectral method; each raises the likelihood.
    n_restarts, n_iterations : int
        Of the tensor power method.

    Examples
    --------
    >>> from spectralleader.documents import Documents
    >>> from spectralleader.learners.passes import InMemory
    >>> blocks = [Documents.from_tokens([[0, 0, 0], [1, 1, 1], [0, 0, 0]], n_words=2)]
    >>> solve(InMemory(blocks, n_words=2), n_topics=2).model.weights.round(2).tolist()
    [0.33, 0.67]
    """
    starts = random_starts(n_topics, n_restarts, seed)
    decompose = partial(power_method, n_iterations=n_iterations)
    if partitions.n_words <= DENSE_LIMIT:
        *first, pairs = partitions.total(summaries.count_pairs)
        multiply: Product = pairs.__matmul__
    else:
        first = list(partitions.total(summaries.count))
        multiply = partial(multiply_pairs, partitions)
    counts = Counts(*first)
    basis = find_basis(multiply, counts.words > 0, n_topics, seed)
    sums = ProjectedSums(basis)
    sums.add(partitions.total(partial(summaries.project, basis=basis)))
    found = estimate(sums.sums, n_topics, decompose, starts)
    # in coordinates of words
    whitening = found.whitening._replace(forward=basis @ found.whitening.forward)
    found = found._replace(whitening=whitening)
    model, fits = polish(partitions, found.model, counts, n_polish)
    return Solution(model, counts, found, fits)


def multiply_pairs(partitions: Partitions, block: Floats) -> Floats:
    """Return the sum of the pairs times a (d, b) block, by one pass."""
    (image,) = partitions.total(partial(summaries.multiply_pairs, block=block))
    return image


def find_basis(
    multiply: Product,
    known: np.ndarray[tuple[int], np.dtype[np.bool_]],
    n_topics: int,
    seed: int,
) -> Floats:
    """Return the top eigenspace of the pairs of the known words, (d, r)."""

    def over_known(block: Floats) -> Floats:
        over_all = np.zeros((len(known), block.shape[1]))
        over_all[known] = block
        return np.asarray(multiply(over_all)[known])

    wanted = (int(known.sum()), n_topics, seed, TOLERANCE, n_topics)
    found = top_eigenspace(over_known, *wanted)
    basis = np.zeros((len(known), found.shape[1]))
    basis[known] = found
    return basis


def polish(
    partitions: Partitions, model: TopicModel, counts: Counts, n_passes: int
) -> tuple[TopicModel, Floats]:
    """Return the model after passes of EM, and the mean log-probability before each.

    Smoothed as the polished topics of `HedgedLeader` are: with word frequencies, a tenth of a word
    for each of the vocabulary.
    """
    n_docs, fits = max(1.0, float(counts.n[2])), np.zeros(n_passes)
    if n_passes == 0 or counts.n[2] == 0:
        return model, fits[:0]
    one = Statistics.one_document(model, float(counts.n[1]) / n_docs)
    statistics = Statistics(n_docs * one.totals, n_docs * one.words)
    seen = counts.words + UNSEEN
    smoothing = Smoothing(seen, float(seen.sum()), SETTINGS.tried[0] * len(seen))
    for i in range(n_passes):
        words, totals, fit = partitions.total(
            partial(
                summaries.expect,
                words=statistics.words,
                totals=statistics.totals,
                smoothing=smoothing,
            )
        )
        statistics, fits[i] = Statistics(totals, words), float(fit[0]) / n_docs
    return smooth(Columns.of(statistics), seen / smoothing.n_seen, smoothing.strength), fits
