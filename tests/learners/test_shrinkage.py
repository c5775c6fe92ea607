"""Shrinkage by the observable loss."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import Documents, SpectralLeader, merge
from spectralleader.evaluation.metrics import tensor_losses
from spectralleader.learners.spectral_leader.anchored_estimator import AnchoredEstimator
from spectralleader.learners.spectral_leader.arrange import arrange
from spectralleader.learners.spectral_leader.shrinkage import (
    CROSS_VALIDATED,
    LEVELS,
    N_PARTS,
    SAFEST,
    choose_level,
    judge,
    norms,
    split,
)
from spectralleader.models import TopicModel
from spectralleader.samples import Everything
from spectralleader.sources.block import Block
from spectralleader.spectral.algorithm1 import valid_model
from study.sources.synthetic import hard, random_problem, switching
from tests.factories import assert_valid, blocks, documents, model


def chosen(found, sample):
    """Return the level chosen for one model by a sample that it does not know."""
    return choose_level(split(sample), [found] * N_PARTS)


@given(block=blocks(5), seed=st.integers(0, 20))
def test_judging_adds_the_papers_loss_of_every_level(block, seed):
    found = model(3, 5, seed=seed)
    long = block[block.lengths >= 3]
    for level, total in zip(LEVELS, judge(found, block), strict=True):
        losses = tensor_losses(arrange(found, None, level), Block(long))
        assert total == pytest.approx((losses - 1.0).sum(), abs=1e-9)


@given(seed=st.integers(0, 50), k=st.integers(1, 4), d=st.integers(1, 9))
def test_a_shrunk_model_is_a_model_with_the_norm_that_is_said(seed, k, d):
    found = model(k, d, seed=seed)
    expected = [arrange(found, None, level).norm() for level in LEVELS]
    np.testing.assert_allclose(norms(found), expected, rtol=1e-9)
    for level in LEVELS:
        assert_valid(arrange(found, None, level))


@given(block=blocks(5))
def test_the_parts_are_the_sample_in_its_order_and_of_nearly_one_size(block):
    parts = split(block)
    assert Documents.concatenate(parts) == block
    sizes = [part.n_docs for part in parts]
    assert max(sizes) - min(sizes) <= 1


def test_a_good_model_is_left_alone_and_a_bad_one_shrunk():
    truth, other = (random_problem(4, 30, lengths=6, seed=seed).truth for seed in (0, 1))
    sample, _ = truth.sample(3000, 6, seed=2)
    assert chosen(truth, sample) == 0.0
    assert chosen(other, sample) == SAFEST


def test_before_any_judge_and_among_equals_the_safest_level_is_used():
    flat = TopicModel.uniform(2, 4)
    assert shrunk(2, n_words=4).shrinkage_level == SAFEST
    assert chosen(flat, flat.sample(50, 2)[0]) == SAFEST  # 2 words judge nothing
    assert chosen(flat, flat.sample(50, 5)[0]) == SAFEST


def test_the_level_is_chosen_after_the_block_in_which_the_sample_has_doubled():
    block, _ = hard().truth.sample(100, 3, seed=0)
    leader, levels = shrunk(3, n_words=3), []
    for start, end in ((0, 40), (40, 60), (60, 100)):  # doubled at 1, not at 64, then at 64
        leader.learn(block[start:end])
        levels.append(leader.shrinkage_level)
    expected = shrunk(3, n_words=3)
    expected.learn(block)
    assert levels[0] == levels[1]
    assert levels[2] == expected.shrinkage_level


def shrunk(n_topics, **parameters):
    return SpectralLeader(n_topics, shrinkage=CROSS_VALIDATED, **parameters)


def test_each_part_is_judged_with_the_model_of_the_others():
    sample, _ = random_problem(3, 60, lengths=6, seed=0).truth.sample(300, 6, seed=1)
    leader = shrunk(3, n_words=60, sample=Everything())
    leader.learn(sample)
    parts = split(sample)
    for i, found in enumerate(leader._anchored.models_without(parts)):
        other = valid_model(Documents.concatenate(parts[:i] + parts[i + 1 :]), 3)
        # in the basis of the whole sample: near, not equal
        assert found.distance(other) < 0.05 * found.norm()


def test_a_sample_of_few_or_short_documents_or_words_is_shrunk_to_a_model():
    for tokens in ([[0]], [[0, 1]], [[0, 1, 1]], [[0, 1, 1], [1, 1]], [[0], [], [1, 1, 1]]):
        leader = shrunk(5, n_words=2)
        leader.learn(Documents.from_tokens(tokens, n_words=2))
        assert_valid(leader.model)
        assert 0.0 < leader.shrinkage_level <= LEVELS[-1]


def test_topics_that_come_one_at_a_time_do_not_ask_for_much_shrinkage():
    # judged by documents of the next topic alone, the largest level always led
    leader = shrunk(3, n_words=3)
    for block in switching().blocks(block_size=1000, n_steps=5, seed=0):
        leader.learn(block.documents)
    assert leader.shrinkage_level < 0.1


def test_it_is_off_unless_asked_for_and_then_no_work_is_done_for_it(monkeypatch):
    block, _ = hard().truth.sample(60, 3, seed=0)
    asked = shrunk(3, n_words=3)
    asked.learn(block)
    monkeypatch.setattr(AnchoredEstimator, "models_without", None)
    plain = SpectralLeader(3, n_words=3)
    plain.learn(block)
    assert plain.model is plain.predictive
    assert plain.shrinkage_level == 0.0 < asked.shrinkage_level
    assert asked.model.distance(asked.predictive) > 0.0
    aligned = asked.predictive.aligned_to(plain.model)
    np.testing.assert_allclose(aligned.topics, plain.model.topics, atol=1e-12)


@pytest.mark.parametrize("setting", [None, CROSS_VALIDATED])
def test_the_setting_is_saved_and_must_be_the_same_to_merge(setting):
    leaders = [SpectralLeader(2, n_words=6, shrinkage=setting) for _ in range(2)]
    for leader in leaders:
        leader.learn(documents(60))
    loaded = SpectralLeader.from_state(leaders[0].to_state())
    assert loaded.shrinkage == setting
    assert loaded.shrinkage_level == leaders[0].shrinkage_level
    np.testing.assert_array_equal(loaded.model.topics, leaders[0].model.topics)
    assert merge(*leaders).shrinkage == setting
    other = SpectralLeader(2, n_words=6, shrinkage=CROSS_VALIDATED if setting is None else None)
    with pytest.raises(ValueError, match="shrinkage"):
        merge(leaders[0], other)


@pytest.mark.parametrize("setting", [0.5, True, "much"])
def test_another_shrinkage_is_refused(setting):
    with pytest.raises(ValueError, match="shrinkage must be None or 'cross-validated'"):
        SpectralLeader(2, n_words=6, shrinkage=setting)
