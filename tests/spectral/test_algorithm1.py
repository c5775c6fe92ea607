"""The paper on a page: exact tests against brute force, and what line 5 really returns."""

import ast
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import Documents
from spectralleader.spectral import algorithm1
from spectralleader.spectral.algorithm1 import parameters, valid_model
from study.sources.synthetic import hard
from tests.definitions import population_triples
from tests.factories import assert_valid, blocks, documents


def brute_force_pairs(tokens, d):
    """Line 1, to the letter: all 2-permutations of the positions of every document."""
    total, eye, n = np.zeros((d, d)), np.eye(d), 0
    for words in tokens:
        positions = list(permutations(range(len(words)), 2))
        n += bool(positions)
        for a, b in positions:
            total += np.outer(eye[words[a]], eye[words[b]]) / len(positions)
    return total / max(n, 1)


def brute_force_triples(tokens, W):
    """Line 3, to the letter: all 3-permutations of the positions of every document."""
    k, n = W.shape[1], 0
    total = np.zeros((k, k, k))
    for words in tokens:
        positions = list(permutations(range(len(words)), 3))
        n += bool(positions)
        for a, b, c in positions:
            rows = W[words[a]], W[words[b]], W[words[c]]
            total += np.einsum("a,b,c->abc", *rows) / len(positions)
    return total / max(n, 1)


three_words = st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=1, max_size=8)
any_length = st.lists(st.lists(st.integers(0, 4), max_size=6), min_size=1, max_size=8)


@given(tokens=st.one_of(three_words, any_length), seed=st.integers(0, 9))
def test_moments_are_the_means_over_all_permutations_of_positions(tokens, seed):
    X = np.array([np.bincount(words, minlength=5) for words in map(np.int64, tokens)], float)
    W = np.random.default_rng(seed).standard_normal((5, 3))
    np.testing.assert_allclose(algorithm1.pairs(X), brute_force_pairs(tokens, 5), atol=1e-12)
    np.testing.assert_allclose(algorithm1.triples(X, W), brute_force_triples(tokens, W), atol=1e-10)


def test_parameters_solve_the_brute_force_moments():
    # whatever the decomposition leaves of T, lines 2 and 5 are exact: W whitens M2, and topics are
    # lambda (W^T)^+ v with unit vectors v
    tokens = np.random.default_rng(0).integers(0, 4, size=(40, 3))
    M2 = brute_force_pairs(tokens, 4)
    W = algorithm1.whiten(M2, 3)
    np.testing.assert_allclose(W.T @ M2 @ W, np.eye(3), atol=1e-12)
    weights, topics = parameters(Documents.from_tokens(tokens, 4), 3)
    lambdas, v = algorithm1.power_iterations(brute_force_triples(tokens, W), 3, seed=0)
    np.testing.assert_allclose(weights, lambdas**-2, rtol=1e-8)
    np.testing.assert_allclose(topics, lambdas[:, None] * (v @ np.linalg.pinv(W)), atol=1e-8)


def test_topics_that_share_no_word_are_found_exactly():
    # M2 and T are then exactly those of the model with the frequencies of the sample
    tokens = [[0, 0, 0]] * 5 + [[1, 1, 1]] * 3 + [[2, 2, 2]] * 2
    weights, topics = parameters(Documents.from_tokens(tokens, 4), 3)
    order = topics.argmax(axis=1)
    np.testing.assert_allclose(weights, np.array([0.5, 0.3, 0.2])[order], atol=1e-12)
    np.testing.assert_allclose(topics, np.eye(3, 4)[order], atol=1e-12)


def test_line_5_returns_what_is_not_a_distribution():
    block, _ = hard().truth.sample(100, 3, seed=0)
    weights, topics = parameters(block, 3)
    np.testing.assert_allclose(topics[0], [1.192, 0.016, -0.209], atol=5e-4)
    assert abs(weights.sum() - 1) > 1e-3
    assert_valid(valid_model(block, 3))


def test_exact_moments_return_the_model():
    truth = hard().truth
    M2 = np.einsum("k,ka,kb->ab", truth.weights, truth.topics, truth.topics)
    W = algorithm1.whiten(M2, 3)
    T = np.einsum("abc,ai,bj,ck->ijk", population_triples(truth), W, W, W)
    lambdas, v = algorithm1.power_iterations(T, 3, seed=0)
    topics = lambdas[:, None] * (v @ np.linalg.pinv(W))
    order = topics.argmax(axis=1)
    np.testing.assert_allclose(topics, truth.topics[order], atol=1e-8)
    np.testing.assert_allclose(lambdas**-2, truth.weights[order], atol=1e-8)


@given(block=blocks(5), n_topics=st.integers(1, 7))
def test_any_documents_give_finite_parameters_and_a_valid_model(block, n_topics):
    weights, topics = parameters(block, n_topics)
    assert len(weights) == len(topics) <= min(n_topics, 5)
    assert np.isfinite(weights).all()
    assert np.isfinite(topics).all()
    assert_valid(valid_model(block, n_topics))


def test_missing_topics_have_no_weight_and_the_unigram_distribution():
    model = valid_model(Documents.from_tokens([[0, 0, 0], [0, 0, 1]], 3), 3)
    n_found = np.count_nonzero(model.weights)
    assert n_found < 3
    np.testing.assert_allclose(model.topics[n_found:], model.topics[-1:].repeat(3 - n_found, 0))
    unigram = (6 * np.array([5 / 6, 1 / 6, 0]) + 1 / 3) / 7
    np.testing.assert_allclose(model.topics[-1], unigram)
    np.testing.assert_allclose(valid_model(Documents.empty(4), 2).topics, 0.25)


def test_words_that_do_not_occur_cost_nothing():
    block = documents(50, 6)
    narrow, wide = parameters(block, 3), parameters(block.widen(10**6), 3)
    np.testing.assert_array_equal(narrow[1], wide[1][:, :6])
    assert not wide[1][:, 6:].any()


@pytest.mark.parametrize(
    ("module", "allowed"),
    [
        ("spectral/algorithm1.py", {"arrays", "documents", "models"}),
        (
            "learners/algorithm1.py",
            {"arrays", "checks", "checks.saved", "checks.states", "documents"}
            | {"learners.learner_base", "models", "samples", "spectral.algorithm1"},
        ),
    ],
)
def test_it_shares_only_the_nouns_the_reservoir_and_the_checks_with_the_fast_road(module, allowed):
    path = Path(algorithm1.__file__).parents[1] / module
    tree = ast.parse(path.read_text(encoding="utf-8"))
    ours = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    ours = {name.removeprefix("spectralleader.") for name in ours if "spectralleader" in name}
    assert ours == allowed
    names = {alias.name for n in ast.walk(tree) if isinstance(n, ast.Import) for alias in n.names}
    assert names <= {"numpy"}
