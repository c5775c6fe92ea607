"""Revival: topics that have no documents left start again from those explained worst."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Flags, Ints, Posteriors
from spectralleader.documents import Documents
from spectralleader.documents.views import DocumentView
from spectralleader.em.columns import Smoothing, work_space
from spectralleader.em.passes import batch_pass, log_probs, sweep
from spectralleader.em.statistics import Statistics
from spectralleader.learners.hedged.race import random_start
from spectralleader.learners.hedged.settings import SETTINGS

N_EXAMINED, WORST = 2000, 100  # documents examined, and used to restart a topic
N_COUNTED = 50  # documents per topic that are counted, about: one of them is 2 % of an even share
COPY = 0.98  # cosine between the posteriors of two topics from which one is a copy of the other
N_SWEEPS = 2  # stepwise-EM passes that divide them among several topics


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


def n_used_by(documents: Documents, statistics: Statistics, smoothing: Smoothing) -> int:
    """Return the number of topics that enough of the documents prefer."""
    K = statistics.totals.shape[1]
    posterior = np.zeros((documents.n_docs, K), np.float32)
    nowhere = Statistics.zero(K, documents.n_words)
    how = (statistics.columns, smoothing, nowhere.columns, posterior, work_space(K))
    batch_pass(DocumentView.of(documents), *how)
    return count_used(posterior)


def some_of(posterior: Posteriors) -> Posteriors:
    """Return the posteriors of some of the documents, in proportion to the number of topics."""
    n, K = posterior.shape
    most = N_COUNTED * K
    # Drawn, not every so many: documents of several sources may come in turn.
    return posterior if n <= most else posterior[np.random.default_rng(n).integers(n, size=most)]


def count_preferred(posterior: Posteriors) -> Ints:
    """Return the number of documents that prefer each topic, (K,), of a sample of them."""
    return np.bincount(some_of(posterior).argmax(axis=1), minlength=posterior.shape[1])


def find_dead(posterior: Posteriors) -> Flags:
    """Return whether each topic is dead, (K,).

    Hardly any document prefers it, and it has hardly any documents, or is a copy of another topic:
    documents cannot tell copies apart, and prefer the first one. A topic that no document prefers
    is not dead otherwise: topics may overlap, above all in short documents.
    """
    some, n_of_each = some_of(posterior), count_preferred(posterior)
    least = SETTINGS.dead * n_of_each.mean()
    is_dead = n_of_each < least
    sizes = np.sqrt((some**2).sum(axis=0))
    for k in np.flatnonzero(is_dead & (some.sum(axis=0) >= least)):
        products = some[:, k] @ some
        products[is_dead] = 0.0  # itself, and copies that are looked at later: one of them stays
        is_dead[k] = (products > COPY * sizes[k] * sizes).any()
    return np.asarray(is_dead)


def count_used(posterior: Posteriors) -> int:
    """Return the number of topics that are preferred by enough of the documents."""
    n_of_each = count_preferred(posterior)
    return int(np.count_nonzero(n_of_each >= SETTINGS.used * n_of_each.mean()))
