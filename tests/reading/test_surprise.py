"""Surprise: p-values are calibrated on documents like the past, and small on others."""

import numpy as np
import pytest
from scipy import stats

from spectralleader import Documents, TextTopics, TopicModel, Vocabulary, Words, load, save
from spectralleader.jobs import Source
from spectralleader.jobs.predicting import predict_blocks
from spectralleader.reading.snapshot import Snapshot
from spectralleader.reading.surprise import N_PAST, Past, Surprise, known_to, score
from spectralleader.storage.merging import merge
from tests.factories import same_state, texts

N_WORDS = 60


def stream(n, rng, *, weights=(0.5, 0.3, 0.2)):
    """Documents of tokens of three topics, from 1 to some 60 words long."""
    topics = np.random.default_rng(7).dirichlet(np.full(N_WORDS, 0.2), size=3)
    lengths = 1 + rng.geometric(0.08, size=n)
    which = rng.choice(3, size=n, p=weights)
    return [
        [f"w{w}" for w in rng.choice(N_WORDS, size=length, p=topics[k])]
        for length, k in zip(lengths, which, strict=True)
    ]


@pytest.fixture(scope="module", params=["hedged", "stepwise-em", "spectral"])
def learned(request):
    topics = TextTopics(3, learner=request.param, words="tokens")
    topics.learn(stream(16_000, np.random.default_rng(0)))
    return topics


def test_p_values_are_uniform_on_documents_like_the_past_of_every_length(learned):
    new = stream(6000, np.random.default_rng(1))
    found = learned.p_values(new)
    lengths = np.array([len(tokens) for tokens in new])
    for some in (lengths <= 4, (lengths > 4) & (lengths <= 12), lengths > 12, lengths > 0):
        # the past itself is a sample of at least 1,000: its share beyond any quantile is within
        # 0.05 (three standard errors), and so is that of the new documents
        assert stats.kstest(found[some], "uniform").statistic < 0.06
    assert (found <= 0.01).mean() < 0.02


def test_documents_unlike_the_past_are_surprising(learned):
    rng = np.random.default_rng(2)
    odd = [[f"w{w}" for w in rng.integers(N_WORDS, size=12)] for _ in range(300)]
    assert np.median(learned.p_values(odd)) < 0.02


def test_classifying_is_the_posterior_and_the_p_values_in_one(learned):
    taken = learned.at("all")
    some = [["not-known"], *stream(200, np.random.default_rng(3))]
    found = taken.classify(some)
    posterior = taken.posterior(some)
    assert found.topics.tolist() == posterior.argmax(axis=1).tolist()
    # sums are in another order
    assert found.probabilities == pytest.approx(posterior.max(axis=1), rel=1e-9)
    assert found.lengths.tolist() == [0, *map(len, some[1:])]
    # a rank among the past can change by one where two scores are the same but for rounding
    assert found.p_values == pytest.approx(taken.p_values(some), abs=2e-3, nan_ok=True)


def test_a_document_that_every_topic_rules_out_gets_the_weights():
    model = TopicModel([0.3, 0.7], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    past = Past(np.array([-5.0, -4.0, -3.0]), np.ones(3))
    taken = Snapshot(
        model, Vocabulary(["rain", "goal", "never"]), Words(), 3, 0, ("", ""), past=past
    )
    found = taken.classify(["rain", "rain goal", "never", ""])
    assert found.topics.tolist() == [0, 1, 1, 1]
    assert found.probabilities == pytest.approx([1.0, 0.7, 0.7, 0.7])
    assert found.p_values == pytest.approx([1.0, 0.25, 0.25, np.nan], nan_ok=True)


def test_scores_are_of_the_model_before_the_document_was_learned():
    topics = TextTopics(2, learner="unigram")
    topics.learn(["rain wind rain"])
    before = topics.log_prob(["rain snow wind"])[0] / 2  # snow is not known yet
    topics.learn(["rain snow wind"])
    assert topics.annotations.surprise.past.scores.tolist() == [pytest.approx(before)]
    assert topics.annotations.surprise.past.lengths.tolist() == [2.0]


def test_there_is_no_p_value_without_words_or_past():
    topics = TextTopics(2)
    assert np.isnan(topics.p_values(["rain"])).all()
    topics.learn(["rain and wind", "a goal"] * 60)
    assert np.isnan(topics.p_values(["unheard", "rain"])).tolist() == [True, False]
    assert np.isnan(topics.at("all", recent=True).p_values(["rain"])).all()


def test_equal_scores_are_no_surprise():
    past = Past(np.full(500, -2.0), np.full(500, 3.0))
    assert past.p_values(np.array([-2.0, -2.1]), np.full(2, 3.0)).tolist() == [1.0, 1 / 501]


def test_a_document_is_compared_with_those_about_as_long():
    scores = np.concatenate((np.full(2000, -9.0), np.full(2000, -1.0)))
    past = Past(scores, np.repeat([2.0, 50.0], 2000))
    assert past.p_values(np.array([-5.0, -5.0]), np.array([3.0, 40.0])).tolist() == [1.0, 1 / 2001]


def test_a_long_stream_is_scored_in_part_and_the_past_stays_bounded():
    surprise, model, scored = Surprise(), TopicModel([1.0], [[0.5, 0.5]]), []
    block = Documents.from_tokens([[0, 1]] * 500, n_words=2)
    for n_docs in range(0, 20_000, 500):
        if n_docs >= surprise.due:
            surprise.add(model, block, n_docs)
            scored.append(n_docs)
    assert len(surprise.past) == N_PAST
    assert scored == [*range(0, 4000, 500), *range(4000, 20_000, 2000)]


def test_a_model_that_rules_a_document_out_gives_a_finite_score():
    scores, _ = score(TopicModel([1.0], [[1.0, 0.0]]), Documents.from_tokens([[1], []], 2))
    assert scores[0] == -1e6
    assert np.isnan(scores[1])


def test_words_that_a_model_lacks_do_not_count():
    found = known_to(TopicModel([1.0], [[0.5, 0.5]]), Documents.from_tokens([[0, 3, 1], [3]], 4))
    assert found == Documents.from_tokens([[0, 1], []], 2)


def test_the_past_is_saved_resumed_and_merged(tmp_path):
    one, other = TextTopics(3, learner="stepwise-em"), TextTopics(3, learner="stepwise-em")
    one.learn(texts(300)[0])
    other.learn(texts(400)[0])
    found = load(save(one, tmp_path / "a.model"))
    assert same_state(one.annotations.surprise.to_state(), found.annotations.surprise.to_state())
    sizes = len(one.annotations.surprise.past), len(other.annotations.surprise.past)
    assert sizes == (200, 300)  # the first block has no model before it
    assert len(merge(found, other).annotations.surprise.past) == 500


def test_predict_gives_p_values_at_every_level(tmp_path):
    topics = TextTopics(4)
    topics.learn(texts(300)[0])
    (tmp_path / "new.txt").write_text("goal referee cup\nzebra\n")
    found = []
    for level in (None, 2):
        with Source.of(tmp_path / "new.txt").open() as reader:
            [block] = predict_blocks(topics, reader, level=level)
        found.append([row["p_value"] for row in block.rows()])
    assert found[0] == found[1] == [round(topics.p_values(["goal referee cup"])[0], 4), None]
