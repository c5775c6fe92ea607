"""How documents are parted makes no difference, on either road to the subspace."""

import itertools
import sys

import numpy as np
import pytest

from spectralleader import Documents, SpectralMethod
from spectralleader.em.background import Background
from spectralleader.em.statistics import Statistics, read_off, with_words
from spectralleader.learners import summaries
from spectralleader.learners.hedged.settings import SETTINGS
from spectralleader.learners.passes import solve
from spectralleader.learners.summaries import InMemory, add
from spectralleader.spectral.algorithm1 import valid_model
from study.sources.synthetic import random_problem
from tests.factories import documents

N_DOCS, N_TOPICS = 3000, 4
solving = sys.modules[solve.__module__]  # the function hides its module


def corpus(n_words: int, n_docs: int = N_DOCS) -> Documents:
    """Documents of 0 to 15 words; the last fifth of the words never occurs."""
    truth = random_problem(N_TOPICS, n_words * 4 // 5, seed=1).truth
    lengths = np.random.default_rng(2).integers(0, 16, size=n_docs)
    return truth.sample(n_docs, lengths, seed=3)[0].widen(n_words)


def parted(whole: Documents, n_parts: int, seed: int = 0) -> InMemory:
    """Parts of any size, among them empty ones."""
    rng = np.random.default_rng(seed)
    cuts = np.sort(rng.integers(0, whole.n_docs + 1, size=max(0, n_parts - 2)))
    edges = [0, *cuts, whole.n_docs, whole.n_docs][: n_parts + 1]
    edges[-1] = whole.n_docs
    blocks = [whole[a:b] for a, b in itertools.pairwise(edges)]
    assert sum(block.n_docs for block in blocks) == whole.n_docs
    return InMemory(blocks, whole.n_words)


@pytest.mark.parametrize("n_parts", [1, 2, 7, 64])
@pytest.mark.parametrize("n_words", [50, 2500])
def test_any_partitioning_gives_the_model_of_one_machine(n_words, n_parts):
    whole = corpus(n_words)
    method = SpectralMethod(N_TOPICS, n_words=n_words, seed=5, n_polish=3).fit(whole)
    found = solve(parted(whole, n_parts), N_TOPICS, seed=5, n_polish=3)
    np.testing.assert_allclose(found.model.topics, method.model.topics, rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.model.weights, method.model.weights, rtol=0, atol=1e-8)


def test_products_of_the_pairs_find_what_the_pairs_themselves_show(monkeypatch):
    whole = corpus(200)
    small = solve(parted(whole, 3), N_TOPICS)
    monkeypatch.setattr(solving, "DENSE_LIMIT", 0)
    large = solve(parted(whole, 3), N_TOPICS)
    np.testing.assert_allclose(large.model.topics, small.model.topics, rtol=0, atol=1e-7)
    forward = small.estimate.whitening
    np.testing.assert_allclose(large.estimate.whitening, forward, rtol=0, atol=1e-5)


def test_a_large_vocabulary_gives_what_algorithm_1_gives():
    whole = corpus(2500)
    plain = valid_model(whole, N_TOPICS)
    found = SpectralMethod(N_TOPICS, n_words=2500).fit(whole).model
    np.testing.assert_allclose(found.topics, plain.topics, rtol=0, atol=1e-7)


def test_polish_is_em_smoothed_as_the_hedged_leader_is():
    whole = with_words(corpus(50))
    model, n_docs = solve(parted(whole, 2), N_TOPICS).model, whole.n_docs
    one = Statistics.one_document(model, float(whole.lengths.mean()))
    statistics = Statistics(n_docs * one.totals, n_docs * one.words)
    background = Background(50)
    background.add(whole)
    for _ in range(4):
        model = read_off(statistics.columns, background.smoothing(SETTINGS.tried[0] * 50))
        statistics = Statistics.zero(N_TOPICS, 50)
        statistics.add(whole, model.posterior(whole))
    expected = read_off(statistics.columns, background.smoothing(SETTINGS.tried[0] * 50))
    found = solve(parted(whole, 7), N_TOPICS, n_polish=4)
    np.testing.assert_allclose(found.model.topics, expected.topics, rtol=0, atol=1e-5)


@pytest.mark.parametrize("n_words", [5, 2500])
def test_few_documents_or_none_are_no_error(n_words):
    some = Documents.from_tokens([[0, 1, 2], [0, 0], [3], []], n_words)
    for blocks in ([], [Documents.empty(n_words)], [some]):
        found = solve(InMemory(blocks, n_words), 3, n_polish=2)
        np.testing.assert_allclose(found.model.topics.sum(axis=1), 1.0)
    assert (found.counts.n_docs, found.counts.n_empty) == (4, 1)


def test_summaries_of_parts_add_up_to_that_of_the_whole():
    whole = documents(60, 6)
    basis = np.random.default_rng(0).standard_normal((6, 2))
    tasks = [
        summaries.count_pairs,
        lambda block: summaries.multiply_pairs(block, basis),
        lambda block: summaries.project(block, basis),
    ]
    for task in tasks:
        both = add(task(whole[:20]), task(whole[20:]))
        with_nothing = add(both, task(Documents.empty(6)))
        for total, parts in zip(task(whole), with_nothing, strict=True):
            np.testing.assert_allclose(parts, total, rtol=0, atol=1e-12)
