import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import Documents, StepwiseEM, TopicModel
from spectralleader.em.statistics import em_step, with_words
from study.judging import Block, judge, log_loss, running_averages
from study.sources.synthetic import PROBLEMS
from tests.factories import assert_valid, blocks, documents, model


@given(block=blocks(), seed=st.integers(0, 9))
def test_one_block_with_step_one_is_one_iteration_of_batch_em(block, seed):
    learner = StepwiseEM(3, n_words=5, seed=seed, step_offset=1.0)
    start, taught = learner.model, with_words(block)
    learner.learn(block)
    expected = em_step(taught, start, learner.smoothing) if taught.n_docs else start
    np.testing.assert_array_equal(learner.model.topics, expected.topics)
    np.testing.assert_array_equal(learner.model.weights, expected.weights)


def learn_plainly(stream, start, power, smoothing):
    """Stepwise EM on dense arrays, as method.md section 7 writes it."""
    weights, topics, mu = start.weights, start.topics, None
    for k, block in enumerate(stream):
        X = block.to_matrix().toarray()
        joint = weights * np.exp(X @ np.log(topics).T)
        posterior = joint / joint.sum(axis=1, keepdims=True)
        if mu is None:
            length = X.sum() / len(X)
            mu = [weights, weights[:, None] * topics * length]
        eta = (k + 2) ** -power
        new = [posterior.mean(axis=0), posterior.T @ X / len(X)]
        mu = [(1 - eta) * old + eta * s for old, s in zip(mu, new, strict=True)]
        weights, topics = mu[0] + smoothing, mu[1] + smoothing
        weights, topics = weights / weights.sum(), topics / topics.sum(axis=1, keepdims=True)
    return weights, topics


@given(
    stream=st.lists(blocks(), min_size=1, max_size=6),
    power=st.floats(0.5, 1.0),
    smoothing=st.sampled_from([1e-5, 1e-2]),
)
def test_sparse_and_lazy_equals_dense_and_plain(stream, power, smoothing):
    start = model(3, 5)
    learner = StepwiseEM(3, n_words=5, step_power=power, smoothing=smoothing, start=start)
    for block in stream:
        learner.learn(block)
    taught = [part for part in map(with_words, stream) if part.n_docs]
    weights, topics = learn_plainly(taught, start, power, smoothing)
    np.testing.assert_allclose(learner.model.weights, weights, atol=1e-9)
    np.testing.assert_allclose(learner.model.topics, topics, atol=1e-9)


def draw_streams(problem, block_size, n_steps):
    """Ten streams, drawn in one large block each: that is faster and gives the same documents."""
    n_docs = block_size * n_steps
    for seed in range(10):
        whole = next(PROBLEMS[problem]().blocks(block_size=n_docs, n_steps=1, seed=seed))
        yield [Block(block) for block in whole.documents.blocks(block_size)]


def final_loss(learner, stream):
    *_, last = running_averages(judge(learner, stream, {"L1": log_loss}))
    return last["L1"]


@pytest.mark.parametrize(
    ("problem", "block_size", "n_steps", "expected"),
    [
        pytest.param("easy", 1, 1000, (2.302, 2.191, 2.191), id="easy"),
        pytest.param("hard", 1, 1000, (3.113, 3.071, 3.076), id="hard"),
        pytest.param("hard", 100, 100, (3.009, 3.018, 3.030), id="hard in blocks of 100"),
        pytest.param("non-stochastic", 1, 1000, (2.939, 3.027, 3.067), id="non-stochastic"),
    ],
)
def test_the_log_loss_of_the_papers_problems_is_as_expected(problem, block_size, n_steps, expected):
    streams = list(draw_streams(problem, block_size, n_steps))
    losses = [
        final_loss(StepwiseEM(3, n_words=3, step_power=power, seed=seed), stream)
        for power in (0.5, 0.7, 0.9)
        for seed, stream in enumerate(streams)
    ]
    # Means over 10 runs, here and there, with a standard error of about 0.012 each. The tightest is
    # easy at 0.5, which is 0.026 below its figure here, 0.032 over 60 seeds: the figure is a high
    # draw, and other seeds may miss it by more than 0.03, on the better side.
    np.testing.assert_allclose(np.reshape(losses, (3, 10)).mean(axis=1), expected, atol=0.03)


def test_renaming_words_and_the_start_renames_the_model():
    order, start = np.random.default_rng(0).permutation(6), model(3, 6)
    a = StepwiseEM(3, n_words=6, start=start)
    b = StepwiseEM(3, n_words=6, start=TopicModel(start.weights, start.topics[:, order]))
    for block in documents(100, 6).blocks(7):
        a.learn(block)
        b.learn(Documents.from_matrix(block.to_matrix().toarray()[:, order]))
    np.testing.assert_allclose(a.model.topics[:, order], b.model.topics, rtol=1e-9)
    np.testing.assert_allclose(a.model.weights, b.model.weights, rtol=1e-9)


def test_documents_without_words_teach_nothing():
    with_empty, without = StepwiseEM(3, n_words=5), StepwiseEM(3, n_words=5)
    empty = Documents.from_tokens([[], []], n_words=5)
    for block in documents(40, 5).blocks(8):
        with_empty.learn(empty)
        with_empty.learn(Documents.concatenate([empty, block]))
        without.learn(block)
    np.testing.assert_array_equal(with_empty.model.topics, without.model.topics)


def test_the_model_is_the_start_until_the_first_document():
    start = TopicModel([0.5, 0.5], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # rules the last word out
    learner = StepwiseEM(2, n_words=3, start=start)
    assert learner.model is start
    assert (StepwiseEM.from_state(learner.to_state()).model.topics == start.topics).all()
    learner.learn(Documents.from_tokens([[2, 2], [0, 0]], n_words=3))
    assert_valid(learner.model)


def test_a_long_stream_of_one_word_stays_valid():
    learner = StepwiseEM(3, n_words=1000, step_power=0.5)
    block = Documents.from_tokens([[7] * 5], n_words=1000)
    for _ in range(20_000):  # the lazy factor falls to 10^-122: it is multiplied out on the way
        learner.learn(block)
    assert_valid(learner.model)
    assert learner.model.log_prob(block)[0] > -0.1


def test_ten_thousand_words_do_not_underflow():
    learner = StepwiseEM(2, n_words=3)
    for _ in range(5):
        learner.learn(Documents.from_tokens([[0] * 10_000, [1] * 10_000], n_words=3))
    assert_valid(learner.model)


@pytest.mark.parametrize("power", [0.49, 1.01, np.nan])
def test_a_step_power_is_from_half_to_one(power):
    with pytest.raises(ValueError, match=r"step_power must be from 0\.5 to 1"):
        StepwiseEM(2, n_words=3, step_power=power)


def test_a_step_offset_is_at_least_one():
    with pytest.raises(ValueError, match="step_offset must be a number of at least 1"):
        StepwiseEM(2, n_words=3, step_offset=0.5)
