"""Sums of moments against the definition: enumerate all tuples of distinct positions."""

import itertools

import numpy as np
from hypothesis import given

from spectralleader import Documents
from spectralleader.moments.sums import sum_pairs, sum_words
from tests.definitions import (
    multiply_pairs,
    population_sums,
    population_triples,
    project_triples,
    unpack_pairs,
    unpack_triples,
)
from tests.factories import blocks, model, token_lists

BASIS = np.random.default_rng(0).normal(size=(5, 3))


def brute_force(tokens, order):
    """The sum over documents of the mean over ordered tuples of distinct positions."""
    total = np.zeros((5,) * order)
    for ids in tokens:
        chosen = list(itertools.permutations(ids, order))
        for words in chosen:
            total[words] += 1.0 / len(chosen)
    return total


@given(token_lists())
def test_words_pairs_and_triples_are_means_over_ordered_tuples(tokens):
    # lines 1 and 3 of Algorithm 1 for documents of 3 words: Pi_2(3) and Pi_3(3)
    block = Documents.from_tokens(tokens, n_words=5)
    np.testing.assert_allclose(sum_words(block), brute_force(tokens, 1), atol=1e-12)
    np.testing.assert_allclose(sum_pairs(block), brute_force(tokens, 2), atol=1e-12)
    triples = project_triples(block, np.eye(5))
    np.testing.assert_allclose(triples, brute_force(tokens, 3), atol=1e-12)


@given(blocks())
def test_projected_sums_are_the_sums_projected(block):
    pairs, triples = sum_pairs(block), project_triples(block, np.eye(5))
    np.testing.assert_allclose(multiply_pairs(block, BASIS), pairs @ BASIS, atol=1e-12)
    projected = np.einsum("abc,ai,bj,ck->ijk", triples, BASIS, BASIS, BASIS)
    np.testing.assert_allclose(project_triples(block, BASIS), projected, atol=1e-12)


def test_the_moments_of_a_model_are_those_of_one_document_of_infinitely_many_words():
    truth = model(n_words=5)
    exact, topics = population_sums(truth, BASIS), truth.topics
    M2 = np.einsum("k,ka,kb->ab", truth.weights, topics, topics)
    assert exact.n.tolist() == [np.inf, 1, 1, 1]
    np.testing.assert_array_equal(exact.basis, BASIS)
    np.testing.assert_allclose(exact.words, truth.weights @ topics)
    np.testing.assert_allclose(exact.image, M2 @ BASIS)
    np.testing.assert_allclose(unpack_pairs(exact.upper), BASIS.T @ M2 @ BASIS)
    triples = np.einsum("abc,ai,bj,ck->ijk", population_triples(truth), BASIS, BASIS, BASIS)
    np.testing.assert_allclose(unpack_triples(exact.upper), triples, atol=1e-14)


def test_moments_are_unbiased_for_documents_of_any_length():
    # 60,000 documents: an entry of a moment has a standard error below 1e-3; 5 of them allowed
    truth = model(n_words=4)
    block, _ = truth.sample(60_000, np.tile([1, 2, 3, 4, 7, 11], 10_000), seed=1)
    exact, lengths = population_sums(truth), block.lengths
    n_words, n_pairs, n_triples = (np.count_nonzero(lengths >= order) for order in (1, 2, 3))
    triples = project_triples(block, np.eye(4)) / n_triples
    np.testing.assert_allclose(sum_words(block) / n_words, exact.words, atol=5e-3)
    np.testing.assert_allclose(sum_pairs(block) / n_pairs, exact.image, atol=5e-3)
    np.testing.assert_allclose(triples, unpack_triples(exact.upper), atol=5e-3)
