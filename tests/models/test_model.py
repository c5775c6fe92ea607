import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import Documents, TopicModel
from spectralleader.models import model as model_module
from spectralleader.models.likelihood import find_best
from tests.definitions import population_triples
from tests.factories import blocks, documents, model


@given(blocks(n_words=6))
def test_log_prob_is_the_log_of_the_sum_over_topics(block):
    m = model()
    for row, document in enumerate(block.blocks(1)):
        counts = document.to_matrix().toarray()[0]
        probability = sum(w * np.prod(u**counts) for w, u in zip(m.weights, m.topics, strict=True))
        np.testing.assert_allclose(m.log_prob(block)[row], np.log(probability), atol=1e-12)


def test_probabilities_of_all_three_word_documents_sum_to_one():
    m = model(n_words=4)
    block = Documents.from_tokens(list(itertools.product(range(4), repeat=3)), n_words=4)
    np.testing.assert_allclose(np.exp(m.log_prob(block)).sum(), 1.0, rtol=1e-12)


@given(blocks(n_words=6))
def test_posterior_is_bayes_rule(block):
    m = model()
    counts = block.to_matrix().toarray()
    joint = m.weights * np.prod(m.topics[None] ** counts[:, None, :], axis=2)
    np.testing.assert_allclose(
        m.posterior(block), joint / joint.sum(axis=1, keepdims=True), atol=1e-12
    )


def test_a_long_document_does_not_underflow():
    m = model()
    block = Documents.from_matrix(np.full((1, 6), 10_000))
    assert np.isfinite(m.log_prob(block)).all()
    np.testing.assert_allclose(m.posterior(block).sum(), 1.0)


def test_few_words_and_many_words_take_different_roads_to_the_same_numbers():
    m, block = model(), documents(50)
    one_by_one = np.concatenate([m.log_prob(document) for document in block.blocks(1)])
    np.testing.assert_allclose(m.log_prob(block), one_by_one, rtol=1e-13)


def test_the_empty_document_is_certain_and_tells_nothing():
    m = model()
    empty = Documents.from_tokens([[]], n_words=6)
    assert m.log_prob(empty)[0] == 0.0
    np.testing.assert_allclose(m.posterior(empty)[0], m.weights)


def test_an_impossible_document_has_probability_zero_and_the_prior():
    m = TopicModel([0.2, 0.8], [[1.0, 0.0], [1.0, 0.0]])
    block = Documents.from_tokens([[1], [0]], n_words=2)
    np.testing.assert_allclose(m.log_prob(block), [-np.inf, 0.0], atol=1e-15)
    np.testing.assert_allclose(m.posterior(block), [[0.2, 0.8], [0.2, 0.8]])


def test_distance_is_the_frobenius_distance_of_the_tensors():
    a, b = model(seed=1), model(n_topics=4, seed=2)
    expected = ((population_triples(a) - population_triples(b)) ** 2).sum()
    np.testing.assert_allclose(a.distance(b), expected, rtol=1e-10)
    assert a.distance(a) < 1e-15
    np.testing.assert_allclose(a.norm(), (population_triples(a) ** 2).sum(), rtol=1e-12)


def test_sampling_follows_the_model():
    # 5 standard errors of a frequency over 20,000 documents: 5 * sqrt(.25 / 20,000) < .02
    m = model()
    block, labels = m.sample(20_000, 3, seed=0)
    assert (block.lengths == 3).all()
    np.testing.assert_allclose(np.bincount(labels, minlength=3) / 20_000, m.weights, atol=0.02)
    of_topic_1 = block[labels == 1].to_matrix().sum(axis=0)
    np.testing.assert_allclose(of_topic_1 / of_topic_1.sum(), m.topics[1], atol=0.02)
    assert block == m.sample(20_000, 3, seed=0)[0]
    assert m.sample(3, [0, 1, 7], seed=0)[0].lengths.tolist() == [0, 1, 7]


def test_models_of_other_sizes_are_not_compared():
    with pytest.raises(ValueError, match="models over 6 and 5 words"):
        model().distance(model(n_words=5))
    with pytest.raises(TypeError, match="from_matrix"):
        model().log_prob(np.ones((1, 6)))
    with pytest.raises(ValueError, match="at least 1 topic"):
        TopicModel.uniform(0, 3)


def test_words_that_all_topics_share_step_back():
    found = TopicModel([0.5, 0.5], [[0.5, 0.3, 0.2, 0.0], [0.5, 0.0, 0.2, 0.3]])
    assert found.top_words("abcd", n=1) == [["b"], ["d"]]


