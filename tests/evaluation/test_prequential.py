from time import perf_counter

import numba
import numpy as np
import pytest

from spectralleader import LEARNERS, Documents, Unigram
from spectralleader.evaluation import Prequential, meet
from spectralleader.runtime.compiled import COMPILING
from tests.factories import documents, growing


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
    judged, by_hand = Prequential(LEARNERS[name](3)), LEARNERS[name](3)
    for block in growing(documents(60, 12), 5):
        known = block.widen(max(by_hand.n_words, block.n_words))
        by_hand.recode(None, known.n_words)
        found, is_first = judged.predict(block), not judged.losses.n_learned
        expected = 0.0 if is_first else -by_hand.predictive.log_prob(known).sum()
        assert np.isfinite(found.loss)
        assert found.loss == pytest.approx(expected, rel=1e-12)
        judged.learn(block, found)
        by_hand.learn(block)
    assert judged.learner.n_words == 12


def test_a_word_never_seen_has_the_probability_of_any_other_unseen_word():
    learner, told = Unigram(2), Unigram(2, n_words=4)
    learner.learn(Documents.from_tokens([[0, 0, 1]], n_words=2))
    told.learn(Documents.from_tokens([[0, 0, 1]], n_words=4))
    block = Documents.from_tokens([[2], [3]], n_words=4)
    known = meet(learner, block)
    loss = learner.predictive.log_prob(known).mean()
    assert loss == told.predictive.log_prob(block).mean()
    assert loss == pytest.approx(np.log(told.model.topics[0, 3]))


def test_a_learner_that_was_told_its_words_is_not_judged_on_others():
    with pytest.raises(ValueError, match="leave n_words out"):
        meet(Unigram(2, n_words=2), Documents.from_tokens([[0, 3]], n_words=4))
