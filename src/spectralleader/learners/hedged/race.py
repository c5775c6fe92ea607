"""Races: several starts are fitted to remembered documents and compared on held-out ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.documents import Documents
from spectralleader.documents.csr import number_words
from spectralleader.documents.views import DocumentView
from spectralleader.em.columns import Columns, Smoothing
from spectralleader.em.passes import log_probs, sweep
from spectralleader.em.statistics import Statistics
from spectralleader.learners.hedged.settings import SETTINGS
from spectralleader.models.merging import merge_topics
from spectralleader.moments.pair_operator import sum_in_basis
from spectralleader.runtime.blas import ONE_BLAS_THREAD
from spectralleader.spectral import estimate
from spectralleader.spectral.basis import find_basis
from spectralleader.spectral.plain import decompose_roughly
from spectralleader.spectral.power import random_starts

ROUGHLY = 0.03  # accuracy of a spectral start's basis; the sweeps refine the start
SEEDS = 10  # documents per topic of a random start
ENOUGH = 10  # minimum documents per topic of a start
N_SWEEPS = 2  # stepwise-EM passes of each contender
SWEEP_BLOCKS, SWEEP_SIZE = 20, 100  # minimum mini-batches per sweep, and their maximum size


class Outcome(NamedTuple):
    """The result of a race."""

    winner: Statistics
    place: int  # index of the winning incumbent; -1 for a newcomer
    strength: float  # the best smoothing strength for the winner


class Course(NamedTuple):
    """The documents of a race, over the words that occur in them."""

    fitted: Documents
    judged: Documents
    known: Ints  # number of each word in the vocabulary
    smoothing: Smoothing


def race(
    documents: Documents,
    n_topics: int,
    incumbents: Sequence[Statistics],
    smoothing: Smoothing,
    seed: list[int],
    margin: float = 0.0,
    strengths: Sequence[float] = (),
) -> Outcome:
    """Return the topics with the highest likelihood of held-out documents.

    Spectral, over-complete and random starts compete with the incumbents, which are refitted on the
    same documents. The spectral start has a global guarantee only for documents that follow the
    model; on real text another start sometimes ends higher.

    Parameters
    ----------
    documents : Documents
        At least one.
    n_topics : int
        K.
    incumbents : sequence of Statistics
        Topics there are.
    smoothing : Smoothing
        What topics are smoothed with.
    seed : list of int
        Of the order of the documents and of the random starts.
    margin : float
        Share of the loss that a newcomer must be better by than all incumbents, beside
        `SETTINGS.n_sigmas` standard errors. If it is 0, being better is enough.
    strengths : sequence of float
        Strengths of smoothing that are tried on the winner, as multiples of the number of different
        words that the documents have.
    """
    rng = np.random.default_rng(seed)
    course = set_out(documents, smoothing, rng)
    # Words that do not occur here keep their mass in the totals: probabilities remain those over
    # the whole vocabulary.
    known = [one.of_words(course.known) for one in incumbents]
    with ONE_BLAS_THREAD:  # of more, the matrices are too small to gain anything
        fitted = [fit(course, one) for one in (*known, *starts(course, n_topics, rng))]
    judged = [judge(course, one) for one in fitted]
    place = choose(judged, len(incumbents), margin)
    best, won, strength = float(judged[place].mean()), fitted[place], smoothing.strength
    if course.judged is not course.fitted:  # else less smoothing always wins
        # The same statistics, smoothed differently: a pass over held-out documents, no refit.
        for other in (len(course.known) * factor for factor in strengths):
            smoother = course._replace(smoothing=course.smoothing._replace(strength=other))
            if (mean := float(judge(smoother, won).mean())) > best:
                best, strength = mean, other
    words = np.zeros((documents.n_words, n_topics))
    words[course.known] = won.words
    place = place if place < len(incumbents) else -1
    return Outcome(Statistics(won.totals, words), place, strength)


def judge(course: Course, statistics: Statistics) -> Floats:
    """Return the log-probability of each held-out document."""
    return log_probs(DocumentView.of(course.judged), *read(statistics, course))


def choose(judged: Sequence[Floats], n_incumbents: int, margin: float) -> int:
    """Return the index of the winner; a newcomer must beat the incumbents by the margin."""
    means = [float(one.mean()) for one in judged]
    place = int(np.argmax(means))
    if place < n_incumbents or n_incumbents == 0 or margin == 0.0:
        return place
    old = int(np.argmax(means[:n_incumbents]))
    # Paired by document: what all contenders find hard, such as long documents, cancels.
    gains = judged[place] - judged[old]
    error = float(gains.std()) / np.sqrt(len(gains))
    # Mean log-probabilities are negative: -margin * mean is a share of the loss.
    needed = max(SETTINGS.n_sigmas * error, -margin * means[old])
    return place if gains.mean() > needed else old


def set_out(documents: Documents, smoothing: Smoothing, rng: np.random.Generator) -> Course:
    """Split documents at random into training and held-out ones; few documents are both."""
    places, known = number_words(documents.words, documents.n_words)
    compact = Documents.trusted(documents.indptr, places, documents.counts, len(known))
    order, n = rng.permutation(documents.n_docs), documents.n_docs
    n_judged = int(SETTINGS.held_out * n) if n >= SETTINGS.few else 0
    fitted = compact.take(order[n_judged:])
    judged = compact.take(order[:n_judged]) if n_judged else fitted
    # `n_seen` remains the sum over all words, for the same reason as the totals in `race`.
    return Course(fitted, judged, known, smoothing._replace(seen=smoothing.seen[known]))


def fit(course: Course, start: Statistics) -> Statistics:
    """Return the statistics of a start after `N_SWEEPS` sweeps."""
    fitted = start.copy()
    # With few documents the mini-batches shrink, so that a sweep still has many steps.
    size = max(1, min(SWEEP_SIZE, course.fitted.n_docs // SWEEP_BLOCKS))
    sweep(DocumentView.of(course.fitted), *read(fitted, course), size, N_SWEEPS)
    return fitted


def read(statistics: Statistics, course: Course) -> tuple[Columns, Smoothing]:
    """Return statistics and smoothing in the form that kernels take."""
    return statistics.columns, course.smoothing


def starts(course: Course, n_topics: int, rng: np.random.Generator) -> Iterator[Statistics]:
    """Yield the starts that have enough documents, and whose cost is in proportion to them."""
    documents, some = course.fitted, course.fitted[: SETTINGS.spectral]
    n, n_entries, d = documents.n_docs, len(documents.words), documents.n_words
    # Visiting every document once takes n_entries * K multiplications.
    allowed = SETTINGS.work * n_entries * n_topics
    ratio, K = SETTINGS.ratio, float(n_topics)
    # multiplications of the Krylov space, the sums and the power method; BLAS's count less
    spectral_work = 60 * len(some.words) * K + 8 * d * K**2 + (n + d) * K**3 / 16 + 20 * K**4
    if n >= ENOUGH * n_topics and spectral_work <= allowed:
        for scaling in SETTINGS.scalings:
            yield spectral(some, n_topics, scaling, int(rng.integers(2**31)))
    # Two sweeps with ratio * K topics and two with K, and the pairs of topics that share a word.
    merging_work = 2 * (ratio + 1) * n_entries * K + d * (ratio * K) ** 2
    if n >= ENOUGH * ratio * n_topics and merging_work <= allowed:
        for _ in range(SETTINGS.n_over):
            yield over_complete(course, n_topics, rng)
    else:
        for _ in range(SETTINGS.n_random):
            yield random(documents, n_topics, rng)


def spectral(documents: Documents, n_topics: int, scaling: float, seed: int) -> Statistics:
    """Return the spectral estimate with scaled words, as if the documents followed it."""
    sums = sum_in_basis(documents, find_basis(documents, n_topics, seed, scaling, ROUGHLY))
    restarts = random_starts(n_topics, 10, seed)
    model = estimate(sums, n_topics, decompose_roughly, restarts).model
    one, n = Statistics.one_document(model, float(documents.lengths.mean())), documents.n_docs
    return Statistics(n * one.totals, n * one.words)


def over_complete(course: Course, n_topics: int, rng: np.random.Generator) -> Statistics:
    """Return several times as many topics from a random start, merged by price."""
    many = fit(course, random(course.fitted, SETTINGS.ratio * n_topics, rng))
    # Sufficient statistics add up: a merged topic has all documents of its parts.
    member = np.eye(n_topics)[merge_topics(many.words, n_topics)]
    return Statistics(many.totals @ member, many.words @ member)


def random(documents: Documents, n_topics: int, rng: np.random.Generator) -> Statistics:
    """Return a random start: each topic is the sum of a few random documents."""
    chosen = rng.integers(documents.n_docs, size=(n_topics, SEEDS))
    seeds = documents.take(chosen.ravel())
    topics = np.repeat(np.arange(n_topics), SEEDS)
    words = np.zeros((documents.n_words, n_topics))
    # `add.at`, because several documents of a topic can contain the same word.
    np.add.at(words, (seeds.words, np.repeat(topics, np.diff(seeds.indptr))), seeds.counts)
    return Statistics(np.stack([np.full(n_topics, float(SEEDS)), words.sum(axis=0)]), words)
