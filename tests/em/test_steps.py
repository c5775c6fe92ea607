import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import TopicModel
from spectralleader.em.start import (
    check_concentration,
    check_smoothing,
    check_start,
    make_start,
    n_known_words,
    read_start,
    recode_start,
)
from spectralleader.em.statistics import em_step, expect, log_prior, objective, with_words
from tests.factories import blocks, documents, model

ROUNDING = 1e-9  # of sums of up to a hundred logarithms


@given(block=blocks(), smoothing=st.sampled_from([1e-6, 1e-3, 1.0]), seed=st.integers(0, 9))
def test_an_iteration_never_lowers_the_objective(block, smoothing, seed):
    block = with_words(block)
    current = model(3, 5, seed=seed)
    for _ in range(4 if block.n_docs else 0):
        following = em_step(block, current, smoothing)
        gained = objective(block, following, smoothing) - objective(block, current, smoothing)
        assert gained > -ROUNDING
        current = following


@given(block=blocks(), seed=st.integers(0, 9))
def test_almost_unsmoothed_it_never_lowers_the_likelihood(block, seed):
    block = with_words(block)
    current = model(3, 5, seed=seed)
    for _ in range(4 if block.n_docs else 0):
        following = em_step(block, current, 1e-15)
        assert following.log_prob(block).sum() > current.log_prob(block).sum() - ROUNDING
        current = following


def test_the_truth_is_a_fixed_point_up_to_sampling():
    truth = model(3, 6)
    block, _ = truth.sample(100_000, 5, seed=0)
    moved = em_step(block, truth, 1e-9)
    # frequencies of 10^5 documents are within 5 standard errors, 5 * 0.5 / sqrt(10^5 w) < 0.03
    np.testing.assert_allclose(moved.topics, truth.topics, atol=0.03)
    np.testing.assert_allclose(moved.weights, truth.weights, atol=0.01)


def test_expectations_are_means_over_the_documents():
    block = with_words(documents(40, 5))
    statistics = expect(block, model(3, 5))
    np.testing.assert_allclose(statistics.totals.sum(axis=1), [1.0, block.lengths.mean()])


def test_a_model_with_impossible_words_has_no_prior():
    assert log_prior(TopicModel([1.0], [[1.0, 0.0]]), 1e-3) == -np.inf


def test_a_start_is_random_or_given():
    given_model = model(3, 6)
    assert make_start(given_model, 3, 6, seed=0) is given_model
    drawn = make_start(1.0, 3, 6, seed=0)
    assert (make_start(1.0, 3, 6, seed=0).topics == drawn.topics).all()
    assert (make_start(1.0, 3, 6, seed=1).topics != drawn.topics).all()
    assert make_start(1e6, 3, 6, seed=0).topics.std() < 1e-3


def test_a_start_must_fit():
    with pytest.raises(ValueError, match="3 topics over 6 words, the learner 2 over 6"):
        make_start(model(3, 6), 2, 6, seed=0)


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf])
def test_concentration_and_smoothing_must_be_positive(bad):
    with pytest.raises(ValueError, match="start must be a TopicModel or the concentration"):
        make_start(bad, 2, 6, seed=0)
    with pytest.raises(ValueError, match="smoothing must be a positive number"):
        check_smoothing(bad)


def test_a_start_that_grows_is_as_random_as_one_drawn_at_once():
    # a Dirichlet topic over 4 words of concentration 2 has words of mean 1/4 and variance 1/48;
    # 4,000 topics: standard errors of about 0.0023 and 0.0005, and six of them are allowed
    start = make_start(2.0, 4000, 2, seed=0)
    grown = recode_start(start, None, 4, 2.0, [0, 2, 4])
    np.testing.assert_allclose(grown.topics.sum(axis=1), 1.0)
    np.testing.assert_allclose(grown.topics.mean(axis=0), 1 / 4, atol=0.014)
    np.testing.assert_allclose(grown.topics.var(axis=0), 1 / 48, atol=0.003)
    ratios = grown.topics[:, :2] / start.topics
    np.testing.assert_allclose(ratios[:, 0], ratios[:, 1])


def test_a_start_of_hardly_any_concentration_stays_a_distribution_as_it_grows():
    grown = recode_start(make_start(1e-3, 50, 1, seed=0), None, 6, 1e-3, [0, 1, 6])
    assert np.isfinite(grown.topics).all()
    np.testing.assert_allclose(grown.topics.sum(axis=1), 1.0)


def test_a_random_start_has_equal_weights():
    assert make_start(1.0, 4, 6, seed=0).weights.tolist() == [1 / 4] * 4


def test_new_words_of_a_start_are_drawn_against_one_variable_for_the_old_ones():
    start = make_start(2.0, 3, 3, seed=0)
    grown = recode_start(start, np.array([2, -1, 0]), 4, 2.0, [5])
    rng = np.random.default_rng([5])
    old = rng.gamma(2 * 2.0, size=(3, 1)) / (2 * 2.0)  # of words 0 and 2, the old 2 and 0
    new = rng.gamma(2.0, size=(3, 2)) / 2.0
    factors = np.concatenate([old, new[:, :1], old, new[:, 1:]], axis=1)
    expected = start.recode([2, -1, 0], 4).topics * factors
    np.testing.assert_allclose(grown.topics, expected / expected.sum(axis=1, keepdims=True))
    assert grown.weights.tolist() == start.weights.tolist()


def test_a_start_without_new_words_or_that_was_given_draws_nothing():
    start = TopicModel([1.0], [[0.5, 0.5 - 1e-7]])  # which dividing by its sum would change
    swapped = recode_start(start, np.array([1, 0]), 2, 2.0, [0])
    assert swapped.topics.tolist() == start.topics[:, ::-1].tolist()
    for n_words in (3, 4):
        given_one = recode_start(start, None, n_words, np.inf, [0])
        assert given_one.topics.tolist() == start.recode(None, n_words).topics.tolist()
    drawn = recode_start(start, None, 3, 2.0, [0])
    assert drawn.topics.tolist() != start.recode(None, 3).topics.tolist()


def test_the_limits_of_concentration_and_smoothing_are_legal():
    for check, least, most in (
        (check_concentration, 1e-100, 1e100),
        (check_smoothing, 1e-100, 1e9),
    ):
        assert (check(least), check(most), check(3)) == (least, most, 3.0)
        assert type(check(3)) is float
        for bad in (np.nextafter(least, 0), np.nextafter(most, np.inf), "1"):
            with pytest.raises(ValueError, match="positive number"):
                check(bad)


def test_a_start_goes_to_a_state_and_back():
    start = model(3, 6)
    assert check_start(start, 3, 6) is start
    assert read_start({"start": 2.5}, "start") == 2.5
    back = read_start({"start": start.to_state()}, "start")
    assert back.topics.tolist() == start.topics.tolist()
    with pytest.raises(ValueError, match="3 topics over 6 words, the learner 3 over 7"):
        check_start(back, 3, 7)
    assert (n_known_words(start), n_known_words(2.5)) == (6, 1)
