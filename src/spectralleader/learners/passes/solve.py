"""Solve: the spectral method by a few passes over documents in parts, and EM if asked for."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.sparse.linalg import LinearOperator

from spectralleader.arrays import Floats
from spectralleader.em.statistics import Statistics
from spectralleader.learners.hedged.background import smooth
from spectralleader.learners.hedged.candidates import STRENGTHS
from spectralleader.learners.passes import summaries
from spectralleader.learners.passes.partitions import Partitions
from spectralleader.learners.spectral_leader.basis import EXTRA, search
from spectralleader.models import TopicModel
from spectralleader.moments import ProjectedMoments, ProjectedSums, means
from spectralleader.spectral import Estimate, estimate
from spectralleader.spectral.power import power_method, random_starts

TOLERANCE = 1e-9  # residual of the eigenvectors: what is left of them is below 1e-8 in the model


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
    if partitions.n_words <= means.DENSE_LIMIT:
        *first, pairs = partitions.total(summaries.count_pairs)
        counts = Counts(*first)
        found = estimate(SmallMoments(partitions, counts, pairs), n_topics, decompose, starts)
    else:
        counts = Counts(*partitions.total(summaries.count))
        basis = find_basis(partitions, counts.words > 0, n_topics, seed)
        found = estimate(_project(partitions, basis), n_topics, decompose, starts)
        # said in words, as for a small vocabulary
        whitening = found.whitening._replace(forward=basis @ found.whitening.forward)
        found = found._replace(whitening=whitening)
    model, fits = polish(partitions, found.model, counts, n_polish)
    return Solution(model, counts, found, fits)


class SmallMoments:
    """Mean moments over a small vocabulary: all pairs are there, triples are asked for."""

    def __init__(self, partitions: Partitions, counts: Counts, pairs: Floats) -> None:
        _, n_tokens, n_words, n_pairs, n_triples = counts.n
        self._partitions, self._n_triples = partitions, max(1.0, n_triples)
        self.n_tokens = float(n_tokens)
        self.words: Floats = counts.sum_words / max(1.0, n_words)
        self.pairs: Floats | LinearOperator = pairs / max(1.0, n_pairs)

    def triples(self, basis: Floats) -> Floats:
        """Mean triples in a basis, M3(Q, Q, Q), shape (r, r, r)."""
        (total,) = self._partitions.total(partial(summaries.project_triples, basis=basis))
        return np.asarray(total / self._n_triples)

    def multiply_pairs(self, basis: Floats) -> Floats:
        """M2 Q, shape (d, r)."""
        return np.asarray(self.pairs @ basis)


def find_basis(
    partitions: Partitions,
    known: np.ndarray[tuple[int], np.dtype[np.bool_]],
    n_topics: int,
    seed: int,
) -> Floats:
    """Return the top eigenspace of the pairs of known words, by passes, (d, r)."""
    n_known, r = int(known.sum()), n_topics + EXTRA
    if n_known < 2 * r:
        return np.eye(len(known))[:, known]

    def multiply(block: Floats) -> Floats:
        over_all = np.zeros((len(known), block.shape[1]))
        over_all[known] = block
        (image,) = partitions.total(partial(summaries.multiply_pairs, block=over_all))
        return np.asarray(image[known])

    basis = np.zeros((len(known), r))
    basis[known] = search(multiply, n_known, n_topics, seed, TOLERANCE).basis
    return basis


def _project(partitions: Partitions, basis: Floats) -> ProjectedMoments:
    """Return the moments in a basis, by one pass."""
    sums = ProjectedSums(basis)
    for mine, total in zip(
        sums.parts(), partitions.total(partial(summaries.project, basis=basis)), strict=True
    ):
        mine += total
    return ProjectedMoments(sums)


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
    background = (counts.words + 0.5) / (counts.n[1] + 0.5 * len(counts.words))
    strength = STRENGTHS[0] * len(background)
    for i in range(n_passes):
        words, totals, fit = partitions.total(
            partial(
                summaries.expect,
                words=statistics.words,
                totals=statistics.totals,
                background=background,
                strength=strength,
            )
        )
        statistics, fits[i] = Statistics(totals, words), float(fit[0]) / n_docs
    return smooth(statistics, background, strength), fits
