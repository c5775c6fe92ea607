"""Refining: passes of EM with the start as the prior, against the formulas written out."""

import numpy as np
import pytest

from spectralleader import Documents, TopicModel
from spectralleader.em.statistics import BACKGROUND, PRIOR, WEIGHT, refine
from tests.factories import documents, model


def one_pass(start, now, block):
    """The M-step: documents by their posteriors, a share of the start, and background."""
    counts, K = block.to_matrix().toarray(), start.n_topics
    posterior = now.posterior(block)
    weights = posterior.sum(axis=0) + WEIGHT / K
    background = BACKGROUND * block.n_words * (start.weights @ start.topics)
    words = posterior.T @ counts + PRIOR * counts.sum() * start.topics + background
    return TopicModel(weights / weights.sum(), words / words.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("n_passes", [1, 3])
def test_refining_is_em_with_the_start_as_the_prior(n_passes):
    start, block = model(3, 5, seed=1), documents(40, 5, seed=2)
    expected = start
    for _ in range(n_passes):
        expected = one_pass(start, expected, block)
    found = refine(start, block, n_passes)
    np.testing.assert_allclose(found.weights, expected.weights, rtol=1e-12)
    np.testing.assert_allclose(found.topics, expected.topics, rtol=1e-12)


def test_without_documents_or_passes_the_start_stays():
    start = model(3, 5)
    assert refine(start, Documents.empty(5), 3) is start
    assert refine(start, documents(4, 5), 0) is start


def test_weights_are_the_shares_of_the_documents_however_those_of_the_start_differ():
    truth, start = model(3, 30, seed=1), model(3, 30, seed=1)
    block = truth.sample_words(
        np.repeat([0, 1, 2], [300, 80, 20]), np.full(400, 8), np.random.default_rng(0)
    )
    found = refine(TopicModel([0.1, 0.1, 0.8], start.topics), block, 10)
    np.testing.assert_allclose(found.weights, found.posterior(block).mean(axis=0), atol=0.01)
