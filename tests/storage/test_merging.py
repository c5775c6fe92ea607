import numpy as np
import pytest

from spectralleader import (
    Documents,
    GrowingVocabulary,
    HedgedLeader,
    Reservoir,
    SpectralLeader,
    TextTopics,
    TopicModel,
    Vocabulary,
    Window,
    Words,
    load,
    merge,
    save,
)
from spectralleader.learners.learner_base import Fixed
from tests.factories import documents, same_state, texts
from tests.real_data import real_texts

N_SHARDS = 8
AS_GOOD = 1.002  # a fifth of a percent; a shard alone is far worse in the tests that use it


def learned(written, **settings):
    topics = TextTopics(3, **settings)
    topics.learn(written)
    return topics


def shards_of(written, **settings):
    return [learned(written[i::N_SHARDS], seed=i, **settings) for i in range(N_SHARDS)]


def loss(topics, held):
    return -topics.learner.predictive.log_prob(topics.count(held)).mean()


def prequential_loss(topics, later):
    """The mean loss of texts, each block predicted and then learned."""
    losses = []
    for start in range(0, len(later), 100):
        counted = topics.take_in(later[start : start + 100])
        losses.append(-topics.learner.predictive.log_prob(counted.known))
        topics.step(counted)
    return np.concatenate(losses).mean()


def assert_as_good(merged, whole, held, later):
    assert loss(merged, held) < AS_GOOD * loss(whole, held)
    assert prequential_loss(merged, later) < AS_GOOD * prequential_loss(whole, later)


def words_of(model, n_docs, seed):
    """Texts of a model whose words are numbers in letters."""
    drawn = model.sample(n_docs, 12, seed=seed)[0]
    tokens = np.repeat(drawn.words, drawn.counts.astype(int)).reshape(n_docs, 12)
    return [" ".join(f"word{w}" for w in document) for document in tokens]


@pytest.mark.parametrize("learner", ["spectral", "hedged"])
def test_shards_of_a_stream_are_as_good_as_one_learner_on_all_of_it(learner):
    rng = np.random.default_rng(0)
    truth = TopicModel(np.full(3, 1 / 3), rng.dirichlet(np.full(100, 0.1), size=3))
    stream, held, later = (words_of(truth, n, i) for i, n in enumerate((4000, 2000, 1000)))
    known = Vocabulary(f"word{i}" for i in range(100))
    settings = {"learner": learner, "vocabulary": known, "reservoir_size": 2000}
    whole, shards = learned(stream, **settings), shards_of(stream, **settings)
    merged = merge(*shards)
    assert (merged.n_docs, len(merged.learner.sample)) == (4000, 2000)
    assert_as_good(merged, whole, held, later)
    assert loss(shards[0], held) > AS_GOOD * loss(whole, held)
    halves = [merge(*shards[:4], seed=1), merge(*shards[4:], seed=2)]
    assert loss(merge(*halves), held) < AS_GOOD * loss(whole, held)


def test_shards_of_headlines_are_as_good_as_one_learner_on_all_of_them():
    written = real_texts("news_headlines.csv.gz", 12_000)
    stream, held, later = written[:10_000], written[10_000::2], written[10_001::2]
    words = Words(stop_words="english")
    known = Vocabulary.most_frequent(stream, 2000, words=words)
    settings = {"learner": "spectral", "vocabulary": known, "words": words, "reservoir_size": 8000}
    whole, shards = learned(stream, **settings), shards_of(stream, **settings)
    assert_as_good(merge(*shards), whole, held, later)
    assert loss(shards[0], held) > AS_GOOD * loss(whole, held)


def test_growing_vocabularies_are_united_by_word():
    a = learned(["rain wind rain", "wind storm"] * 5, learner="unigram")
    b = learned(["goal wind goal", "late goal"] * 5, learner="unigram")
    merged, turned = merge(a, b), merge(b, a)
    assert list(merged.vocabulary) == ["rain", "wind", "storm", "goal", "late"]
    assert list(turned.vocabulary) == ["goal", "wind", "late", "rain", "storm"]
    assert merged.vocabulary.totals.tolist() == [10, 15, 5, 15, 5]
    ids = merged.vocabulary.find(turned.vocabulary)
    assert turned.model.topics == pytest.approx(merged.model.topics[:, ids], abs=1e-15)
    merged.learn(["snow and rain"])
    assert merged.vocabulary[-1] == "snow"
    assert merged.model.n_words == 6


@pytest.mark.parametrize("learner", ["spectral", "hedged", "unigram"])
def test_a_united_vocabulary_keeps_its_limit_and_the_heaviest_words(learner):
    light = [f"light{i}" for i in range(5)]
    a, b = (
        learned(
            ["heavy heavy load"] * 9 + [f"{word} load{name}" for word in light],
            learner=learner,
            vocabulary=GrowingVocabulary(6),
        )
        for name in "ab"
    )
    assert a.vocabulary.n_words == 6
    merged = merge(a, b)
    assert merged.vocabulary.n_words <= 7
    assert {"heavy", "load", "loada", "loadb"} <= set(merged.vocabulary)
    assert merged.model.n_words == merged.vocabulary.n_words
    merged.learn(["heavy load"])


