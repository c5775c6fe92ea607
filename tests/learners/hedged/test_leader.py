"""HedgedLeader: the whole."""

import os
import signal

import numpy as np
import pytest

from spectralleader import Documents, HedgedLeader, TopicModel, Window
from spectralleader.evaluation.matching import matched_accuracy
from spectralleader.learners.hedged.candidates import candidates
from spectralleader.runtime.interrupts import HOLD
from spectralleader.sources.synthetic import easy, non_stochastic, random_problem
from tests.factories import assert_valid, documents, growing, same_state

BEFORE, AFTER = (random_problem(4, 40, lengths=8, seed=seed) for seed in (1, 2))


def learned(learner, problem, n_docs, block_size=50, seed=0):
    n_steps = n_docs // block_size
    for block in problem.blocks(block_size=block_size, n_steps=n_steps, seed=seed):
        learner.learn(block.documents)
    return learner


def test_the_prediction_is_the_mixture_of_the_candidates():
    learner = learned(HedgedLeader(3, n_words=3), easy(), 300)
    block = documents(20, 3)
    shares = learner._panel.mixing.shares
    by_hand = np.log(np.exp(learner._foresee(block).log_probs) @ shares)
    np.testing.assert_allclose(learner.predictive.log_prob(block), by_hand, atol=1e-12)


def test_the_prediction_is_a_distribution_over_documents():
    learner = learned(HedgedLeader(3, n_words=3), easy(), 300)
    tokens = [[a, b] for a in range(3) for b in range(3)]
    log_prob = learner.predictive.log_prob(Documents.from_tokens(tokens, 3))
    assert np.exp(log_prob).sum() == pytest.approx(1.0)


def test_the_total_loss_is_bounded_by_the_best_candidates():
    learner, totals, total = HedgedLeader(3, n_words=3), 0.0, 0.0
    for block in non_stochastic().blocks(block_size=1, n_steps=400, seed=0):
        totals = totals - learner._foresee(block.documents).log_probs[0]
        total -= float(learner.predictive.log_prob(block.documents)[0])
        learner.learn(block.documents)
    assert total <= totals.min() + learner.info.price + 1e-9


def test_an_empty_document_is_certain():
    learner = learned(HedgedLeader(3, n_words=3), easy(), 100)
    block = Documents.from_tokens([[], [0]], 3)
    assert learner.predictive.log_prob(block)[0] == 0.0


def test_predicting_first_changes_nothing():
    a, b = HedgedLeader(3, n_words=3), HedgedLeader(3, n_words=3)
    for block in easy().blocks(block_size=7, n_steps=40, seed=0):
        a.predictive.log_prob(block.documents)
        a.predictive.log_prob(documents(5, 3))
        a.learn(block.documents)
        b.learn(block.documents)
    np.testing.assert_array_equal(a.model.topics, b.model.topics)
    np.testing.assert_array_equal(a._panel.mixing.weights, b._panel.mixing.weights)


def test_topics_are_found_and_keep_their_places():
    learner = learned(HedgedLeader(4, n_words=40), BEFORE, 2000)
    first = learner.model
    second = learned(learner, BEFORE, 4000, seed=1).model
    np.testing.assert_allclose(second.topics, first.topics, atol=0.05)
    sample, labels = BEFORE.truth.sample(2000, 8, seed=9)
    best = matched_accuracy(BEFORE.truth.posterior(sample).argmax(axis=1), labels)
    found = matched_accuracy(second.posterior(sample).argmax(axis=1), labels)
    assert found > best - 0.02


def test_replaced_topics_are_found_within_two_thousand_documents():
    learner = learned(HedgedLeader(4, n_words=40), BEFORE, 6000)
    assert learner.info.leader == "reservoir"
    learned(learner, AFTER, 2000, seed=1)
    assert learner.info.leader == "window"
    assert 6000 < learner.info.since <= 8000
    assert learner.info.drift > 0
    sample, _ = AFTER.truth.sample(2000, 8, seed=9)
    truth = float(AFTER.truth.log_prob(sample).mean())
    assert float(learner.predictive.log_prob(sample).mean()) > truth - 0.6
    assert float(learner.model.log_prob(sample).mean()) > truth - 0.6


def test_shares_are_of_named_candidates_and_sum_to_one():
    info = learned(HedgedLeader(3, n_words=3), easy(), 300).info
    assert list(info.shares) == candidates()
    assert len(set(candidates())) == len(candidates())
    assert sum(info.shares.values()) == pytest.approx(1.0)
    assert info.n_races > 3


def test_documents_without_words_teach_nothing():
    a, b = HedgedLeader(3, n_words=3), HedgedLeader(3, n_words=3)
    a.learn(Documents.from_tokens([[], [0, 1, 1], [], [2]], 3))
    b.learn(Documents.from_tokens([[0, 1, 1], [2]], 3))
    np.testing.assert_array_equal(a.model.topics, b.model.topics)
    assert a.n_docs == b.n_docs == 2


def test_a_small_reservoir_still_makes_valid_models():
    learner = HedgedLeader(3, n_words=5, reservoir_size=2)
    for block in documents(200, 5).blocks(9):
        learner.learn(block)
        assert_valid(learner.model)
    assert isinstance(learner.model, TopicModel)
    assert len(learner._polishing.window) == 2
    assert isinstance(learner._polishing.window, Window)


def test_the_reservoir_holds_at_least_one_document():
    with pytest.raises(ValueError, match="reservoir_size must be a whole number of at least 1"):
        HedgedLeader(3, n_words=5, reservoir_size=0)


def test_a_state_whose_words_are_not_in_the_totals_of_their_topic_is_refused():
    """It would give words chances of 1e24, and documents a probability that is none."""
    learner = HedgedLeader(2, n_words=30)
    learner.learn(documents(50, 30))
    state = learner.to_state()
    for table in state["panel"]["tables"]["tables"]:
        table["words"] = np.repeat([[2e28, 1e25]], 30, axis=0)  # few beside those of the other
        table["totals"] = np.array([[1.0, 1.0], [6e29, 0.0]])
    with pytest.raises(ValueError, match="totals must be the sums of the words"):
        HedgedLeader.from_state(state)


@pytest.mark.skipif(os.name == "nt", reason="signals as Unix has them")
@pytest.mark.parametrize("saves", [False, True])
def test_a_race_is_put_off_when_somebody_asks_to_end_and_caught_up_with(saves):
    """To the bit, also if words are renumbered before that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    learner, untroubled = HedgedLeader(3), HedgedLeader(3)
    n_put_off = 0
    try:
        for block in growing(documents(300, 9), 20):
            untroubled.learn(block)
            with pytest.raises(KeyboardInterrupt), HOLD:  # noqa: PT012
                signal.raise_signal(signal.SIGINT)
                learner.learn(block)
            assert learner.n_docs == untroubled.n_docs
            n_put_off += learner._polishing.n_races < untroubled._polishing.n_races
            if saves:
                learner = HedgedLeader.from_state(learner.to_state())
            if learner.n_docs == 100:
                for one in (learner, untroubled):
                    one.recode(np.arange(one.n_words)[::-1], one.n_words)
    finally:
        signal.signal(signal.SIGINT, before)
    assert n_put_off > 0
    learner.learn(Documents.empty(learner.n_words))
    assert same_state(learner.to_state(), untroubled.to_state())
