"""What Algorithm 1 leaves open, decided: signs, negative entries, missing topics, the floor."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spectralleader import TopicModel
from spectralleader.moments import Sums
from spectralleader.spectral.warm import (
    background_share,
    complete,
    recover,
    smooth_words,
)
from tests.definitions import pack
from tests.factories import assert_valid

UNIT = np.eye(3)


def completed(omega, u, unigram, n_topics, share):
    weights, topics = np.empty(n_topics), np.empty((n_topics, len(unigram)))
    clipped = complete(omega, u, unigram, share, weights, topics)
    return weights, topics, clipped


def recovered(eigenvalues, eigenvectors, image=UNIT, n=1):
    """The model of eigenpairs in coordinates of words, with the pairs of n documents."""
    upper = pack(UNIT, np.zeros((3, 3, 3)))
    seen = Sums(UNIT, np.array([np.inf, n, n, 0]), n * np.ones(3), n * image, upper)
    weights, topics = np.empty(3), np.empty((3, 3))
    clipped = recover(seen, UNIT, np.array(eigenvalues), eigenvectors, weights, topics)
    return weights, topics, clipped


def test_a_negative_lambda_flips_with_its_vector():
    vectors = np.linalg.qr(np.arange(9.0).reshape(3, 3) ** 2 + 1)[0]
    weights, topics, _ = recovered([2.0, 3.0, 4.0], vectors)
    flipped = recovered([-2.0, 3.0, -4.0], vectors * np.array([[-1], [1], [-1]]))
    np.testing.assert_array_equal(flipped[0], weights)
    np.testing.assert_array_equal(flipped[1], topics)
    np.testing.assert_allclose(weights / weights[0], [1, 4 / 9, 1 / 4])


def test_a_topic_that_sums_to_a_negative_number_is_flipped():
    raw, unigram = np.array([[-0.2, -0.8, 0.1]]), np.full(3, 1 / 3)
    _, topics, clipped = completed(np.ones(1), raw, unigram, 1, 0.0)
    np.testing.assert_allclose(topics, [[0.2, 0.8, 0.0]])
    np.testing.assert_allclose(clipped, 0.1)


def test_negative_entries_are_clipped_and_the_rest_renormalised():
    raw = np.array([[0.6, 0.6, -0.2]])
    _, topics, clipped = completed(np.ones(1), raw, np.array([0.0, 0.5, 0.5]), 1, 0.1)
    np.testing.assert_allclose(topics, [[0.45, 0.5, 0.05]])
    np.testing.assert_allclose(clipped, 0.2)


def test_a_lambda_of_nothing_is_no_topic():
    for image in (UNIT, 1e6 * UNIT):  # however large the topic that it would have
        weights, topics, _ = recovered([0.0, 2.0, 1e-13], UNIT, image)
        np.testing.assert_array_equal(weights, [1.0, 0.0, 0.0])
        np.testing.assert_allclose(topics, [UNIT[1], *np.full((2, 3), 1 / 3)])


def test_what_is_clipped_is_of_the_mean_over_documents():
    vectors = np.array([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])
    for n in (1, 2, 4):
        clipped = recovered([2.0, 1.0, 1.0], vectors, n=n)[2]
        np.testing.assert_allclose(clipped, [2 * 0.6, 0.0, 0.0])


def test_missing_topics_get_no_weight_and_the_unigram_distribution():
    unigram = np.array([0.5, 0.3, 0.2])
    topics = np.array([[0.1, 0.1, 0.8]])
    topics = np.vstack([np.zeros(3), topics])  # nothing is left of the first one
    weights, full, _ = completed(np.array([0.4, 0.4]), topics, unigram, 4, 0.0)
    np.testing.assert_allclose(weights, [1.0, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(full[0], topics[1])
    np.testing.assert_allclose(full[1:], np.tile(unigram, (3, 1)))


def test_weights_above_one_are_clipped_before_they_are_shared():
    topics = np.tile(np.full(3, 1 / 3), (2, 1))
    weights, _, _ = completed(np.array([1e9, 1.0]), topics, topics[0], 2, 0.0)
    np.testing.assert_allclose(weights, 0.5)


@given(
    st.integers(1, 4).flatmap(
        lambda k: st.tuples(
            arrays(float, k, elements=st.floats(0, 1e6)),
            arrays(float, (k, 5), elements=st.floats(-1e3, 1e3)),
        )
    ),
    st.floats(0, 1e9),
)
def test_whatever_comes_out_the_model_is_valid(raw, n_tokens):
    weights, topics = raw
    unigram = smooth_words(np.array([1.0, 0, 0, 0, 0]), n_tokens)
    share = background_share(4, 5, n_tokens)
    weights, topics, _ = completed(weights, topics, unigram, 4, share)
    assert_valid(TopicModel(weights, topics))


def test_the_background_shrinks_with_the_words_seen():
    shares = [background_share(5, 500, n) for n in (0, 1e3, 1e5, 1e7, np.inf)]
    assert shares[0] == 1.0
    assert shares[-1] == 0.0
    assert shares == sorted(shares, reverse=True)
    assert background_share(1, 1, 0) == 1.0
