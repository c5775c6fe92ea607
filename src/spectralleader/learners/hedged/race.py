"""Races: several starts are fitted to remembered documents and compared on held-out ones.

Topics that have no documents left start again from those explained worst.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.documents import Documents, DocumentView
from spectralleader.documents.csr import number_words
from spectralleader.em.background import Background
from spectralleader.em.columns import Smoothing
from spectralleader.em.passes import log_probs, sweep
from spectralleader.em.statistics import Statistics
from spectralleader.learners.hedged.sample_topics import n_open
from spectralleader.learners.hedged.schedule import ENOUGH
from spectralleader.learners.hedged.settings import Settings
from spectralleader.models.coarsening import RARE, coarsen, find_merges
from spectralleader.moments.pair_operator import sum_in_basis
from spectralleader.runtime.blas import ONE_BLAS_THREAD
from spectralleader.spectral import estimate
from spectralleader.spectral.basis import find_basis
from spectralleader.spectral.cold import decompose_roughly
from spectralleader.spectral.power import N_RESTARTS, random_starts

ROUGHLY = 0.03  # accuracy of a spectral start's basis; the sweeps refine the start
SEEDS = 10  # documents per topic of a random start
N_SWEEPS = 2  # stepwise-EM passes of each contender
SWEEP_BLOCKS, SWEEP_SIZE = 20, 100  # minimum mini-batches per sweep, and their maximum size


class Outcome(NamedTuple):
    """The result of a race."""

    winner: Statistics
    is_new: bool  # whether it is no incumbent as it was
    strength: float  # the best smoothing strength to read the winner with


class HeldOutSplit(NamedTuple):
    """The documents of a race, over the words that occur in them."""

    train: Documents
    held_out: Documents
    word_ids: Ints  # id in the vocabulary of each word that occurs
    seen: Floats  # background of these words
    n_seen: float  # sum over all words
    settings: Settings

    @property
    def can_judge(self) -> bool:
        """Whether documents are held out: on others less smoothing and more topics always win."""
        return self.held_out is not self.train

    def smoothing(self, n_open: int) -> Smoothing:
        """Return the smoothing with which that many topics are fitted."""
        n_tokens, n_words = float(self.train.counts.sum()), len(self.word_ids)
        strength = self.settings.fit_strength(n_tokens, n_open, n_words)
        return Smoothing(self.seen, self.n_seen, strength)


class Contender(NamedTuple):
    """Topics fitted in a race."""

    statistics: Statistics
    scores: Floats  # log-probability of each held-out document
    strength: float  # of the smoothing with which they are highest


def race(
    documents: Documents,
    n_topics: int,
    incumbents: Sequence[Statistics],
    background: Background,
    seed: list[int],
    settings: Settings,
    margin: float = 0.0,
    *,
    thorough: bool = True,
) -> Outcome:
    """Return the topics with the highest likelihood of held-out documents.

    Spectral, over-complete and random starts compete with the incumbents, which are refitted on the
    same documents. The spectral start has a global guarantee only for documents that follow the
    model; on real text another start sometimes ends higher.

    All are fitted with the same smoothing, see `fit_strength`, and each is judged with the strength
    that suits it best.

    Parameters
    ----------
    documents : Documents
        At least one.
    n_topics : int
        K.
    incumbents : sequence of Statistics
        The current topics.
    background : Background
        Word counts of the stream.
    seed : list of int
        Random seed of the split and of the starts.
    settings : Settings
        The constants.
    margin : float
        Share of the loss by which a newcomer must be better than all incumbents, beside
        `Settings.n_sigmas` standard errors. If it is 0, being better is enough.
    thorough : bool
        Whether spectral starts are among the contenders, and incumbents reopen their topics.
    """
    rng = np.random.default_rng(seed)
    split = split_documents(documents, background, rng, settings)
    # Words that do not occur here keep their mass in the totals: probabilities remain those over
    # the whole vocabulary.
    defenders = [statistics.of_words(split.word_ids) for statistics in incumbents]
    least = min(n_topics, -(-documents.n_docs // settings.filled))
    n_sigmas, reopened = settings.n_sigmas if margin > 0.0 else 0.0, list[Statistics]()
    if thorough and margin == 0.0 and any(0 < n_open(one) < n_topics for one in defenders):
        # Topics that go on win unless others are better by more than chance: readers know them.
        n_sigmas, reopened = 1.0, [reopen(split, one, rng) for one in defenders]
        defenders = [one for one in defenders if n_open(one) >= least]
    with ONE_BLAS_THREAD:  # of more, the matrices are too small to gain anything
        starts = (*defenders, *reopened, *make_starts(split, n_topics, rng, spectral=thorough))
        contenders = [contend(split, start) for start in starts]
    scores = [one.scores for one in contenders]
    best = choose_winner(scores, len(defenders) + len(reopened), margin, n_sigmas)
    won = close_topics(split, contenders[best], least)
    words = np.zeros((documents.n_words, n_topics))
    words[split.word_ids] = won.statistics.words
    is_new = best >= len(defenders)
    return Outcome(Statistics(won.statistics.totals, words), is_new, won.strength)


def reopen(split: HeldOutSplit, topics: Statistics, rng: np.random.Generator) -> Statistics:
    """Return topics of which the closed ones start from the documents that are explained worst.

    Fits from new starts have all topics open, and would win by that alone. What readers know as a
    topic would then have another number.
    """
    start, closed = topics.copy(), np.flatnonzero(topics.totals[0] == 0.0)
    if 0 < len(closed) < len(start.totals[0]):
        restart_topics(
            start, closed, DocumentView.of(split.train), split.smoothing(n_open(start)), rng
        )
    return start


def contend(split: HeldOutSplit, start: Statistics) -> Contender:
    """Return a start after sweeps, with the smoothing that suits its held-out documents best."""
    fitted, smoothing = fit(split, start), split.smoothing(n_open(start))
    best, strength = score(split, fitted, smoothing), smoothing.strength
    # The same statistics, smoothed differently: a pass over held-out documents, no refit.
    for factor in split.settings.tried if split.can_judge else ():
        other = smoothing._replace(strength=len(split.word_ids) * factor)
        if (scores := score(split, fitted, other)).mean() > best.mean():
            best, strength = scores, other.strength
    return Contender(fitted, best, strength)


def close_topics(split: HeldOutSplit, winner: Contender, least: int) -> Contender:
    """Return the winner, with topics merged into others unless that predicts held-out ones worse.

    Few documents deserve fewer topics: of those that predict equally well, within a standard error,
    the fewest are kept. Otherwise the first stories of a stream would have several topics each, and
    later ones none of their own. A topic whose documents another one has is closed: it has none,
    and no weight, until a race opens it again. At least `least` stay open.
    """
    best, fewest, n = winner, winner, n_open(winner.statistics)
    if not split.can_judge or n <= least:
        return winner
    totals, words = winner.statistics.totals, winner.statistics.words
    is_open, K = totals[0] > 0.0, totals.shape[1]
    merges = find_merges(np.where(words > RARE, words, 0.0)[:, is_open], least)
    n_all, group = n, np.arange(K)
    while n > least:
        n = max(least, int(n / split.settings.coarser))
        group[is_open] = np.flatnonzero(is_open)[merges.groups(n_all, n_all - n)]
        member = np.eye(K)[group]
        coarse = contend(split, Statistics(totals @ member, words @ member))
        gains = coarse.scores - best.scores
        if gains.mean() > 0.0:
            best = fewest = coarse
        elif gains.mean() > -standard_error(gains):
            fewest = coarse
    return fewest


def score(split: HeldOutSplit, statistics: Statistics, smoothing: Smoothing) -> Floats:
    """Return the log-probability of each held-out document."""
    return log_probs(DocumentView.of(split.held_out), statistics.columns, smoothing)


def choose_winner(
    scores: Sequence[Floats], n_incumbents: int, margin: float, n_sigmas: float
) -> int:
    """Return the index of the winner; a newcomer must beat the incumbents by the margin."""
    means = [float(log_prob.mean()) for log_prob in scores]
    best = int(np.argmax(means))
    if best < n_incumbents or n_incumbents == 0:
        return best
    old = int(np.argmax(means[:n_incumbents]))
    # Paired by document: what all contenders find hard, such as long documents, cancels.
    gains = scores[best] - scores[old]
    # Mean log-probabilities are negative: -margin * mean is a share of the loss.
    needed = max(n_sigmas * standard_error(gains), -margin * means[old])
    return best if gains.mean() > needed else old


def standard_error(values: Floats) -> float:
    """Return the standard error of the mean of independent values."""
    return float(values.std()) / float(np.sqrt(len(values)))


def split_documents(
    documents: Documents, background: Background, rng: np.random.Generator, settings: Settings
) -> HeldOutSplit:
    """Split documents at random into training and held-out ones; few documents are both."""
    words, word_ids = number_words(documents.words, documents.n_words)
    compact = Documents.trusted(documents.indptr, words, documents.counts, len(word_ids))
    order, n = rng.permutation(documents.n_docs), documents.n_docs
    n_held_out = int(settings.held_out * n) if n >= settings.few else 0
    train = compact.take(order[n_held_out:])
    held_out = compact.take(order[:n_held_out]) if n_held_out else train
    # `n_roots` remains the sum over all words, for the same reason as the totals in `race`.
    seen, n_seen = background.roots[word_ids], background.n_roots
    return HeldOutSplit(train, held_out, word_ids, seen, n_seen, settings)


def fit(split: HeldOutSplit, start: Statistics) -> Statistics:
    """Return the statistics of a start after `N_SWEEPS` sweeps."""
    fitted = start.copy()
    # With few documents the mini-batches shrink, so that a sweep still has many steps.
    size = max(1, min(SWEEP_SIZE, split.train.n_docs // SWEEP_BLOCKS))
    smoothing = split.smoothing(n_open(start))
    sweep(DocumentView.of(split.train), fitted.columns, smoothing, size, N_SWEEPS)
    return fitted


def make_starts(
    split: HeldOutSplit, n_topics: int, rng: np.random.Generator, *, spectral: bool = True
) -> Iterator[Statistics]:
    """Yield the starts that have enough documents, and whose cost is in proportion to them."""
    settings, documents = split.settings, split.train
    subset = documents[: settings.spectral]
    n, n_entries, d = documents.n_docs, len(documents.words), documents.n_words
    # Visiting every document once takes n_entries * K multiplications.
    allowed = settings.work * n_entries * n_topics
    ratio, K = settings.ratio, float(n_topics)
    # multiplications of the Krylov space, the sums and the power method; BLAS's count less
    spectral_work = 60 * len(subset.words) * K + 8 * d * K**2 + (n + d) * K**3 / 16 + 20 * K**4
    if spectral and subset.n_docs and n >= ENOUGH * n_topics and spectral_work <= allowed:
        yield spectral_start(subset, n_topics, int(rng.integers(2**31)))
    # Two sweeps with ratio * K topics and two with K, and the pairs of topics that share a word.
    merging_work = 2 * (ratio + 1) * n_entries * K + d * (ratio * K) ** 2
    if n >= ENOUGH * ratio * n_topics and merging_work <= allowed:
        yield over_complete_start(split, n_topics, rng)
    else:
        for _ in range(settings.n_random):
            yield random_start(documents, n_topics, rng)


def spectral_start(documents: Documents, n_topics: int, seed: int) -> Statistics:
    """Return the spectral estimate, as if the documents followed it."""
    sums = sum_in_basis(documents, find_basis(documents, n_topics, seed, tolerance=ROUGHLY))
    restarts = random_starts(n_topics, N_RESTARTS, seed)
    model = estimate(sums, n_topics, decompose_roughly, restarts).model
    mean, n = Statistics.one_document(model, float(documents.lengths.mean())), documents.n_docs
    return Statistics(n * mean.totals, n * mean.words)


def over_complete_start(split: HeldOutSplit, n_topics: int, rng: np.random.Generator) -> Statistics:
    """Return several times as many topics from a random start, merged by price."""
    many = fit(split, random_start(split.train, split.settings.ratio * n_topics, rng))
    # Sufficient statistics add up: a merged topic has all documents of its parts.
    member = np.eye(n_topics)[coarsen(many.words, n_topics)]
    return Statistics(many.totals @ member, many.words @ member)


def random_start(documents: Documents, n_topics: int, rng: np.random.Generator) -> Statistics:
    """Return a random start: each topic is the sum of a few random documents."""
    chosen = rng.integers(documents.n_docs, size=(n_topics, SEEDS))
    seeds = documents.take(chosen.ravel())
    topics = np.repeat(np.arange(n_topics), SEEDS)
    words = np.zeros((documents.n_words, n_topics))
    # `add.at`, because several documents of a topic can contain the same word.
    np.add.at(words, (seeds.words, np.repeat(topics, np.diff(seeds.indptr))), seeds.counts)
    return Statistics(np.stack([np.full(n_topics, float(SEEDS)), words.sum(axis=0)]), words)


N_EXAMINED, WORST = 2000, 100  # documents examined, and used to restart a topic


def restart_topics(
    statistics: Statistics,
    topics: Ints,
    remembered: DocumentView,
    smoothing: Smoothing,
    rng: np.random.Generator,
) -> None:
    """Replace topics by the documents with the lowest likelihood per word, in place."""
    n, n_topics = len(remembered.bounds), len(topics)
    subset = remembered.gather(np.arange(0, n, max(1, n // (N_EXAMINED * n_topics))))
    lengths = np.maximum(subset.lengths, 1.0)
    # Per word: otherwise the longest documents would always have the lowest likelihood.
    explained = log_probs(DocumentView.of(subset), statistics.columns, smoothing) / lengths
    worst = subset.take(np.argsort(explained, kind="stable")[: WORST * n_topics])
    started = Statistics.zero(1, worst.n_words)
    started.add(worst, np.ones((worst.n_docs, 1)))
    if n_topics > 1:
        started = random_start(worst, n_topics, rng)
        sweep(DocumentView.of(worst), started.columns, smoothing, 10, N_SWEEPS)
    # Weighted to an even share of the documents; a topic that starts small could die again.
    even = float(statistics.totals[0].mean()) / np.maximum(started.totals[0], 1e-9)
    statistics.totals[:, topics] = even * started.totals
    statistics.words[:, topics] = even * started.words