def test_topics_are_used_from_a_fiftieth_of_an_even_share_on():
    rest = 1.0 - 0.005 - 0.00499
    m = TopicModel([0.005, rest / 2, 0.00499, rest / 2], np.full((4, 3), 1 / 3))
    assert m.used.tolist() == [True, True, False, True]
    assert m.n_used == 3
    assert TopicModel.uniform(30, 3).n_used == 30
    assert TopicModel([1.0], [[1.0]]).n_used == 1


def test_words_that_tell_a_topic_are_neither_shared_nor_rare():
    topics = [[0.5, 0.4, 0.099, 0.001], [0.5, 0.001, 0.499, 0.0]]  # a shared, b telling, d rare
    assert TopicModel([0.5, 0.5], topics).top_words("abcd", n=1) == [["b"], ["c"]]


def test_a_word_that_all_topics_have_alike_comes_after_those_that_tell_them_apart():
    topics = [[0.5, 0.3, 0.2], [0.5, 0.1, 0.4]]
    assert TopicModel([0.5, 0.5], topics).top_words("abc", n=2) == [["b", "a"], ["c", "a"]]


def test_top_words_of_one_topic_are_the_most_probable_ones():
    m = TopicModel([1.0], [[0.1, 0.6, 0.3]])
    assert m.top_words(["a", "b", "c"], n=2) == [["b", "c"]]
    assert m.top_words(n=1) == [["1"]]
    with pytest.raises(ValueError, match="2 words, the model 3"):
        m.top_words(["a", "b"])


def test_more_top_words_than_there_are_is_all_of_them():
    assert TopicModel([1.0], [[0.1, 0.6, 0.3]]).top_words("abc", n=4) == [["b", "c", "a"]]


@pytest.mark.parametrize("n", [-1, 0, 1.5, 2.0, True, "2", None])
def test_the_number_of_top_words_is_a_whole_one_from_1_on(n):
    with pytest.raises(ValueError, match=f"n must be an integer of at least 1, got {n!r}"):
        TopicModel([1.0], [[0.1, 0.6, 0.3]]).top_words(n=n)


@pytest.mark.parametrize(
    ("weights", "topics", "message"),
    [
        ([0.5, 0.5], [[1.0]], "shape"),
        ([], np.zeros((0, 3)), "shape"),
        ([0.5, 0.6], [[1.0], [1.0]], "weights must have rows that sum to 1"),
        ([1.5, -0.5], [[1.0], [1.0]], "not negative"),
        ([0.5, 0.5], [[0.5, 0.5], [0.5, 0.4]], "row 1 sums to 0.9"),
        ([0.5, 0.5], [[0.5, 0.6], [0.5, 0.5]], "row 0 sums to 1.1"),
        ([1.0], [[np.nan, 1.0]], "finite"),
        ([1.0], np.zeros((1, 0)), "n_words must be from 1"),
    ],
)
def test_what_is_not_a_model_is_refused(weights, topics, message):
    with pytest.raises(ValueError, match=message):
        TopicModel(weights, topics)


def test_a_model_cannot_be_changed_and_does_not_share_the_callers_arrays():
    weights = np.array([0.5, 0.5])
    m = TopicModel(weights, [[1.0], [1.0]])
    weights[0] = 9
    assert m.weights[0] == 0.5
    with pytest.raises(AttributeError, match="immutable"):
        m.weights = weights
    for array in (m.weights, m.topics):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_documents_over_another_vocabulary_are_refused():
    with pytest.raises(ValueError, match=r"has 6 words, the documents have 5"):
        model().log_prob(Documents.empty(5))


def test_state_gives_the_model_back():
    m = model()
    again = TopicModel.from_state(m.to_state())
    for same in (again, pickle.loads(pickle.dumps(m))):
        np.testing.assert_array_equal(same.topics, m.topics)
        np.testing.assert_array_equal(same.weights, m.weights)
    assert repr(again) == "TopicModel(n_topics=3, n_words=6)"


def test_recoding_keeps_relative_probabilities_and_makes_new_words_the_mean():
    m = model(3, 6)
    recoded = m.recode([4, -1, 0, 2, 1, 6], 8)  # five words stay, 3, 5 and 7 are new
    np.testing.assert_allclose(recoded.topics.sum(axis=1), 1.0)
    np.testing.assert_allclose(recoded.topics[:, [3, 5, 7]], 1 / 8)
    kept = m.topics[:, [0, 2, 3, 4, 5]]
    np.testing.assert_allclose(
        recoded.topics[:, [4, 0, 2, 1, 6]], 5 / 8 * kept / kept.sum(axis=1, keepdims=True)
    )
    np.testing.assert_array_equal(recoded.weights, m.weights)


