import numpy as np
import pandas as pd
import polars as pl
import pytest

from spectralleader import (
    LEARNERS,
    GrowingVocabulary,
    TextTopics,
    Vocabulary,
    Words,
    load,
    save,
)
from spectralleader.errors import BrokenError
from spectralleader.learners.events import Event, EventKind
from spectralleader.learners.learner_base import Fixed
from tests.factories import TOPIC_WORDS, assert_valid, same_state, texts

WRITTEN, _ = texts()


@pytest.fixture(params=sorted(LEARNERS))
def make(request):
    return lambda **options: TextTopics(3, learner=request.param, block_size=50, **options)


def test_topics_of_texts_are_found():
    topics = TextTopics(3)
    topics.learn(WRITTEN)
    found = sorted(sorted(words) for words in topics.top_words(8))
    assert found == sorted(sorted(words) for words in TOPIC_WORDS)


def test_every_learner_learns_from_texts_and_goes_on_from_its_state(make):
    whole, first = make(), make()
    whole.learn(WRITTEN)
    first.learn(WRITTEN[:150])
    again = TextTopics.from_state(first.to_state())
    again.learn(WRITTEN[150:])
    assert_valid(again.model)
    assert same_state(whole.to_state(), again.to_state())


def test_reading_changes_nothing(make):
    topics = make()
    topics.learn(WRITTEN[:100])
    before = topics.to_state()
    assert topics.posterior(["rain unheard", "unheard"]).shape == (2, 3)
    assert topics.log_prob(["unheard", "rain"])[0] == 0.0
    assert topics.top_words(2)
    assert same_state(before, topics.to_state())


def test_texts_come_as_lists_iterators_and_series():
    states = []
    for given in (WRITTEN, iter(WRITTEN), pl.Series(WRITTEN), np.array(WRITTEN)):
        topics = TextTopics(3)
        topics.learn(given)
        states.append(topics.to_state())
    assert all(same_state(states[0], state) for state in states)


def test_an_iterator_is_read_block_by_block():
    topics, seen = TextTopics(2, block_size=10), []

    def stream():
        for text in WRITTEN[:100]:
            seen.append(topics.n_docs)
            yield text

    topics.learn(stream())
    assert seen == [i // 10 * 10 for i in range(100)]


def test_a_vocabulary_under_a_cap_settles_and_the_model_follows():
    rare = [f"{text} once{i} twice{i}" for i, text in enumerate(WRITTEN)]
    topics = TextTopics(3, vocabulary=GrowingVocabulary(40), block_size=20)
    topics.learn(rare)
    assert 24 <= topics.vocabulary.n_words <= 50
    assert topics.model.n_words == topics.vocabulary.n_words
    assert {word for words in TOPIC_WORDS for word in words} <= set(topics.vocabulary)
    kept = sorted(sorted(words) for words in topics.top_words(8))
    assert kept == sorted(sorted(words) for words in TOPIC_WORDS)


def test_texts_without_known_words_are_counted_and_left_out():
    topics = TextTopics(2, learner="spectral", vocabulary=["rain", "goal"])
    topics.learn(["rain rain", "nothing of that", "goal", ""])
    assert (topics.n_docs, topics.n_empty) == (4, 2)
    assert topics.learner.sample.n_seen == 2


def test_there_is_a_model_before_any_text():
    topics = TextTopics(2)
    assert_valid(topics.model)
    assert topics.top_words() == [[], []]
    assert topics.posterior(["rain"]).tolist() == [[0.5, 0.5]]


def test_stop_words_are_english_unless_words_say_otherwise():
    topics = TextTopics(1)
    topics.learn(["the rain and the wind"])
    assert list(topics.vocabulary) == ["rain", "wind"]
    topics = TextTopics(1, words=Words())
    topics.learn(["the rain"])
    assert list(topics.vocabulary) == ["the", "rain"]


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="unknown learner 'nope'; choose one of hedged"):
        TextTopics(2, learner="nope")
    with pytest.raises(TypeError, match="vocabulary must be a Vocabulary or words, got 500"):
        TextTopics(2, vocabulary=500)
    with pytest.raises(ValueError, match="block_size must be"):
        TextTopics(2, block_size=0)
    with pytest.raises(TypeError, match="give one text as"):
        TextTopics(2).learn("a text")
    with pytest.raises(ValueError, match="not a string"):
        TextTopics(2).learn(["a text", None])


FRAME = {"id": ["a", "b"], "text": ["late goal", "rain"]}


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pd.DataFrame(FRAME), r"a DataFrame of 'id', 'text'; pass one of them: df\['text'\]"),
        (pl.DataFrame(FRAME), r"a DataFrame of 'id', 'text'; pass one of them: df\['text'\]"),
        (pl.DataFrame(FRAME).lazy(), "a LazyFrame; collect it and pass one column"),
        (FRAME, r"a dict of 'id', 'text'; pass one of them: texts\['text'\]"),
        (pd.DataFrame({"body": ["rain"]}), r"pass one of them: df\['body'\]"),
        (pd.DataFrame(), "a DataFrame of no columns"),
    ],
)
def test_a_table_of_several_columns_is_rejected(table, message):
    topics = TextTopics(2)
    topics.learn(["late goal", "rain"] * 9)
    for method in (topics.learn, topics.posterior, topics.count, topics.p_values, topics.take_in):
        with pytest.raises(TypeError, match=message):
            method(table)
    with pytest.raises(TypeError, match=message):
        Vocabulary.most_frequent(table, 5)
    assert topics.n_docs == 18
    if not isinstance(table, dict):  # which is a document of tokens, and has a message of its own
        with pytest.raises(TypeError, match=message):
            TextTopics(2, words="tokens").learn(table)


