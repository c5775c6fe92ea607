"""Refining: a few passes of batch EM over documents at hand, from topics that are nearly right."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.documents import Documents
from spectralleader.em.statistics import Statistics
from spectralleader.models import TopicModel

# Words of background in each topic, per known word; the likelihood of election tweets at 8 topics
# is flat from 0.1 to 1.
BACKGROUND = 0.3
WEIGHT = 1.0  # pseudo-documents that the topics share


def refine(model: TopicModel, documents: Documents, n_passes: int) -> TopicModel:
    """Return the model after passes of EM, its topics smoothed with its own word frequencies.

    Examples
    --------
    >>> model = TopicModel([0.5, 0.5], [[0.6, 0.4], [0.4, 0.6]])
    >>> block = Documents.from_tokens([[0, 0, 0, 0], [1, 1, 1, 1]] * 9, n_words=2)
    >>> refine(model, block, n_passes=5).topics.round(2).tolist()
    [[0.99, 0.01], [0.01, 0.99]]
    """
    background = BACKGROUND * model.n_words * (model.weights @ model.topics)
    for _ in range(n_passes if documents.n_docs else 0):
        statistics = Statistics.zero(model.n_topics, model.n_words)
        statistics.add(documents, model.posterior(documents))
        model = _smoothed(statistics, background)
    return model


def _smoothed(statistics: Statistics, background: Floats) -> TopicModel:
    """M-step: return the model of the statistics, each topic with the background added."""
    weights = statistics.totals[0] + WEIGHT / len(statistics.totals[0])
    topics = statistics.words.T + background
    topics /= topics.sum(axis=1, keepdims=True)
    return TopicModel.trusted(weights / weights.sum(), np.ascontiguousarray(topics))