def test_given_vocabularies_are_united_and_documents_follow_their_words():
    a = learned(["rain wind", "wind rain"] * 4, learner="spectral", vocabulary=["wind", "rain"])
    b = learned(["rain goal", "goal goal"] * 4, learner="spectral", vocabulary=["goal", "rain"])
    merged = merge(a, b)
    assert list(merged.vocabulary) == ["wind", "rain", "goal"]
    counts = merged.learner.sample.documents.to_matrix().sum(axis=0)
    assert counts.tolist() == [8, 12, 12]
    assert merge(Vocabulary(["a", "b"]), Vocabulary(["c", "a"]))[:] == ["a", "b", "c"]


@pytest.mark.parametrize("learner", ["spectral", "hedged", "unigram"])
def test_an_empty_one_is_neutral_and_texts_without_words_are_counted(learner):
    a, empty = learned(texts(200)[0], learner=learner), TextTopics(3, learner=learner)
    for merged in (merge(a, empty), merge(empty, a)):
        assert same_state(merged.to_state(), a.to_state())
    empty.learn(["?", "!"])
    merged = merge(empty, a)
    assert (merged.n_docs, merged.n_empty) == (202, a.n_empty + 2)
    assert (merged.model.topics == a.model.topics).all()


def test_topics_keep_the_order_of_the_first():
    written = texts(1500)[0]
    for learner in ("spectral", "hedged"):
        a, b = (learned(part, learner=learner) for part in (written[::2], written[1::2]))
        for merged, first in ((merge(a, b), a), (merge(b, a), b)):
            ids = merged.vocabulary.find(first.vocabulary)
            overlap = merged.model.topics[:, ids] @ first.model.topics.T
            assert (overlap.argmax(axis=1) == np.arange(3)).all()


def test_what_is_merged_is_saved_and_goes_on_as_if_never_stopped(tmp_path):
    written = texts(900)[0]
    parts = [learned(written[i:600:3], learner="spectral") for i in range(3)]
    merged = merge(*parts)
    loaded = load(save(merged, tmp_path / "merged"))
    for one in (merged, loaded):
        one.learn(written[600:])
    assert same_state(merged.to_state(), loaded.to_state())


def hedged(**settings):
    learner = HedgedLeader(**{"n_topics": 2, "n_words": 6} | settings)
    learner.learn(documents())
    return learner


def test_the_evidence_of_hedged_leaders_is_the_mean_by_documents():
    a, b = hedged(), hedged(seed=1)
    for seed in range(3):
        b.learn(documents(seed=seed))
    merged = merge(a, b)
    assert merged.n_docs == a.n_docs + b.n_docs
    share = a.n_docs / merged.n_docs
    for name, found in merged.info.shares.items():
        assert found == pytest.approx(  # nearly: the pool's share is a mean as well
            share * a.info.shares[name] + (1 - share) * b.info.shares[name], abs=0.01
        )
    assert sum(merged.info.shares.values()) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (HedgedLeader(2), HedgedLeader(3), "n_topics is 2 in number 1 and 3 in number 2"),
        (HedgedLeader(2), HedgedLeader(2, reservoir_size=9), "size is 50000 .* and 9 in"),
        (HedgedLeader(2), SpectralLeader(2), "kind is 'HedgedLeader' .* 'SpectralLeader'"),
        (SpectralLeader(2, n_words=6), SpectralLeader(2, n_words=7), "n_words is 6 .* and 7"),
        (SpectralLeader(2), SpectralLeader(2, n_words=7), "n_words is None .* and 7"),
        (SpectralLeader(2), SpectralLeader(2, sample=Window(9)), "is 'Reservoir' .* 'Window'"),
        (Reservoir(3), Reservoir(4), "capacity is 3 .* and 4"),
        (Reservoir(3), Reservoir(3, acceptance="uniform"), "'paper' .* 'uniform'"),
        (TextTopics(2), TextTopics(2, learner="spectral"), "'HedgedLeader' .* 'SpectralLeader'"),
        (TextTopics(2), TextTopics(2, vocabulary=["a"]), "vocabulary is 'growing' .* 'given'"),
        (
            TextTopics(2),
            TextTopics(2, words=Words(stop_words=["no"])),
            r"stop_words is a list of \d+ in number 1 and \['no'\]",
        ),
        (TextTopics(2), TextTopics(2, words=str.split), "tokenizer is 'Words' .* and <method"),
        (GrowingVocabulary(3), GrowingVocabulary(4), "max_words is 3 .* and 4"),
    ],
)
def test_what_differs_is_named(a, b, message):
    with pytest.raises(ValueError, match=message) as raised:
        merge(a, b)
    assert "\n" not in str(raised.value)


def test_a_third_one_that_differs_is_named():
    with pytest.raises(ValueError, match="capacity is 3 in number 1 and 4 in number 3"):
        merge(Reservoir(3), Reservoir(3), Reservoir(4))


def test_seeds_and_blocks_may_differ():
    a = TextTopics(2, learner="spectral", seed=1, block_size=7)
    assert merge(a, TextTopics(2, learner="spectral", seed=2)).block_size == 7


def test_the_same_thing_twice_and_things_without_a_merge_are_refused():
    a = hedged()
    with pytest.raises(ValueError, match="given twice"):
        merge(a, a)
    with pytest.raises(TypeError, match="can be merged, got a TopicModel"):
        merge(a.model, TopicModel.uniform(2, 6))
    with pytest.raises(TypeError, match="got a Documents"):
        merge(Documents.empty(2), Documents.empty(3))


def test_a_finished_model_is_not_merged_and_called_what_users_call_it():
    models = [Fixed(TopicModel.uniform(2, 3)) for _ in range(2)]
    with pytest.raises(ValueError, match=r"^the learner Fixed cannot be merged"):
        merge(*models)
