import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import StepwiseEM
from spectralleader.em.statistics import Statistics, with_words
from study.learners.variance_reduced_em import Anchor, VarianceReducedEM
from study.sources.synthetic import hard
from tests.factories import blocks, documents, model


@given(block=blocks(), seed=st.integers(0, 9))
def test_the_estimate_of_all_anchored_documents_is_exact(block, seed):
    """Drawing each once gives the full statistics: so any draw is unbiased."""
    start = Statistics.one_document(model(3, 5), 4.0)
    anchor = Anchor.make(block, model(3, 5, seed=seed), start)
    elsewhere = model(3, 5, seed=seed + 1)
    moved = anchor.statistics.copy()
    change = elsewhere.posterior(block) - anchor.posterior
    moved.add(block, change, 1.0 / (block.n_docs + 1))
    expected = Anchor.make(block, elsewhere, start).statistics
    for name in ("totals", "words"):
        a, b = (getattr(s, name) * s.scale for s in (moved, expected))
        np.testing.assert_allclose(a, b, atol=1e-12)


def test_the_first_step_goes_to_the_anchor():
    block = with_words(documents(10, 5))
    learner = VarianceReducedEM(3, n_words=5, step_size=1.0, n_revisits=1)
    start = learner.model
    learner.learn(block)
    one = Statistics.one_document(start, float(block.lengths.mean()))
    expected = Anchor.make(block, one.maximise(learner.smoothing), one).statistics
    np.testing.assert_allclose(
        learner.model.topics, expected.maximise(learner.smoothing).topics, atol=1e-12
    )


def test_the_noise_of_a_constant_step_vanishes():
    """At the optimum of what is remembered it stands still, and stepwise EM does not."""
    block, _ = hard().truth.sample(300, 3, seed=0)
    learner = VarianceReducedEM(3, n_words=3, step_size=0.2)
    learner.learn(block)
    for _ in range(2000):
        learner._step(30)
    settled = learner._statistics.maximise(learner.smoothing)
    for _ in range(10):
        learner._step(30)
    moved = np.abs(learner._statistics.maximise(learner.smoothing).topics - settled.topics).max()

    stepwise = StepwiseEM(3, n_words=3, start=settled, step_power=0.7, step_offset=10.0)  # 0.2
    stepwise.learn(block[:30])
    assert moved < 1e-3
    assert np.abs(stepwise.model.topics - settled.topics).max() > 10 * moved


def test_an_epoch_ends_after_as_many_draws_as_documents():
    learner = VarianceReducedEM(3, n_words=5, n_revisits=1)
    anchored = []
    for block in with_words(documents(60, 5))[:32].blocks(1):
        learner.learn(block)
        anchored.append(learner._anchor.documents.n_docs)
    assert sorted(set(anchored)) == [1, 2, 4, 8, 16, 32]


@pytest.mark.parametrize("step_size", [0.0, 1.5, np.nan])
def test_a_step_size_is_above_zero_and_at_most_one(step_size):
    with pytest.raises(ValueError, match="step_size must be above 0 and at most 1"):
        VarianceReducedEM(3, n_words=5, step_size=step_size)
    with pytest.raises(ValueError, match="n_revisits must be an integer of at least 1"):
        VarianceReducedEM(3, n_words=5, n_revisits=0)
