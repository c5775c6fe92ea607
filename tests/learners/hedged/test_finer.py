"""FinerTopics: forgetting EMs with many topics, in mini-batches."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp

from spectralleader.em.background import Background
from spectralleader.learners.hedged.finer import MINI_BATCH, FinerTopics, finer_names
from spectralleader.learners.hedged.leader import HedgedLeader
from spectralleader.learners.hedged.settings import SETTINGS
from study.sources.synthetic import random_problem
from tests.factories import documents

SMALL = replace(SETTINGS, n_finer=6, memories=(50.0, 400.0))
NAMES = finer_names(SMALL)
D = 12


def background(n_docs=40):
    known = Background(D)
    known.add(documents(n_docs, D))
    return known


def learn(finer, block, known):
    finer.learn(block, known, finer.evaluate(block, known))


def arrays(finer):
    stacked = finer.stacked
    return [stacked.statistics.words, stacked.statistics.totals, stacked.scales]


def trained(seed=0, n_docs=60):
    finer, known = FinerTopics(D, seed, SMALL), background()
    learn(finer, documents(n_docs, D, seed=seed), known)
    return finer, known


def by_hand(finer, name, block, known):
    """P(topic | document) with the first strength, as formulas."""
    view = finer.stacked.view(name)
    words, totals = view.scale * view.words, view.scale * view.totals
    strength = SMALL.strengths[0] * D
    topics = (words + strength * known.prior[:, None]) / (totals[1] + strength)
    logs = block.as_floats() @ np.log(topics) + np.log(totals[0] + 1 / SMALL.n_finer)
    return np.exp(logs - logsumexp(logs, axis=1, keepdims=True))


def test_a_step_is_one_of_em_that_forgets():
    finer, known = trained()
    block = documents(MINI_BATCH, D, seed=5)
    for name, memory in zip(NAMES, SMALL.memories, strict=True):
        posterior, before = by_hand(finer, name, block, known), finer.stacked.view(name)
        kept = (1 - 1 / memory) ** MINI_BATCH
        gain = (1 - kept) * memory / MINI_BATCH
        words = kept * before.scale * before.words + gain * block.as_floats().T @ posterior
        again = FinerTopics.from_state(finer.to_state(), n_words=D, seed=0, settings=SMALL)
        learn(again, block, known)
        after = again.stacked.view(name)
        assert_allclose(after.scale * after.words, words, rtol=1e-9, atol=1e-12)


def test_a_large_block_is_learned_in_mini_batches():
    (large, known), (small, _) = trained(), trained()
    block = documents(3 * MINI_BATCH + 4, D, seed=5)
    learn(large, block, known)
    for start in range(0, len(block), MINI_BATCH):
        learn(small, block[start : start + MINI_BATCH], known)
    for a, b in zip(arrays(large), arrays(small), strict=True):
        assert_array_equal(a, b)


@pytest.mark.parametrize("size", [1, 4, 7])
def test_the_first_documents_are_distributed_at_random(size):
    """As many as there are topics: otherwise equal topics would stay equal."""
    finer, known = FinerTopics(D, 3, SMALL), background()
    block = documents(SMALL.n_finer, D)
    for start in range(0, len(block), size):
        learn(finer, block[start : start + size], known)
    assert finer.n_docs == SMALL.n_finer
    words = finer.stacked.view(NAMES[0]).words
    assert np.abs(words - words.mean(axis=1, keepdims=True)).max() > 0.1
    # the next one is not: its posterior is that of EM
    test_a_step_is_one_of_em_that_forgets()


def test_seeds_differ_and_the_same_seed_does_not():
    same, again, other = trained(1)[0], trained(1)[0], FinerTopics(D, 2, SMALL)
    learn(other, documents(60, D, seed=1), background())
    assert_array_equal(arrays(same)[0], arrays(again)[0])
    assert not np.array_equal(arrays(same)[0], arrays(other)[0])


def test_resumed_it_continues_bit_for_bit_also_among_the_first_documents():
    for n_docs in (3, 60):
        finer, known = trained(n_docs=n_docs)
        again = FinerTopics.from_state(finer.to_state(), n_words=D, seed=0, settings=SMALL)
        for one in (finer, again):
            learn(one, documents(20, D, seed=9), known)
        for a, b in zip(arrays(finer), arrays(again), strict=True):
            assert_array_equal(a, b)


def test_more_topics_than_two_predict_a_problem_of_six_better():
    truth = random_problem(6, D, lengths=8, seed=3).truth
    stream, _ = truth.sample(4000, 8, seed=1)
    losses = []
    for n_finer in (2, 12):
        finer, known = FinerTopics(D, 0, replace(SMALL, n_finer=n_finer)), Background(D)
        for block in stream[:3000].blocks(100):
            learn(finer, block, known)
            known.add(block)
        losses.append(-finer.evaluate(stream[3000:], known).log_probs[:, 2].mean())
    # the truth has 0.3 nats less than two topics here; half of it, as topics are still forgotten
    assert losses[1] < losses[0] - 0.1


def test_the_learner_hands_down_its_seed_also_when_it_is_loaded():
    leader, block = HedgedLeader(2, n_words=D, seed=5), documents(20, D)
    leader.learn(block[:3])
    again = HedgedLeader.from_state(leader.to_state())
    for one in (leader, again):
        one.learn(block[3:])
    assert_array_equal(arrays(again._experts.finer)[0], arrays(leader._experts.finer)[0])
