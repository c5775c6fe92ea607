"""What tables say of documents, against NumPy."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import Documents
from spectralleader.learners.hedged.foresight import (
    log_background,
    log_likelihoods,
    posteriors,
    with_priors,
)
from tests.factories import blocks

STRENGTHS = np.array([0.3, 4.0])


def plainly(block, table, totals, scale, seen):
    background = (seen + 0.5) / (seen.sum() + 0.5 * len(seen))
    counts = block.as_floats()
    out = []
    for strength in STRENGTHS:
        mass = scale * table + strength * background[:, None]
        out.append(counts @ np.log(mass / (scale * totals[1] + strength)))
    return np.array(out)


def check(block, seed, scale=0.5):
    rng = np.random.default_rng(seed)
    table, seen = 50 * rng.random((block.n_words, 3)), 9 * rng.random(block.n_words)
    totals = np.stack([np.ones(3), table.sum(axis=0)])
    arrays = (block.indptr, block.words, block.counts)
    found = log_likelihoods(*arrays, table, totals, scale, seen, seen.sum(), STRENGTHS)
    np.testing.assert_allclose(found, plainly(block, table, totals, scale, seen), rtol=1e-9)
    background = np.log((seen + 0.5) / (seen.sum() + 0.5 * len(seen)))
    alone = log_background(*arrays, seen, seen.sum())
    np.testing.assert_allclose(alone, block.as_floats() @ background, rtol=1e-9, atol=1e-12)


@given(block=blocks(5), seed=st.integers(0, 50))
def test_likelihoods_are_those_of_the_smoothed_topics(block, seed):
    check(block, seed)


def test_long_documents_and_large_counts_do_not_underflow():
    check(Documents.from_matrix(np.ones((2, 900))), seed=1)
    check(Documents.from_matrix(np.array([[10**9, 1, 1, 0, 2]])), seed=2)


@given(seed=st.integers(0, 50))
def test_priors_weigh_topics(seed):
    rng = np.random.default_rng(seed)
    likelihoods, priors = -500 * rng.random((6, 3)), rng.dirichlet(np.ones(3), size=2)
    largest = likelihoods.max(axis=1, keepdims=True)
    expected = np.log(np.exp(likelihoods - largest) @ priors.T) + largest
    np.testing.assert_allclose(with_priors(likelihoods, priors), expected)
    shares = priors[0] * np.exp(likelihoods - largest)
    expected = shares / shares.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(posteriors(likelihoods, priors[0]), expected)
