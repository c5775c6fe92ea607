import itertools

import numpy as np
import pytest

from spectralleader.documents import Documents
from study.sources.synthetic import (
    PROBLEMS,
    constant_prior,
    cyclic_prior,
    easy,
    hard,
    in_turn_prior,
    non_stochastic,
    random_problem,
    switching_prior,
)

WEIGHTS = [0.15, 0.35, 0.5]


def all_of(problem, block_size, n_steps, seed=0):
    blocks = list(problem.blocks(block_size=block_size, n_steps=n_steps, seed=seed))
    documents = Documents.concatenate([block.documents for block in blocks])
    return documents, np.concatenate([block.labels for block in blocks])


def test_the_papers_models_are_as_printed():
    np.testing.assert_allclose(easy().truth.weights, WEIGHTS)
    np.testing.assert_allclose(np.diag(easy().truth.topics), 0.9)
    np.testing.assert_allclose(hard().truth.topics[0], [0.7, 0.15, 0.15])


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_the_documents_do_not_depend_on_the_size_of_the_blocks(name):
    one_by_one, labels = all_of(PROBLEMS[name](), 1, 60)
    at_once, labels_at_once = all_of(PROBLEMS[name](), 60, 1)
    assert one_by_one == at_once
    np.testing.assert_array_equal(labels, labels_at_once)
    assert (at_once.lengths == 3).all()


def test_the_non_stochastic_problem_has_its_topics_in_turn():
    _, labels = all_of(non_stochastic(), 50, 4)
    hundred = [0] * 15 + [1] * 35 + [2] * 50
    assert labels.tolist() == hundred * 2


def test_labels_follow_a_constant_prior():
    # 5 standard errors of a frequency over 20,000 documents
    _, labels = all_of(hard(), 20_000, 1)
    np.testing.assert_allclose(np.bincount(labels) / 20_000, WEIGHTS, atol=0.02)


def test_a_stream_is_lazy():
    endless = hard().blocks(block_size=2, n_steps=10**12, seed=0)
    assert [block.documents.n_docs for block in itertools.islice(endless, 3)] == [2, 2, 2]


def test_lengths_follow_their_distribution():
    problem = random_problem(2, 10, lengths={0: 1, 4: 3})
    documents, _ = all_of(problem, 8000, 1)
    assert set(documents.lengths) == {0, 4}
    assert abs((documents.lengths == 4).mean() - 0.75) < 0.03


@pytest.mark.parametrize(
    "prior",
    [
        constant_prior(WEIGHTS),
        in_turn_prior([1, 2, 3]),
        cyclic_prior(WEIGHTS, period=10, strength=2.0),
        switching_prior(3),
    ],
    ids=["constant", "in turn", "cyclic", "switching"],
)
def test_a_prior_is_a_distribution_and_the_same_for_any_blocks(prior):
    whole = prior(0, 40)
    np.testing.assert_allclose(whole.sum(axis=1), 1.0)
    assert (whole >= 0).all()
    np.testing.assert_allclose(np.concatenate([prior(0, 7), prior(7, 33)]), whole)


def test_a_cyclic_prior_favours_each_topic_in_turn():
    prior = cyclic_prior([1 / 3] * 3, period=30, strength=3.0)
    assert prior(0, 30).argmax(axis=1)[[0, 10, 20]].tolist() == [0, 1, 2]


def test_a_switching_prior_keeps_each_topic_twice_as_long_as_the_last():
    prior = switching_prior(3)
    assert prior(0, 15).argmax(axis=1).tolist() == [0] + [1] * 2 + [2] * 4 + [0] * 8
    # a rounded logarithm would switch too early here
    assert prior(2**52 - 2, 2).argmax(axis=1).tolist() == [51 % 3, 52 % 3]


def test_a_stream_without_documents_a_step_is_refused():
    with pytest.raises(ValueError, match="block_size >= 1"):
        next(hard().blocks(block_size=0, n_steps=1))


def test_a_random_problem_is_repeatable():
    a, b = random_problem(4, 20, seed=3), random_problem(4, 20, seed=3)
    np.testing.assert_array_equal(a.truth.topics, b.truth.topics)
    assert a.truth.topics.shape == (4, 20)
