import numpy as np
import pytest

from spectralleader import LEARNERS, TopicModel, Unigram
from spectralleader.evaluation import judge, log_loss, running_averages
from spectralleader.streams.synthetic import easy
from tests.factories import documents


def test_it_counts_words():
    learner = Unigram(2, n_words=5)
    block = documents(40, 5)
    for part in block.blocks(7):
        learner.learn(part)
    counts = block.to_matrix().toarray().sum(axis=0)
    expected = (counts + 1 / 5) / (counts.sum() + 1)
    np.testing.assert_allclose(learner.model.topics, [expected, expected], rtol=1e-12)


def test_before_the_first_word_it_is_uniform():
    uniform = TopicModel.uniform(3, 5)
    assert Unigram(3, n_words=5).model.distance(uniform) < 1e-15  # rounding


@pytest.mark.parametrize("name", sorted(LEARNERS.keys() - {"unigram"}))
def test_every_learner_clears_the_floor_on_the_easy_problem(name):
    def final_loss(kind):
        stream = easy().blocks(block_size=5, n_steps=100, seed=0)
        learner = LEARNERS[kind].learner(n_topics=3, n_words=3, seed=0)
        *_, last = running_averages(judge(learner, stream, {"L1": log_loss}))
        return last["L1"]

    # the truth is 0.8 nats better than word frequencies; half of that by the 100th step
    assert final_loss(name) < final_loss("unigram") - 0.4
