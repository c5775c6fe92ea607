import itertools
from time import perf_counter

import numba
import numpy as np
import pytest

from spectralleader import LEARNERS, Algorithm1, Documents, Unigram
from spectralleader.documents import Labelled
from spectralleader.evaluation import (
    Prequential,
    judge,
    label_accuracy,
    log_loss,
    meet,
    recovery_error,
    running_averages,
    tensor_loss,
)
from spectralleader.evaluation.metrics import matched_accuracy, tensor_losses
from spectralleader.runtime.compiled import COMPILING
from study.sources.synthetic import hard
from tests.factories import documents, growing, model


def test_a_learner_is_judged_before_it_learns():
    events = []

    class Spy:
        n_topics, n_words = 3, 3
        model = predictive = hard().truth

        def learn(self, documents):
            events.append("learn")

    def metric(learner, block):
        events.append("judge")
        return 1.0

    list(judge(Spy(), hard().blocks(block_size=1, n_steps=2, seed=0), {"m": metric}))
    assert events == ["judge", "learn", "judge", "learn"]


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_the_time_of_a_learner_does_not_include_compiling():
    def add_one(x):
        return x + 1

    add_one.__module__ = "spectralleader.test"  # kernels of the library are noticed
    compiled, block = numba.njit(add_one), documents(20, 5)

    class Compiles(Unigram):
        def learn(self, documents):
            compiled(1)
            super().learn(documents)

    judged = Prequential(Compiles(1, n_words=5))
    began, before = perf_counter(), COMPILING.thread_hooks.seconds
    judged.learn(block, judged.predict(block))
    took, spent = perf_counter() - began, COMPILING.thread_hooks.seconds - before
    assert compiled.signatures
    assert spent > 0.0
    assert 0.0 < judged.losses.seconds <= took - spent


@pytest.mark.parametrize("name", sorted(LEARNERS))
def test_a_growing_learner_is_judged_on_words_it_has_not_seen(name):
    stream = [Labelled(block) for block in growing(documents(60, 12), 5)]
    make = LEARNERS[name]
    learner, by_hand = make(3), make(3)
    metrics = {"L1": log_loss, "loss": tensor_loss}
    for step, block in zip(judge(learner, stream, metrics), stream, strict=True):
        assert np.isfinite(list(step.values())).all()
        known = block.documents.widen(max(by_hand.n_words, block.documents.n_words))
        by_hand.recode(None, known.n_words)
        assert step["L1"] == pytest.approx(-by_hand.predictive.log_prob(known).mean(), rel=1e-12)
        by_hand.learn(block.documents)
    assert learner.n_words == 12


def test_a_word_never_seen_has_the_probability_of_any_other_unseen_word():
    learner, told = Unigram(2), Unigram(2, n_words=4)
    learner.learn(Documents.from_tokens([[0, 0, 1]], n_words=2))
    told.learn(Documents.from_tokens([[0, 0, 1]], n_words=4))
    block = Labelled(Documents.from_tokens([[2], [3]], n_words=4))
    loss = log_loss(learner, meet(learner, block))
    assert loss == log_loss(told, block) == pytest.approx(-np.log(told.model.topics[0, 3]))


def test_a_learner_that_was_told_its_words_is_not_judged_on_others():
    stream = [Labelled(Documents.from_tokens([[0, 3]], n_words=4))]
    with pytest.raises(ValueError, match="leave n_words out"):
        next(judge(Unigram(2, n_words=2), stream, {"L1": log_loss}))


def test_averages_leave_out_the_first_step_and_divide_by_n():
    steps = [{"L1": 9.0, "L2": 0.0}, {"L1": 2.0, "L2": 1.0}, {"L1": 4.0, "L2": 5.0}]
    averages = list(running_averages(steps))
    assert [row["L1"] for row in averages] == [0.0, 1.0, 2.0]
    assert averages[-1]["L2"] == 2.0
    assert list(running_averages([])) == []


def test_metrics_of_the_true_model():
    learner = Algorithm1(3, n_words=3)
    block = next(hard().blocks(block_size=5, n_steps=1, seed=0))
    assert log_loss(learner, block) == pytest.approx(3 * np.log(3))
    uniform = learner.model
    assert recovery_error(hard().truth)(learner, block) == uniform.distance(hard().truth)


def test_the_tensor_loss_is_the_frobenius_distance_from_the_observed_triple():
    m = model(n_words=4)
    for words in itertools.product(range(4), repeat=3):
        observed = np.zeros((4, 4, 4))
        observed[words] = 1.0
        block = Labelled(Documents.from_tokens([words], n_words=4))
        expected = ((observed - m.triples()) ** 2).sum()
        np.testing.assert_allclose(tensor_losses(m, block)[0], expected, rtol=1e-12)


def test_the_tensor_loss_of_a_longer_document_averages_over_its_triples():
    m, words = model(n_words=4), [0, 0, 1, 3, 3]
    M3 = m.triples()
    mean = np.mean([M3[t] for t in itertools.permutations(words, 3)])
    block = Labelled(Documents.from_tokens([words, [1]], n_words=4))
    losses = tensor_losses(m, block)
    np.testing.assert_allclose(losses, [1 - 2 * mean + m.norm(), 1 + m.norm()], rtol=1e-12)


def test_the_expected_tensor_loss_is_least_for_the_truth():
    stream = hard().blocks(block_size=5000, n_steps=1, seed=0)
    block = next(stream)
    truth = tensor_losses(hard().truth, block).mean()
    assert truth < tensor_losses(Algorithm1(3, n_words=3).model, block).mean()
    assert tensor_loss(Algorithm1(3, n_words=3), block) > truth


def test_accuracy_is_counted_under_the_best_matching():
    assert matched_accuracy([1, 1, 0, 0, 2], ["a", "a", "b", "b", "b"]) == 0.8
    block = Labelled(*hard().truth.sample(500, 20, seed=0))
    assert label_accuracy(hard().truth, block) > 0.95
    with pytest.raises(ValueError, match="requires labels"):
        label_accuracy(hard().truth, Labelled(block.documents))
