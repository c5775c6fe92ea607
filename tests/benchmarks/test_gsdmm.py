"""GSDMM, which was written for the benchmark: its kernel does what its paper says."""

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="needs the bench extra")

from scipy.special import gammaln

from benchmarks.contenders import gsdmm
from spectralleader import Documents


def two_clusters(n_docs):
    """Every other document has the words 0 to 4, the others 5 to 9."""
    rng = np.random.default_rng(0)
    tokens = rng.integers(5, size=(n_docs, 6)) + 5 * (np.arange(n_docs) % 2)[:, None]
    return Documents.from_tokens(tokens, n_words=10)


def test_two_obvious_clusters_are_separated_and_further_topics_stay_empty():
    documents = two_clusters(200)
    guessed = gsdmm.fit(documents, 5, seed=1).posterior(documents).argmax(axis=1)
    first, second = guessed[::2], guessed[1::2]
    assert np.ptp(first) == np.ptp(second) == 0
    assert first[0] != second[0]


def test_the_seed_decides():
    documents = two_clusters(50)
    models = [gsdmm.fit(documents, 3, seed=seed, n_iterations=1).topics for seed in (0, 0, 1)]
    assert np.array_equal(models[0], models[1])
    assert not np.array_equal(models[0], models[2])


def test_the_kernel_draws_as_the_formula_with_gamma_functions():
    rng = np.random.default_rng(3)
    # one long document with repeated words: more factors than are multiplied at once
    documents = Documents.from_tokens([rng.integers(6, size=n) for n in (40, 3, 1, 5, 2)], 6)
    labels, uniform = np.array([0, 1, 2, 1, 0]), rng.random((4, 5))
    expected = slow_sample(documents, labels.copy(), 3, uniform)
    n_docs, counts = gsdmm.tally(documents, labels, 3)
    arrays = (documents.indptr, documents.words, documents.counts)
    gsdmm.sample(*arrays, labels, n_docs, counts, uniform)
    assert labels.tolist() == expected.tolist()
    again = gsdmm.tally(documents, labels, 3)
    assert np.array_equal(n_docs, again[0])
    assert np.array_equal(counts, again[1])


def slow_sample(documents, labels, n_topics, uniform):
    dense = documents.to_matrix().toarray()
    for row in uniform:
        for i, words in enumerate(dense):
            others = np.arange(len(dense)) != i
            logs = np.empty(n_topics)
            for k in range(n_topics):
                members = dense[others & (labels == k)]
                n, total = members.sum(axis=0) + gsdmm.BETA, members.sum()
                least = dense.shape[1] * gsdmm.BETA
                logs[k] = np.log(len(members) + gsdmm.ALPHA)
                logs[k] += (gammaln(n + words) - gammaln(n)).sum()
                logs[k] -= gammaln(total + least + words.sum()) - gammaln(total + least)
            chances = np.cumsum(np.exp(logs - logs.max()))
            labels[i] = np.searchsorted(chances, row[i] * chances[-1], side="right")
    return labels
