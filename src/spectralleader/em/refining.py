"""Refining: a few passes of batch EM over documents at hand, from topics that are nearly right."""

from __future__ import annotations

import numpy as np

from spectralleader.documents import Documents
from spectralleader.em.statistics import Statistics
from spectralleader.models import TopicModel

# Words of background in each topic, per known word; the likelihood of election tweets at 8 topics
# is flat from 0.1 to 1.
BACKGROUND = 0.3
WEIGHT = 1.0  # pseudo-documents that the topics share
# Share of the documents that each topic of the start counts as, in every M-step. The start is an
# average over the stream; the documents are a sample of it that changes, and each pass amplifies
# the change. The smallest share with which election tweets keep the bound of 2 % at 16 topics: mean
# churn of three seeds 0.021 with 1/16, 0.019 with 1/12, 0.016 with 1/8 (health tweets at 8 topics:
# 0.037, 0.034 and 0.031). Each step loses 0.1 % of the likelihood; docs/decisions.md has the trade.
PRIOR = 1 / 12


def refine(model: TopicModel, documents: Documents, n_passes: int) -> TopicModel:
    """Return the model after passes of EM: the posterior mode, with the start as the prior.

    Topics are smoothed with the word frequencies of the start.

    Examples
    --------
    >>> model = TopicModel([0.5, 0.5], [[0.6, 0.4], [0.4, 0.6]])
    >>> block = Documents.from_tokens([[0, 0, 0, 0], [1, 1, 1, 1]] * 9, n_words=2)
    >>> refine(model, block, n_passes=5).topics.round(2).tolist()
    [[0.94, 0.06], [0.06, 0.94]]
    """
    # Computed once: all passes increase the same posterior, whose prior is the start.
    prior = _prior(model, documents)
    for _ in range(n_passes if documents.n_docs else 0):
        statistics = prior.copy()
        statistics.add(documents, model.posterior(documents))
        model = _read(statistics)
    return model


def _prior(model: TopicModel, documents: Documents) -> Statistics:
    """Return the start as statistics: documents of its topics, and background in each."""
    K = model.n_topics
    background = BACKGROUND * model.n_words * (model.weights @ model.topics)
    prior = Statistics.zero(K, model.n_words)
    # Weights have no such prior: a weight is the share of the documents, which people count.
    prior.totals[0] = WEIGHT / K
    # as many words in each topic: a small one moves least, as it has the fewest documents
    prior.words[:] = (PRIOR * float(documents.lengths.sum()) * model.topics + background).T
    return prior


def _read(statistics: Statistics) -> TopicModel:
    """M-step: return the model of the statistics."""
    weights, topics = statistics.totals[0], statistics.words.T
    # No smoothing here: the prior contains background for every word, so that no entry is 0.
    topics = np.ascontiguousarray(topics / topics.sum(axis=1, keepdims=True))
    return TopicModel.trusted(weights / weights.sum(), topics)