def test_a_topic_left_without_words_becomes_uniform():
    m = TopicModel([0.5, 0.5], [[1.0, 0.0, 0.0], [0.2, 0.3, 0.5]])
    np.testing.assert_allclose(m.recode([-1, 0, 1], 2).topics, [[0.5, 0.5], [0.375, 0.625]])
    np.testing.assert_allclose(m.recode([-1, 0, -1], 1).topics, 1.0)
    np.testing.assert_allclose(m.recode([-1, -1, -1], 4).topics, 0.25)


def test_a_model_that_keeps_its_words_keeps_its_numbers():
    topics = [[0.5, 0.5 - 1e-7]]  # nothing is normalised again
    assert TopicModel([1.0], topics).recode(None, 2).topics.tolist() == topics


def test_the_largest_draw_is_the_last_word_also_of_a_topic_that_sums_to_a_little_less_than_1():
    class Largest:
        def random(self, n):
            return np.full(n, np.nextafter(1.0, 0.0))

    m = TopicModel([1.0], [[0.5, 0.5 - 1e-7]])
    assert m.sample_words(np.zeros(2, np.int64), 3, Largest()).to_bow() == [[(1, 3)], [(1, 3)]]


def test_one_topic_over_one_word_is_a_model():
    m = TopicModel.uniform(1, 1)
    assert (m.weights.tolist(), m.topics.tolist()) == ([1.0], [[1.0]])


@given(blocks(6), st.integers(0, 9))
def test_shares_are_distributions_and_without_words_the_weights(block, seed):
    found = model(3, 6, seed=seed)
    shares = found.shares(block)
    assert shares.shape == (block.n_docs, 3)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    for row in shares[block.lengths == 0]:
        np.testing.assert_allclose(row, found.weights)


def test_shares_are_the_proportions_that_long_documents_were_drawn_with():
    rng = np.random.default_rng(0)
    found = model(3, 200)
    wanted = rng.dirichlet(np.full(3, 0.7), size=60)
    words = [rng.choice(200, size=400, p=row @ found.topics) for row in wanted]
    shares = found.shares(Documents.from_tokens([row.tolist() for row in words], n_words=200))
    # 400 words of topics that differ tell a share up to about sqrt(0.25 / 400)
    assert np.abs(shares - wanted).mean() < 0.025


def test_shares_are_asked_for_with_the_models_vocabulary():
    with pytest.raises(ValueError, match="the model has 3 words"):
        TopicModel([1.0], [[0.2, 0.3, 0.5]]).shares(Documents.from_tokens([[0]], n_words=2))


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30), st.integers(1, 40))
def test_the_first_words_are_those_of_a_stable_sort(scores, n):
    given_scores = np.array(scores, float)
    wanted = np.argsort(-given_scores, kind="stable")[:n].tolist()
    assert model_module.first_of(given_scores, n) == wanted


def test_the_best_topic_of_each_document_is_that_of_its_posterior():
    topics = [[0.5, 0.5, 0.0, 0.0], [0.1, 0.4, 0.5, 0.0], [0.3, 0.3, 0.4, 0.0]]
    given = TopicModel([0.2, 0.5, 0.3], topics)
    rows = [[2, 1, 0, 0], [0, 0, 3, 0], [0, 0, 0, 0], [0, 0, 0, 1], [40, 30, 20, 0], [0, 0, 1, 0]]
    block = Documents.from_matrix(np.array(rows))
    best, told = np.empty(6, np.int64), np.empty((6, 3))
    find_best(block.indptr, block.words, block.counts, *given.logs, best, told)
    posterior = given.posterior(block)
    assert best.tolist() == posterior.argmax(axis=1).tolist()
    np.testing.assert_allclose(told[:, 0], posterior.max(axis=1), rtol=1e-12)
    np.testing.assert_allclose(told[:, 1], given.log_prob(block), rtol=1e-12, atol=1e-15)
    assert told[:, 2].tolist() == [3, 3, 0, 1, 90, 1]


def test_of_topics_that_are_equally_likely_the_first_is_the_best():
    given, block = TopicModel.uniform(3, 2), Documents.from_tokens([[0], []], n_words=2)
    best, told = np.empty(2, np.int64), np.empty((2, 3))
    find_best(block.indptr, block.words, block.counts, *given.logs, best, told)
    assert best.tolist() == [0, 0]
    assert told[1, 1] == 0.0
