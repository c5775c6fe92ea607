import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import BatchEM, Documents
from spectralleader.em.statistics import em_step, objective, with_words
from study.sources.synthetic import easy
from tests.factories import blocks, documents, model

ROUNDING = 1e-9  # of sums of up to a hundred logarithms


@given(block=blocks(), seed=st.integers(0, 9), smoothing=st.sampled_from([1e-15, 1e-5, 1e-2]))
def test_the_likelihood_never_falls(block, seed, smoothing):
    ascent = BatchEM(3, n_words=5, seed=seed, smoothing=smoothing).fit(block).info
    assert (np.diff(ascent.objectives) > -ROUNDING).all()


def test_one_iteration_is_an_em_step():
    block, start = with_words(documents(50, 5)), model(3, 5)
    method = BatchEM(3, n_words=5, start=start, n_iterations=1).fit(block)
    np.testing.assert_array_equal(
        method.model.topics, em_step(block, start, method.smoothing).topics
    )
    assert len(method.info.objectives) == 2
    assert not method.info.converged


def test_the_best_of_its_starts_wins():
    block = documents(60, 5)
    objectives = [
        BatchEM(3, n_words=5, n_restarts=n).fit(block).info.objectives[-1] for n in (1, 3, 10)
    ]
    assert objectives == sorted(objectives)
    best = BatchEM(3, n_words=5, n_restarts=10).fit(block)
    final = objective(with_words(block), best.model, best.smoothing)
    assert final == best.info.objectives[-1]


def test_it_recovers_the_easy_problem():
    block, _ = easy().truth.sample(20_000, 3, seed=0)
    method = BatchEM(3, n_words=3).fit(block)
    # a squared error of order parameters / documents, 8 / 20,000, of which M3 sees a part
    assert easy().truth.distance(method.model) < 4e-4
    assert method.info.converged


def test_a_given_start_is_saved_and_used():
    start = model(3, 5)
    method = BatchEM(3, n_words=5, start=start)
    assert method.model is start
    loaded = BatchEM.from_state(method.to_state())
    block = documents(50, 5)
    np.testing.assert_array_equal(loaded.fit(block).model.topics, method.fit(block).model.topics)


def test_documents_without_words_teach_nothing():
    method = BatchEM(3, n_words=5)
    before = method.model
    method.learn(Documents.from_tokens([[], []], n_words=5))
    np.testing.assert_array_equal(method.model.topics, before.topics)


def test_there_must_be_a_start_and_an_iteration():
    with pytest.raises(ValueError, match="n_restarts must be an integer of at least 1"):
        BatchEM(3, n_words=5, n_restarts=0)
