"""The spectral method in a few passes over partitioned documents, optionally refined by EM.

`solve` needs only `Partitions`: blocks in memory, or the partitions of a distributed engine. The
engines are in `engines`.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.em.columns import UNSEEN, Smoothing
from spectralleader.em.statistics import Statistics, read_off
from spectralleader.learners import summaries
from spectralleader.learners.summaries import Partitions
from spectralleader.models import TopicModel
from spectralleader.moments import ProjectedSums
from spectralleader.spectral import Estimate, estimate
from spectralleader.spectral.basis import top_eigenspace
from spectralleader.spectral.block_krylov import Product
from spectralleader.spectral.power import N_RESTARTS, power_method, random_starts

TOLERANCE = 1e-9  # residual of the eigenvectors: what is left of them is below 1e-8 in the model
STRENGTH = (
    0.1  # pseudo-words of each topic per known word: the least that `HedgedLeader` reads with
)
DENSE_LIMIT = 2000  # largest vocabulary whose (d, d) pairs are summed, in one pass: 32 MB


class Counts(NamedTuple):
    """Result of the first pass: numbers of documents and words."""

    n: Floats  # documents, words, documents of >= 1, >= 2, >= 3 words
    words: Floats  # (d,) how often each word occurs
    sum_words: Floats  # (d,) sum of the documents' word frequencies

    @property
    def n_docs(self) -> int:
        """Number of documents, including empty ones."""
        return int(self.n[0])

    @property
    def n_empty(self) -> int:
        """Number of documents without words."""
        return int(self.n[0] - self.n[2])


class Solution(NamedTuple):
    """The model, with the intermediate results that led to it."""

    model: TopicModel
    counts: Counts
    estimate: Estimate  # before EM


def solve(partitions: Partitions, n_topics: int, *, seed: int = 0, n_polish: int = 0) -> Solution:
    """Return the model of partitioned documents; the partitioning does not affect it.

    The first pass counts words and, for a small vocabulary, sums the pairs. For a larger one, about
    ten passes multiply the pairs with a block of K columns. One pass sums the triples, and each EM
    iteration of `n_polish` takes one more.

    Parameters
    ----------
    partitions : Partitions
        The documents.
    n_topics : int
        Number of topics, K.
    seed : int
        Random seed of the starts.
    n_polish : int
        EM iterations after the spectral method; each increases the log-posterior. Defaults to 0.

    Examples
    --------
    >>> from spectralleader.documents import Documents
    >>> from spectralleader.learners.summaries import InMemory
    >>> blocks = [Documents.from_tokens([[0, 0, 0], [1, 1, 1], [0, 0, 0]], n_words=2)]
    >>> solve(InMemory(blocks, n_words=2), n_topics=2).model.weights.round(2).tolist()
    [0.33, 0.67]
    """
    # The dense pairs take one pass, together with the counts; all later products are then local.
    if partitions.n_words <= DENSE_LIMIT:
        *first, pairs = partitions.total(summaries.count_pairs)
        multiply: Product = pairs.__matmul__
    else:
        first = list(partitions.total(summaries.count))
        multiply = partial(multiply_pairs, partitions)
    counts = Counts(*first)
    basis = find_basis(multiply, counts.words > 0, n_topics, seed)
    sums = ProjectedSums(basis)
    # The only pass for triples: in the basis they are an (r, r, r) tensor, whatever d is.
    sums.add(partitions.total(partial(summaries.project, basis=basis)))
    starts = random_starts(n_topics, N_RESTARTS, seed)
    found = estimate(sums.sums, n_topics, power_method, starts)
    # in coordinates of words
    found = found._replace(whitening=basis @ found.whitening)
    return Solution(polish(partitions, found.model, counts, n_polish), counts, found)


def multiply_pairs(partitions: Partitions, block: Floats) -> Floats:
    """Return the sum of the pairs times a (d, b) block, in one pass."""
    (image,) = partitions.total(partial(summaries.multiply_pairs, block=block))
    return image


def find_basis(
    multiply: Product, known: np.ndarray[tuple[int], np.dtype[np.bool_]], n_topics: int, seed: int
) -> Floats:
    """Return the top eigenspace of the pairs, (d, r); words that do not occur get zero rows."""

    def over_known(block: Floats) -> Floats:
        over_all = np.zeros((len(known), block.shape[1]))
        # Words that do not occur have zero rows and columns in the pairs: the search omits them.
        over_all[known] = block
        return np.asarray(multiply(over_all)[known])

    # Blocks of K columns: fewer columns would need more passes over the documents.
    wanted = (int(known.sum()), n_topics, seed, TOLERANCE, n_topics)
    found = top_eigenspace(over_known, *wanted)
    basis = np.zeros((len(known), found.shape[1]))
    basis[known] = found
    return basis


def polish(partitions: Partitions, model: TopicModel, counts: Counts, n_passes: int) -> TopicModel:
    """Return the model after `n_passes` of EM.

    Topics are smoothed as in `HedgedLeader`, with `STRENGTH` pseudo-words per known word.
    """
    # Documents without words are skipped by `summaries.expect`, and do not count here.
    n_docs = float(counts.n[2])
    if n_passes == 0 or n_docs == 0:
        return model
    one = Statistics.one_document(model, float(counts.n[1]) / n_docs)
    # Statistics of all documents, so that smoothing weighs as much as in later iterations.
    statistics = Statistics(n_docs * one.totals, n_docs * one.words)
    seen = np.sqrt(counts.words + UNSEEN)  # as in `em.background`
    smoothing = Smoothing(seen, float(seen.sum()), STRENGTH * len(seen))
    for _ in range(n_passes):
        # An E-step. The M-step is implicit: statistics are smoothed when they are read.
        words, totals = partitions.total(
            partial(
                summaries.expect,
                words=statistics.words,
                totals=statistics.totals,
                smoothing=smoothing,
            )
        )
        statistics = Statistics(totals, words)
    return read_off(statistics.columns, smoothing)
