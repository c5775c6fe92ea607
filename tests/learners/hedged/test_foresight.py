"""What stacked tables say of documents, against NumPy."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from spectralleader import Documents
from spectralleader.learners.hedged.foresight import likelihoods, log_probs
from tests.factories import blocks

STRENGTHS = np.array([0.3, 4.0])
SCALES = np.array([0.5, 1.0])
K = 3


def problem(block, seed):
    rng = np.random.default_rng(seed)
    table, seen = 50 * rng.random((block.n_words, 2 * K)), 0.5 + 9 * rng.random(block.n_words)
    return table, np.stack([np.ones(2 * K), table.sum(axis=0)]), seen


def plainly(block, table, totals, seen):
    """log P(words | topic) of each model, the strengths of an estimate side by side."""
    background, out = seen / seen.sum(), []
    for t, scale in enumerate(SCALES):
        at = slice(t * K, (t + 1) * K)
        for strength in STRENGTHS:
            mass = scale * table[:, at] + strength * background[:, None]
            out.append(block.as_floats() @ np.log(mass / (scale * totals[1, at] + strength)))
    return np.stack(out, axis=1)


def found(block, table, totals, seen):
    arrays = (block.indptr, block.words, block.counts)
    return likelihoods(*arrays, table, totals, SCALES, seen, seen.sum(), STRENGTHS)


def check(block, seed):
    table, totals, seen = problem(block, seed)
    chances, units = found(block, table, totals, seen)
    expected = plainly(block, table, totals, seen)
    np.testing.assert_allclose(units, logsumexp(expected, axis=2), rtol=1e-9)
    shares = np.exp(expected - expected.max(axis=2, keepdims=True))
    shares /= shares.sum(axis=2, keepdims=True)
    np.testing.assert_allclose(chances, shares, rtol=1e-6, atol=1e-12)


@given(block=blocks(5), seed=st.integers(0, 50))
def test_likelihoods_are_those_of_the_smoothed_topics(block, seed):
    check(block, seed)


def test_long_documents_and_large_counts_do_not_underflow():
    check(Documents.from_matrix(np.ones((2, 900))), seed=1)
    check(Documents.from_matrix(np.array([[0, 40, 30, 25, 1], [7, 1, 1, 90, 2]])), seed=2)
    check(Documents.from_matrix(np.array([[10**6, 1, 1, 0, 2]])), seed=2)


@given(block=blocks(5), seed=st.integers(0, 50))
def test_candidates_weigh_topics_by_their_own_weights_and_then_by_tracked_ones(block, seed):
    table, totals, seen = problem(block, seed)
    chances, units = found(block, table, totals, seen)
    rng = np.random.default_rng(seed)
    weights, priors = rng.dirichlet(np.ones(K), size=2), rng.dirichlet(np.ones(K), size=(3, 4))
    arrays = (block.indptr, block.words, block.counts, seen, seen.sum())
    columns = log_probs(*arrays, chances, units, weights, priors)
    counts = block.as_floats()
    expected = [-block.lengths * np.log(5), counts @ np.log(seen / seen.sum())]
    logs = plainly(block, table, totals, seen)
    for model in range(4):
        tracked = priors[model] if model < 3 else []
        for prior in (weights[model // 2], *tracked):
            expected.append(logsumexp(logs[:, model] + np.log(prior), axis=1))
    np.testing.assert_allclose(columns, np.stack(expected, axis=1), rtol=1e-8, atol=1e-10)
