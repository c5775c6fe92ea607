"""HedgedLeader: the whole."""

import numpy as np
import pytest

from spectralleader import Documents, HedgedLeader, TopicModel, Window
from spectralleader.evaluation.metrics import matched_accuracy
from spectralleader.learners.events import EventKind
from spectralleader.learners.hedged.experts import Table
from spectralleader.learners.hedged.settings import SETTINGS
from spectralleader.models.matching import best_order
from study.sources.synthetic import easy, non_stochastic, random_problem
from tests.factories import assert_valid, documents, same_state

BEFORE, AFTER = (random_problem(4, 40, lengths=8, seed=seed) for seed in (1, 2))


def learned(learner, problem, n_docs, block_size=50, seed=0):
    n_steps = n_docs // block_size
    for block in problem.blocks(block_size=block_size, n_steps=n_steps, seed=seed):
        learner.learn(block.documents)
    return learner


def test_the_prediction_is_the_mixture_of_the_experts():
    learner = learned(HedgedLeader(3, n_words=3), easy(), 300)
    block = documents(20, 3)
    shares = learner._mixing.shares
    by_hand = np.log(np.exp(learner._expert_likelihoods(block).log_probs) @ shares)
    np.testing.assert_allclose(learner.predictive.log_prob(block), by_hand, atol=1e-12)


def test_it_is_empty_until_a_document_with_words():
    learner = HedgedLeader(2, n_words=3)
    learner.learn(Documents.from_tokens([[], []], 3))
    assert (learner.is_empty, learner.n_docs) == (True, 0)
    learner.learn(Documents.from_tokens([[], [1]], 3))
    assert (learner.is_empty, learner.n_docs) == (False, 1)


def test_the_prediction_is_a_distribution_over_documents():
    learner = learned(HedgedLeader(3, n_words=3), easy(), 300)
    tokens = [[a, b] for a in range(3) for b in range(3)]
    log_prob = learner.predictive.log_prob(Documents.from_tokens(tokens, 3))
    assert np.exp(log_prob).sum() == pytest.approx(1.0)


def test_the_total_loss_is_bounded_by_the_best_experts():
    learner, totals, total = HedgedLeader(3, n_words=3), 0.0, 0.0
    for block in non_stochastic().blocks(block_size=1, n_steps=400, seed=0):
        totals = totals - learner._expert_likelihoods(block.documents).log_probs[0]
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
    np.testing.assert_array_equal(a._mixing.weights, b._mixing.weights)


def test_topics_are_found_and_keep_their_places():
    learner = learned(HedgedLeader(4, n_words=40), BEFORE, 2000)
    first = learner.model
    second = learned(learner, BEFORE, 4000, seed=1).model
    np.testing.assert_allclose(second.topics, first.topics, atol=0.05)
    sample, labels = BEFORE.truth.sample(2000, 8, seed=9)
    best = matched_accuracy(BEFORE.truth.posterior(sample).argmax(axis=1), labels)
    found = matched_accuracy(second.posterior(sample).argmax(axis=1), labels)
    assert found > best - 0.02


def test_replaced_topics_are_noticed_and_found_within_two_thousand_documents():
    learner = learned(HedgedLeader(4, n_words=40), BEFORE, 24_000)
    assert learner.settles_at is None
    assert learner.drifts_since is None
    learned(learner, AFTER, 2000, seed=1)
    assert learner.drifts_since == pytest.approx(24_000, abs=200)
    (event,) = learner.events
    assert event.n_docs == learner.drifts_since
    assert event.kind is EventKind.CHANGED
    sample, _ = AFTER.truth.sample(2000, 8, seed=9)
    truth = float(AFTER.truth.log_prob(sample).mean())
    assert float(learner.predictive.log_prob(sample).mean()) > truth - 0.6
    assert float(learner.recent.log_prob(sample).mean()) > truth - 0.6


def test_a_second_change_soon_after_the_first_is_found_too():
    third = random_problem(4, 40, lengths=8, seed=3)
    learner = learned(HedgedLeader(4, n_words=40), BEFORE, 14_000)
    learned(learned(learner, AFTER, 5000, seed=1), third, 2000, seed=2)
    sample, _ = third.truth.sample(2000, 8, seed=9)
    truth = float(third.truth.log_prob(sample).mean())
    assert float(learner.recent.log_prob(sample).mean()) > truth - 0.6


def test_an_early_race_leaves_the_topics_of_a_change_alone():
    learner = learned(HedgedLeader(4, n_words=40), BEFORE, 3000)
    learned(learner, AFTER, 1900, seed=1)
    sample, _ = AFTER.truth.sample(2000, 8, seed=9)
    truth = float(AFTER.truth.log_prob(sample).mean())
    assert float(learner.recent.log_prob(sample).mean()) > truth - 0.6


def test_the_model_is_of_all_documents_whatever_came_last():
    learner = learned(learned(HedgedLeader(4, n_words=40), BEFORE, 12_000), AFTER, 2000, seed=1)
    sample, _ = BEFORE.truth.sample(2000, 8, seed=9)
    assert learner.model.log_prob(sample).mean() > learner.recent.log_prob(sample).mean() + 1.0


