import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import (
    Documents,
    Everything,
    HedgedLeader,
    Reservoir,
    SpectralLeader,
    StepwiseEM,
    Window,
)
from spectralleader.em.statistics import Statistics, log_prior, with_words
from spectralleader.testing import check_learner
from study.learners import (
    Bayes,
    HedgedModel,
    IncrementalEM,
    MiniBatchEM,
    Rebalanced,
    WithoutPool,
    WithoutSpectral,
)
from tests.factories import blocks, documents, model

ROUNDING = 1e-9  # relative to sums of up to a hundred logarithms


def test_incremental_em_keeps_the_laws():
    check_learner(IncrementalEM)


def unlimited(**parameters):
    return IncrementalEM(3, n_words=5, sample=Everything(n_words=5), **parameters)


def free_energy(posterior, statistics, pseudo_count):
    """The free energy of topic posteriors, (n_docs, K), and of the model that they lead to.

    ``sum_i sum_k r_ik (log P(topic k, document i) - log r_ik)`` and the prior's part, where the
    statistics are those of the documents under r (and of whatever counts beside them). It is at
    most the log-probability of the documents, and equal to it where r are the true posteriors.
    """
    maximised = statistics.maximise(pseudo_count)
    expected = statistics.totals[0] @ np.log(maximised.weights)
    expected += np.vdot(statistics.words.T, np.log(maximised.topics))
    entropy = -(posterior * np.log(np.maximum(posterior, 1e-300))).sum()  # 0 log 0 = 0
    return statistics.scale * expected + entropy + log_prior(maximised, pseudo_count)


def energy_of(learner):
    return free_energy(learner._posterior, learner._statistics, learner._pseudo_count)


@given(stream=st.lists(blocks(), max_size=3), size=st.integers(1, 5), seed=st.integers(0, 9))
def test_the_free_energy_rises_on_every_update(stream, size, seed):
    learner = unlimited(n_revisits=0, seed=seed)
    for block in stream:
        learner.learn(block)
    start = before = energy_of(learner)
    for _ in range(0, len(learner.sample), size):  # one full pass
        learner.revisit(size)
        after = energy_of(learner)
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
    kept = learner._posterior
    np.testing.assert_allclose(kept, learner.model.posterior(remembered), atol=1e-6)


def test_revisiting_nothing_changes_nothing():
    learner = unlimited()
    start = learner.model
    learner.revisit(10)
    learner.learn(Documents.from_tokens([[], []], n_words=5))
    assert learner.model is start
    with pytest.raises(ValueError, match="n_revisits must be an integer of at least 0"):
        IncrementalEM(3, n_words=5, n_revisits=-1)


def test_a_mini_batch_is_a_step_of_em():
    stream = documents(25, 5)
    learner = MiniBatchEM(3, n_words=5, mini_batch=10, step_power=0.6)
    learner.learn(stream)
    expected = StepwiseEM(3, n_words=5, step_power=0.6)
    for part in stream.blocks(10):
        expected.learn(part)
    assert learner.n_updates == 3
    np.testing.assert_array_equal(learner.model.topics, expected.model.topics)


def test_the_model_of_hedged_leader_predicts_alone():
    stream = documents(40, 5)
    learner, whole = HedgedModel(3, n_words=5), HedgedLeader(3, n_words=5)
    for one in (learner, whole):
        one.learn(stream)
    np.testing.assert_array_equal(learner.predictive.log_prob(stream), whole.model.log_prob(stream))
    assert (learner.predictive.log_prob(stream) != whole.predictive.log_prob(stream)).any()


def test_without_the_pool_experts_are_weighted_by_their_likelihoods():
    rng, mixing = np.random.default_rng(0), Bayes(3)
    log_probs = np.log(rng.dirichlet(np.ones(3), size=20))
    expected = np.full(3, 1 / 3)
    for t, row in enumerate(log_probs, start=1):
        np.testing.assert_allclose(mixing.log_prob(row[None]), np.log(expected @ np.exp(row)))
        mixing.update(row[None])
        posterior = expected * np.exp(row) / (expected @ np.exp(row))
        expected = posterior * (1 - 1 / (t + 1)) + 1 / (t + 1) / 3
    assert mixing.weights[-1] == 0.0


@pytest.mark.parametrize("part", [WithoutSpectral, WithoutPool])
def test_a_part_of_hedged_leader_can_be_left_out(part):
    stream = documents(300, 8, seed=1)
    learner, whole = part(3, n_words=8), HedgedLeader(3, n_words=8)
    for one in (learner, whole):
        for block in stream.blocks(20):
            one.learn(block)
    assert (learner.predictive.log_prob(stream) != whole.predictive.log_prob(stream)).any()


def test_no_race_without_a_spectral_start_has_one(monkeypatch):
    def fail(*_):
        raise AssertionError("a spectral start")

    monkeypatch.setattr("spectralleader.learners.hedged.race.spectral_start", fail)
    WithoutSpectral(3, n_words=8).learn(documents(300, 8))
    with pytest.raises(AssertionError, match="a spectral start"):
        HedgedLeader(3, n_words=8).learn(documents(300, 8))


@pytest.mark.parametrize("n_words", [5, 30])  # with and without an exact basis
def test_the_constant_of_eq_11_is_one_by_default(n_words):
    stream = documents(200, n_words)
    same, other, expected = (
        Rebalanced(3, n_words=n_words, factor=1.0),
        Rebalanced(3, n_words=n_words, factor=3.0),
        SpectralLeader(3, n_words=n_words),
    )
    for one in (same, other, expected):
        np.testing.assert_array_equal(one.model.topics, 1 / n_words)
        one.learn(stream)
    np.testing.assert_allclose(same.model.topics, expected.model.topics, atol=1e-12)
    assert other.model.topics.min() > expected.model.topics.min()
    np.testing.assert_allclose(other.model.topics.sum(axis=1), 1.0)
