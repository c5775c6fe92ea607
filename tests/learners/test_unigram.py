import numpy as np
import pytest

from spectralleader import LEARNERS, Documents, TopicModel, Unigram
from spectralleader.learners.unigram import DELTAS
from study.judging import judge, log_loss, running_averages
from study.sources.synthetic import easy, random_problem
from tests.factories import documents, growing


def mean_losses(stream):
    """L1 after the first block of Unigram, and of add-delta for each delta of its grid."""
    learner, counts, ours, fixed, n_docs = Unigram(1), np.zeros(1), 0.0, np.zeros(len(DELTAS)), 0
    for i, block in enumerate(stream):
        learner.learn(Documents.empty(block.n_words))
        counts = np.pad(counts, (0, block.n_words - len(counts)))
        if i > 0:
            smoothed = (counts[block.words, None] + DELTAS) / (counts.sum() + len(counts) * DELTAS)
            fixed -= block.counts @ np.log(smoothed)
            ours -= learner.model.log_prob(block).sum()
            n_docs += block.n_docs
        learner.learn(block)
        np.add.at(counts, block.words, block.counts)
    return ours / n_docs, fixed / n_docs


def test_its_model_adds_one_delta_to_all_counts():
    learner = Unigram(2, n_words=5)
    block = documents(40, 5)
    for part in block.blocks(7):
        learner.learn(part)
    counts = block.to_matrix().toarray().sum(axis=0)
    words = learner.model.topics[0]
    np.testing.assert_array_equal(learner.model.topics[1], words)
    slope, intercept = np.polyfit(counts, words, 1)
    np.testing.assert_allclose(words, slope * counts + intercept, rtol=1e-9)  # least squares
    assert DELTAS[0] < intercept / slope < DELTAS[-1]


def test_before_the_first_word_it_is_uniform():
    uniform = TopicModel.uniform(3, 5)
    assert Unigram(3, n_words=5).model.distance(uniform) < 1e-15  # rounding


@pytest.mark.parametrize("concentration", [0.01, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("grows", [False, True])
def test_it_is_near_the_best_fixed_smoothing_in_hindsight(concentration, grows):
    problem = random_problem(n_topics=1, n_words=500, concentration=concentration, lengths=10)
    blocks = [b.documents for b in problem.blocks(block_size=10, n_steps=60, seed=0)]
    whole = Documents.concatenate(blocks)
    ours, fixed = mean_losses(growing(whole, 10) if grows else blocks)
    # 10 words per document: at most 0.02 nats per word, where the worst fixed one loses 0.1 to 5
    assert ours < fixed.min() + 0.2
    assert fixed.max() > fixed.min() + 1


def test_few_words_of_a_large_vocabulary_are_predicted_well():
    rng = np.random.default_rng(0)
    blocks = [Documents.from_tokens(rng.integers(20, size=(10, 10)), 100_000) for _ in range(20)]
    ours, _ = mean_losses(blocks)
    # 20 equally likely words, 10 per document; the second block, where nothing is known yet about
    # delta, costs most of the rest. Add-one loses 70.
    assert ours < 10 * np.log(20) + 2


def test_a_burst_within_a_block_does_not_pass_for_a_word_that_recurs():
    rng = np.random.default_rng(0)
    stream = []
    for _ in range(30):  # every block uses its own 20 of 2,000 words
        words = rng.integers(2000, size=20)
        stream.append(Documents.from_tokens(rng.choice(words, size=(10, 10)), 2000))
    ours, fixed = mean_losses(stream)
    assert ours < fixed.min() + 0.5  # add-one loses 10


@pytest.mark.parametrize("blocks", [[0.0, 0.0], [3.0, 0.0], [0.5, 0.0], [1.0, 1.0]])
def test_a_state_whose_blocks_and_counts_disagree_is_refused(blocks):
    learner = Unigram(2, n_words=2)
    learner.learn(Documents.from_tokens([[0, 0]], 2))
    state = learner.to_state() | {"blocks": np.array(blocks)}
    with pytest.raises(ValueError, match="blocks must be from 1 to counts"):
        Unigram.from_state(state)


@pytest.mark.parametrize("name", sorted(LEARNERS.keys() - {"unigram"}))
def test_every_learner_clears_the_floor_on_the_easy_problem(name):
    def final_loss(kind):
        stream = easy().blocks(block_size=5, n_steps=100, seed=0)
        learner = LEARNERS[kind](n_topics=3, n_words=3, seed=0)
        *_, last = running_averages(judge(learner, stream, {"L1": log_loss}))
        return last["L1"]

    # the truth is 0.8 nats better than word frequencies; half of that by the 100th step
    assert final_loss(name) < final_loss("unigram") - 0.4