@pytest.mark.parametrize("times", [range(90), range(260), iter(range(90))])
def test_times_of_another_number_are_rejected_before_anything_is_learned(times):
    topics, n_times = TextTopics(2), 260 if times == range(260) else 90
    with pytest.raises(ValueError, match=f"there are 250 texts, and {n_times} times; give one"):
        topics.learn(["late goal", "rain"] * 125, times)
    assert topics.n_docs == 0


def test_a_tokenizer_that_fails_leaves_words_counts_and_learner_as_they_were():
    def split(text):
        if "hail" in text:
            raise ValueError("no hail")
        return text.split()

    topics = TextTopics(2, block_size=4, words=split, learner="unigram")
    topics.learn(["rain and wind", "a late goal", "more rain", "the"] * 4)
    before, rained = topics.learner.to_state(), list(topics.vocabulary)
    with pytest.raises(ValueError, match="no hail"):
        topics.learn(["rain and snow", "the", "hail"])
    assert same_state(topics.learner.to_state(), before)
    assert (list(topics.vocabulary), topics.n_docs) == (rained, 16)
    topics.learn(["rain and snow"])


def test_topics_of_a_step_that_broke_off_say_so(monkeypatch, tmp_path):
    def fail(*_):
        raise MemoryError("no room")

    topics = TextTopics(2, block_size=4)
    topics.learn(["rain and wind", "a late goal", "more rain", "the"] * 4)
    saved = save(topics, tmp_path / "m")
    with monkeypatch.context() as patch:
        patch.setattr(topics.learner, "_expert_likelihoods", fail)
        with pytest.raises(MemoryError):
            topics.learn(["rain and snow", "the", "hail"])
    for use in (topics.top_words, lambda: topics.learn(["rain"]), lambda: save(topics, saved)):
        with pytest.raises(BrokenError, match="this TextTopics was being changed"):
            use()
    assert "broken" in repr(topics)
    assert load(saved).n_docs == 16


def test_an_iterator_that_breaks_off_has_taught_its_whole_blocks_and_nothing_more():
    def stream():
        yield from ["rain and wind"] * 5
        raise OSError("the line is dead")

    topics, whole = TextTopics(2, block_size=2), TextTopics(2, block_size=2)
    with pytest.raises(OSError, match="dead"):
        topics.learn(stream())
    whole.learn(["rain and wind"] * 4)
    assert same_state(topics.to_state(), whole.to_state())


ODD_TEXTS = {
    "nothing": [],
    "empty": ["", " ", "\n"],
    "NUL": ["\0", "rain\0wind", "\0" * 1000],
    "right to left": ["שלום עולם", "مرحبا بالعالم", "\u202erain\u202c"],
    "emoji": ["👩‍👩‍👧 🇺🇸 😀", "rain ☔ wind 💨"],
    "stop words": ["the of and", "to be or not to be"],
    "lone surrogates": ["\ud800 rain", "\udfff"],
    "one character": ["a", "é", "日"],
    "combining": ["e\u0301" * 500],
    "endless word": ["x" * 1_000_000],
}


@pytest.mark.parametrize("odd", ODD_TEXTS)
def test_odd_texts_give_a_valid_model(odd):
    topics = TextTopics(2, block_size=2)
    for given in (ODD_TEXTS[odd], ["rain and wind", "a late goal"], ODD_TEXTS[odd]):
        topics.learn(given)
        assert_valid(topics.model)
        assert np.isfinite(topics.log_prob(ODD_TEXTS[odd])).all()
    assert same_state(TextTopics.from_state(topics.to_state()).to_state(), topics.to_state())


def test_a_text_of_fifty_megabytes_is_one_document():
    topics = TextTopics(2, words=Words())
    topics.learn(["rain wind snow hail " * 2_500_000, "a late goal"])
    assert_valid(topics.model)
    assert topics.vectoriser.vocabulary.totals.max() == 2_500_000


def test_a_given_vocabulary_keeps_its_order():
    topics = TextTopics(2, learner="spectral", vocabulary=Vocabulary(["wind", "rain"]), seed=3)
    topics.learn(WRITTEN)
    assert list(topics.vocabulary) == ["wind", "rain"]
    assert topics.learner.seed == 3
    assert repr(topics) == "TextTopics(SpectralLeader, Vocabulary(n_words=2), n_docs=300)"


def test_topics_of_an_engine_stay_as_they_are():
    topics = TextTopics(n_topics=2, learner="unigram", vocabulary=["rain", "goal"])
    topics.learner = Fixed(topics.model)
    with pytest.raises(ValueError, match="cannot learn more: use them to predict"):
        topics.learn(["rain"])
    assert topics.n_docs == 0
    assert topics.posterior(["rain"]).shape == (1, 2)


def test_a_model_that_told_of_a_change_of_the_stream_is_saved_and_loaded(tmp_path):
    topics = TextTopics(3)
    topics.learn(WRITTEN)
    refit = topics.learner._refit
    refit.events.append(Event(7, EventKind.CHANGED))  # of no topic in particular
    again = load(save(topics, tmp_path / "t.model"))
    assert again.learner.events[-1] == refit.events[-1]


@pytest.mark.parametrize(
    ("given", "n_empty"), [({}, 3), ({"min_count": 1}, 0), ({"min_count": 3}, 4)]
)
def test_a_text_of_new_words_has_none_until_they_have_occurred_often_enough(given, n_empty):
    topics = TextTopics(2, block_size=2, **given)
    topics.learn([" ".join(f"known{i}" for i in range(1000))])  # the first are known at once
    topics.learn(["moon", "moon", "sun", "stars stars stars", "stars"])
    assert topics.n_empty == n_empty
    assert ("sun" in topics.vocabulary) == (n_empty == 0)
    assert "stars" in topics.vocabulary
