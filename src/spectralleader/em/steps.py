"""The steps of EM on a block of documents, as pure functions.

One iteration is `expect`, then the statistics' `maximise`. Smoothing s is a pseudo-count beside
the statistics of a mean document, that is a prior: an iteration never lowers

    mean_i log P(document_i) + s (sum_k log omega_k + sum_kw log u_kw).
"""

from __future__ import annotations

import numpy as np

from spectralleader.documents import Documents
from spectralleader.em.statistics import Statistics
from spectralleader.models import TopicModel


def expect(documents: Documents, model: TopicModel) -> Statistics:
    """E-step: return the mean expected statistics of the documents (at least one)."""
    statistics = Statistics.zero(model.n_topics, model.n_words)
    statistics.add(documents, model.posterior(documents), 1.0 / documents.n_docs)
    return statistics


def em_step(documents: Documents, model: TopicModel, smoothing: float) -> TopicModel:
    """Return the model after one iteration of EM on the documents (at least one)."""
    return expect(documents, model).maximise(smoothing)


def log_prior(model: TopicModel, smoothing: float) -> float:
    """Return the log-prior of a model, s (sum_k log omega_k + sum_kw log u_kw)."""
    with np.errstate(divide="ignore"):  # a given start may have words of probability 0: -inf
        return smoothing * float(np.log(model.weights).sum() + np.log(model.topics).sum())


def objective(documents: Documents, model: TopicModel, smoothing: float) -> float:
    """Return the objective of EM: the mean log-probability of documents plus the log-prior."""
    return float(model.log_prob(documents).mean()) + log_prior(model, smoothing)
