"""Products of many small probabilities, without underflow."""

import numpy as np
import pytest
from numba import njit

from spectralleader.em import columns
from spectralleader.em.columns import LOW, WordProbs, lift, safe_length

N_WORDS, STRENGTH = 600, 5.0


@njit
def multiply_words(*given):
    return columns.multiply_words(*given)


@njit
def normalise(*given):
    return columns.normalise(*given)


def long_document(n_topics):
    # its first half is all but impossible in the odd topics, its second in the even ones
    rng = np.random.default_rng(n_topics)
    table = rng.random((N_WORDS, n_topics + 3))
    table[: N_WORDS // 2, 3 + 1 :: 2] = table[N_WORDS // 2 :, 3::2] = 0.0
    words, counts = np.arange(N_WORDS, dtype=np.int32), rng.integers(1, 4, N_WORDS).astype(float)
    seen = 0.5 + rng.integers(0, 5, N_WORDS)
    return words, counts, table, seen, rng.dirichlet(np.ones(n_topics))


@pytest.mark.parametrize("n_topics", [1, 2, 5, 20])
def test_a_topic_far_behind_halfway_may_still_win(n_topics):
    words, counts, table, seen, prior = long_document(n_topics)
    slope = 1.0 / (table[:, 3:].sum(axis=0) + STRENGTH)
    offset = STRENGTH * slope / seen.sum()
    safe = safe_length(offset[None], seen.min())
    assert safe < 100
    logs = np.log(prior) + counts @ np.log(slope * table[:, 3:] + np.outer(seen, offset))
    meant, rows, rest = logs.max() + np.log(np.exp(logs - logs.max()).sum()), prior[None], 0 * prior
    two = WordProbs(table, 3, seen, np.stack([slope] * 2), np.stack([offset] * 2), safe)
    rows, rest = np.repeat(rows, 2, axis=0), np.stack([rest] * 2)  # the same smoothing twice
    is_long = multiply_words(0, N_WORDS, words, counts, two, rows, rest)
    assert is_long
    for row, left in zip(rows, rest, strict=True):
        assert normalise(row, left, is_long) == pytest.approx(meant, rel=1e-12)
        np.testing.assert_allclose(row, np.exp(logs - meant), rtol=1e-8, atol=1e-80)


def test_as_many_words_are_safe_as_stay_above_the_smallest_double():
    offset = np.array([[1e-3, 1e-2]])
    assert safe_length(offset, 0.5) == 65  # 500 / 7.6
    assert safe_length(np.array([[1e-300]]), 0.5) == 1


def multiplied(counts, chance):
    """A document of these counts, three words at a time being safe, and each of that chance."""
    table, seen = np.zeros((len(counts), 1)), np.full(len(counts), chance)
    word_probs = WordProbs(table, 0, seen, np.ones((1, 1)), np.ones((1, 1)), 3.0)
    words, product, logs = np.arange(len(counts), dtype=np.int32), np.ones((1, 1)), np.zeros((1, 1))
    numbers = np.array(counts, float)
    is_long = multiply_words(0, len(counts), words, numbers, word_probs, product, logs)
    return is_long, product[0, 0], logs[0, 0]


def test_a_document_is_long_from_the_first_word_that_is_not_safe():
    assert multiplied([1, 2], 0.5) == (False, 0.125, 0.0)
    assert multiplied([1, 2, 1], 0.5) == (True, 0.0625, 0.0)


def test_a_word_is_multiplied_as_often_as_is_safe_and_else_goes_to_the_logarithms():
    assert multiplied([1, 3], 0.5) == (True, 0.0625, 0.0)
    is_long, product, logs = multiplied([1, 4], 0.5)
    assert (is_long, product) == (True, 0.5)
    assert logs == pytest.approx(4 * np.log(0.5))


def test_words_are_counted_anew_after_one_of_the_logarithms():
    is_long, product, logs = multiplied([4, 1, 1, 1], 1e-90)
    assert is_long
    assert product == pytest.approx(1e-270)  # not lifted: three words are safe
    assert logs == pytest.approx(4 * np.log(1e-90))


def test_only_products_below_the_limit_are_lifted():
    products, logs = np.array([[LOW, LOW / 2]]), np.zeros((1, 2))
    lift(products, logs)
    assert products[0, 0] == LOW
    assert logs[0, 0] == 0.0
    assert np.log(products[0, 1]) + logs[0, 1] == pytest.approx(np.log(LOW / 2))
    assert products[0, 1] > 1.0


def test_logarithms_count_if_a_document_is_long_and_only_then():
    row, logs = np.array([1.0, 3.0]), np.array([5.0, 7.0])
    assert normalise(row, logs, False) == pytest.approx(np.log(4.0))
    np.testing.assert_allclose(row, [0.25, 0.75])
    row, logs = np.ones(3), np.array([0.0, -199.0, -200.0])
    assert normalise(row, logs, True) == pytest.approx(0.0)
    assert row[1] > 0.0
    assert row[2] == 0.0  # smaller numbers are slow
    assert (logs == 0.0).all()