def test_the_recent_topics_have_the_numbers_of_the_models_after_any_race():
    problem = random_problem(3, 60, lengths=5, seed=2)
    learner = HedgedLeader(8, n_words=60, reservoir_size=800, seed=2)  # too many: races go on
    for block in problem.blocks(block_size=100, n_steps=60, seed=2):
        learner.learn(block.documents)
        order = best_order(learner.recent.topics, learner.model.topics)
        assert order.tolist() == list(range(8))


def test_the_recent_topics_have_the_numbers_of_the_models():
    learner = learned(HedgedLeader(4, n_words=40), BEFORE, 8000)
    assert best_order(learner.recent.topics, learner.model.topics).tolist() == [0, 1, 2, 3]


def test_documents_keep_their_topics():
    """Of a stationary stream's documents hardly one changes its topic from a step to the next."""
    learner, sample = HedgedLeader(4, n_words=40), BEFORE.truth.sample(2000, 8, seed=9)[0]
    learned(learner, BEFORE, 6000)
    before, moved = learner.model.posterior(sample).argmax(axis=1), []
    for seed in range(1, 8):
        after = learned(learner, BEFORE, 2000, seed=seed).model.posterior(sample).argmax(axis=1)
        moved.append(float((after != before).mean()))
        before = after
    assert max(moved) < 0.02
    assert learner.events == ()


def test_a_large_block_is_learned_in_parts_of_bounded_size():
    whole, _ = BEFORE.truth.sample(3500, 8, seed=3)
    a, b = HedgedLeader(4, n_words=40), HedgedLeader(4, n_words=40)
    a.learn(whole)
    for block in whole.blocks(1000):
        b.learn(block)
    assert same_state(a.to_state(), b.to_state())


def test_shares_are_of_named_experts_and_sum_to_one():
    info = learned(HedgedLeader(3, n_words=3), easy(), 300).info
    assert list(info.shares) == list(Table(SETTINGS).column)
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
    assert len(learner._refit.window) == 1
    assert isinstance(learner._refit.window, Window)


def test_a_long_document_like_no_other_is_learned_while_topics_are_closed():
    """Of three kinds of documents, 30 topics have no use for most."""
    rng, n_words = np.random.default_rng(1), 3000
    tokens = 100 * rng.integers(3, size=(400, 1)) + rng.integers(100, size=(400, 60))
    learner = HedgedLeader(30, n_words=n_words)
    for block in Documents.from_tokens(tokens, n_words).blocks(50):
        learner.learn(block)
    assert (learner.model.weights == 0.0).sum() > 10
    learner.learn(Documents.from_tokens([rng.integers(400, n_words, size=100)], n_words))
    assert np.isfinite(learner.predictive.log_prob(block)).all()
    again = HedgedLeader.from_state(learner.to_state())
    assert same_state(again.to_state(), learner.to_state())


def test_a_learner_is_stored_before_its_window_has_topics():
    """A window that is smaller than the first block has none until they are compared."""
    learner = HedgedLeader(3, n_words=5, reservoir_size=100)
    for block in documents(200, 5).blocks(100):
        learner.learn(block)
        again = HedgedLeader.from_state(learner.to_state())
        assert same_state(again.to_state(), learner.to_state())


def test_the_reservoir_holds_at_least_one_document():
    with pytest.raises(ValueError, match="reservoir_size must be an integer of at least 1"):
        HedgedLeader(3, n_words=5, reservoir_size=0)


def test_a_state_whose_words_are_not_in_the_totals_of_their_topic_is_refused():
    """It would give words a probability of 1e24, and documents one above 1."""
    learner = HedgedLeader(2, n_words=30)
    learner.learn(documents(50, 30))
    state = learner.to_state()
    stacked = state["experts"]["estimates"]["statistics"]
    n = stacked["totals"].shape[1] // 2
    stacked["words"] = np.tile([[2e28, 1e25]], (30, n))  # few beside those of the other
    stacked["totals"] = np.tile([[1.0, 1.0], [6e29, 0.0]], n)
    with pytest.raises(ValueError, match="totals must be the sums of the words"):
        HedgedLeader.from_state(state)


def test_a_state_of_more_words_than_were_ever_written_is_refused():
    learner = HedgedLeader(2, n_words=30)
    learner.learn(documents(50, 30))
    state = learner.to_state()
    estimates = state["experts"]["estimates"]
    for name in ("words", "totals"):
        estimates["statistics"][name] *= 1e40
    with pytest.raises(ValueError, match="estimates must have at most"):
        HedgedLeader.from_state(state)
    estimates["scales"][:] = 1e-40
    assert HedgedLeader.from_state(state).n_docs == learner.n_docs


def test_an_event_names_what_is_new_and_another_one_that_the_change_is_over():
    learner = learned(HedgedLeader(4, n_words=40), BEFORE, 24_000)
    learned(learner, AFTER, 9000, seed=1)
    changed, ended = (e for e in learner.events if e.kind in (EventKind.CHANGED, EventKind.ENDED))
    assert (changed.kind, ended.kind) == (EventKind.CHANGED, EventKind.ENDED)
    assert 24_000 + 2000 < ended.n_docs < 33_000
    assert learner.drifts_since is None
    more = AFTER.truth.weights @ AFTER.truth.topics > BEFORE.truth.weights @ BEFORE.truth.topics
    assert changed.words
    assert more[list(changed.words)].all()
    learner.recode(np.arange(40)[::-1].copy(), 40)
    assert learner.events[0].words == tuple(39 - word for word in changed.words)
