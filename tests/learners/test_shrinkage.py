"""Shrinkage by the observable loss."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader.evaluation.metrics import tensor_losses
from spectralleader.learners.shrinkage import LEVELS, Shrinkage, norms, shrink
from spectralleader.model import TopicModel
from spectralleader.streams.block import Block
from spectralleader.streams.synthetic import random_problem
from tests.factories import assert_valid, blocks, model, same_state


@given(block=blocks(5), seed=st.integers(0, 20))
def test_judging_adds_the_papers_loss_of_every_level(block, seed):
    found = model(3, 5, seed=seed)
    shrinkage = Shrinkage()
    shrinkage.renew(found)
    shrinkage.judge(block)
    long = block[block.lengths >= 3]
    for level, total in zip(LEVELS, shrinkage.totals, strict=True):
        losses = tensor_losses(shrink(found, level), Block(long))
        assert total == pytest.approx((losses - 1.0).sum(), abs=1e-9)


@given(seed=st.integers(0, 50), k=st.integers(1, 4), d=st.integers(1, 9))
def test_a_shrunk_model_is_a_model_with_the_norm_that_is_said(seed, k, d):
    found = model(k, d, seed=seed)
    expected = [shrink(found, level).norm() for level in LEVELS]
    np.testing.assert_allclose(norms(found, found.weights @ found.topics, d), expected, rtol=1e-9)
    for level in LEVELS:
        assert_valid(shrink(found, level))


def test_a_good_model_is_left_alone_and_a_bad_one_shrunk():
    problem = random_problem(4, 30, lengths=6, seed=0)
    truth, other = problem.truth, random_problem(4, 30, seed=1).truth
    sample, _ = truth.sample(3000, 6, seed=2)
    good, bad = Shrinkage(), Shrinkage()
    good.renew(truth)
    bad.renew(other)
    good.judge(sample)
    bad.judge(sample)
    assert good.level == 0.0
    assert bad.level == LEVELS[-1]
    assert good.shrink(truth) is truth


def test_before_any_judge_and_among_equals_the_safest_level_is_used():
    assert Shrinkage().level == LEVELS[-1]
    flat = Shrinkage()
    flat.judge(TopicModel.uniform(2, 4).sample(50, 5)[0])  # without a reference
    flat.renew(TopicModel.uniform(2, 4))
    flat.judge(TopicModel.uniform(2, 4).sample(50, 2)[0])
    assert flat.level == LEVELS[-1]  # documents of 2 words judge nothing


def test_blocks_judge_as_their_documents_do_and_the_state_goes_on():
    found = model(3, 5)
    sample, _ = found.sample(100, 4)
    a, b = Shrinkage(), Shrinkage()
    a.renew(found)
    b.renew(found)
    a.judge(sample)
    b.judge(sample[:30])
    b = Shrinkage.from_state(b.to_state(), 3, 5)
    b.judge(sample[30:])
    np.testing.assert_allclose(a.totals, b.totals)
    assert same_state(a.to_state(), Shrinkage.from_state(a.to_state(), 3, 5).to_state())


def test_past_losses_are_discounted_when_the_reference_is_renewed():
    shrinkage = Shrinkage()
    shrinkage.renew(model(3, 5))
    shrinkage.judge(model(3, 5).sample(50, 4)[0])
    before = shrinkage.totals.copy()
    shrinkage.renew(model(3, 5, seed=1), in_common=0.5)
    np.testing.assert_allclose(shrinkage.totals, before / np.sqrt(2))
    shrinkage.renew(model(3, 5, seed=1), in_common=0.0)
    assert shrinkage.level == LEVELS[-1]


def test_words_that_the_reference_does_not_know_are_ruled_out_by_it():
    found = model(3, 5)
    wide = TopicModel(found.weights, np.pad(found.topics, ((0, 0), (0, 3))))
    sample, _ = TopicModel.uniform(1, 8).sample(50, 5)
    narrow, told = Shrinkage(), Shrinkage()
    narrow.renew(found)
    told.renew(wide)
    narrow.judge(sample)
    told.judge(sample)
    np.testing.assert_allclose(narrow.totals, told.totals)
