import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import Documents, Everything, Reservoir, StepwiseEM, Window
from spectralleader.em.statistics import Statistics, log_prior, with_words
from study.learners.incremental_em import IncrementalEM, free_energy
from tests.factories import blocks, documents, model

ROUNDING = 1e-9  # relative to sums of up to a hundred logarithms


def unlimited(**parameters):
    return IncrementalEM(3, n_words=5, sample=Everything(n_words=5), **parameters)


@given(stream=st.lists(blocks(), max_size=3), size=st.integers(1, 5), seed=st.integers(0, 9))
def test_the_free_energy_rises_on_every_update(stream, size, seed):
    learner = unlimited(n_revisits=0, seed=seed)
    for block in stream:
        learner.learn(block)
    start = before = learner.free_energy
    for _ in range(0, len(learner.sample), size):  # one full pass
        learner.revisit(size)
        after = learner.free_energy
        assert after >= before - ROUNDING * max(1.0, abs(before))
        before = after
    assert before >= start - ROUNDING * max(1.0, abs(start))


@given(block=blocks(), smoothing=st.sampled_from([1e-6, 1e-2]), seed=st.integers(0, 9))
def test_the_free_energy_is_the_sum_over_documents_and_topics(block, smoothing, seed):
    posterior = np.random.default_rng(seed).dirichlet(np.ones(3), size=block.n_docs)
    statistics = Statistics.zero(3, 5)
    statistics.add(block, posterior)
    theta = statistics.maximise(smoothing)
    log_joint = np.log(theta.weights) + block.to_matrix().toarray() @ np.log(theta.topics).T
    expected = (posterior * (log_joint - np.log(posterior))).sum() + log_prior(theta, smoothing)
    actual = free_energy(posterior, statistics, smoothing)
    np.testing.assert_allclose(actual, expected, rtol=1e-9)
    bound = theta.log_prob(block).sum() + log_prior(theta, smoothing)
    assert actual <= bound + ROUNDING * abs(bound)


@given(stream=st.lists(blocks(max_docs=1), max_size=9))
def test_without_revisits_it_is_stepwise_em_of_power_one(stream):
    # stepwise EM takes its first E-step at the start, this at the start with its smoothing
    start, smoothing = model(3, 5), 1e-13
    a = unlimited(start=start, smoothing=smoothing, n_revisits=0)
    b = StepwiseEM(3, n_words=5, start=start, smoothing=smoothing, step_power=1.0)
    for block in stream:
        a.learn(block)
        b.learn(block)
    np.testing.assert_allclose(a.model.topics, b.model.topics, atol=1e-9)
    np.testing.assert_allclose(a.model.weights, b.model.weights, atol=1e-9)


@pytest.mark.parametrize("sample", [Reservoir(20, n_words=5), Window(20, n_words=5)])
def test_documents_that_left_are_taken_out_of_the_statistics(sample):
    learner = IncrementalEM(3, n_words=5, sample=sample)
    start = learner.model
    stream = with_words(documents(400, 5))
    for block in stream.blocks(7):
        learner.learn(block)
    expected = Statistics.one_document(start, float(stream[:7].lengths.mean()))
    expected.add(sample.documents, learner._posterior[:20])
    np.testing.assert_allclose(learner._statistics.words, expected.words, atol=1e-10)
    np.testing.assert_allclose(learner._statistics.totals, expected.totals, atol=1e-10)


def test_revisits_lead_to_the_posteriors_of_the_model():
    learner = unlimited()
    learner.learn(documents(30, 5))
    for _ in range(5000):
        learner.revisit(7)
    remembered = learner.sample.documents
    kept = learner._posterior[: remembered.n_docs]
    np.testing.assert_allclose(kept, learner.model.posterior(remembered), atol=1e-6)


def test_revisiting_nothing_changes_nothing():
    learner = unlimited()
    start = learner.model
    learner.revisit(10)
    learner.learn(Documents.from_tokens([[], []], n_words=5))
    assert learner.model is start
    with pytest.raises(ValueError, match="n_revisits must be an integer of at least 0"):
        IncrementalEM(3, n_words=5, n_revisits=-1)
