"""Revival: a topic that has no documents left starts again from those explained worst."""

from __future__ import annotations

import numpy as np

from spectralleader.documents.views import DocumentView
from spectralleader.em.columns import Smoothing
from spectralleader.em.passes import log_probs
from spectralleader.em.statistics import Statistics

N_EXAMINED, WORST = 2000, 100  # documents examined, and used to restart the topic


def restart_topic(
    statistics: Statistics, topic: int, remembered: DocumentView, smoothing: Smoothing
) -> None:
    """Replace a topic by the documents with the lowest likelihood per word, in place."""
    n = len(remembered.bounds)
    subset = remembered.gather(np.arange(0, n, max(1, n // N_EXAMINED)))
    lengths = np.maximum(subset.lengths, 1.0)
    # Per word: otherwise the longest documents would always have the lowest likelihood.
    explained = log_probs(DocumentView.of(subset), statistics.columns, smoothing) / lengths
    worst = subset.take(np.argsort(explained, kind="stable")[:WORST])
    alone = Statistics.zero(1, worst.n_words)
    # Weighted to an even share of the documents; a topic that starts small could die again.
    even = float(statistics.totals[0].mean())
    alone.add(worst, np.full((worst.n_docs, 1), even / worst.n_docs))
    statistics.totals[:, topic], statistics.words[:, topic] = alone.totals[:, 0], alone.words[:, 0]
