import itertools

import numpy as np
import pytest

from spectralleader import Algorithm1, Documents
from study.judging import (
    judge,
    log_loss,
    recovery_error,
    running_averages,
    tensor_loss,
    tensor_losses,
)
from study.sources.synthetic import hard
from tests.definitions import population_triples
from tests.factories import model


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


def test_averages_leave_out_the_first_step_and_divide_by_n():
    steps = [{"L1": 9.0, "L2": 0.0}, {"L1": 2.0, "L2": 1.0}, {"L1": 4.0, "L2": 5.0}]
    averages = list(running_averages(steps))
    assert [row["L1"] for row in averages] == [0.0, 1.0, 2.0]
    assert averages[-1]["L2"] == 2.0
    assert list(running_averages([])) == []


def test_metrics_of_the_true_model():
    learner = Algorithm1(3, n_words=3)
    block = next(hard().blocks(block_size=5, n_steps=1, seed=0)).documents
    assert log_loss(learner, block) == pytest.approx(3 * np.log(3))
    uniform = learner.model
    assert recovery_error(hard().truth)(learner, block) == uniform.distance(hard().truth)


def test_the_tensor_loss_is_the_frobenius_distance_from_the_observed_triple():
    m = model(n_words=4)
    for words in itertools.product(range(4), repeat=3):
        observed = np.zeros((4, 4, 4))
        observed[words] = 1.0
        block = Documents.from_tokens([words], n_words=4)
        expected = ((observed - population_triples(m)) ** 2).sum()
        np.testing.assert_allclose(tensor_losses(m, block)[0], expected, rtol=1e-12)


def test_the_tensor_loss_of_a_longer_document_averages_over_its_triples():
    m, words = model(n_words=4), [0, 0, 1, 3, 3]
    M3 = population_triples(m)
    mean = np.mean([M3[t] for t in itertools.permutations(words, 3)])
    block = Documents.from_tokens([words, [1]], n_words=4)
    losses = tensor_losses(m, block)
    np.testing.assert_allclose(losses, [1 - 2 * mean + m.norm(), 1 + m.norm()], rtol=1e-12)


def test_the_expected_tensor_loss_is_least_for_the_truth():
    block = next(hard().blocks(block_size=5000, n_steps=1, seed=0)).documents
    truth = tensor_losses(hard().truth, block).mean()
    assert truth < tensor_losses(Algorithm1(3, n_words=3).model, block).mean()
    assert tensor_loss(Algorithm1(3, n_words=3), block) > truth
