import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import TextTopics, Tokens, Vocabulary, load, merge, save
from spectralleader.reading.timeline import Timeline
from spectralleader.reading.trends import sample_under
from spectralleader.text import GrowingVocabulary, Vectoriser
from spectralleader.text.tokens import parse_tokens
from tests.factories import same_state

DOCUMENTS = [["phone-8", "case 3"], [33, "phone-8"], {"shoe": 2, "sock": 1}, {"shoe": 1, 7: 3}]


def counts_of(documents, words=None):
    """Each document's counts, by token."""
    vectoriser = Vectoriser(GrowingVocabulary(1000), words or Tokens())
    matrix = vectoriser.count(documents).to_matrix().toarray()
    names = list(vectoriser.vocabulary)
    return [{names[i]: int(row[i]) for i in np.flatnonzero(row)} for row in matrix]


def test_lists_and_counts_are_taken_as_they_are():
    assert counts_of(DOCUMENTS) == [
        {"phone-8": 1, "case 3": 1},
        {"33": 1, "phone-8": 1},
        {"shoe": 2, "sock": 1},
        {"shoe": 1, "7": 3},
    ]


def test_totals_of_a_growing_vocabulary_count_every_occurrence():
    vocabulary = GrowingVocabulary(10)
    Vectoriser(vocabulary, Tokens()).count([{"shoe": 5, "sock": 0}, ["shoe", "shoe"]])
    assert (list(vocabulary), vocabulary.totals.tolist()) == (["shoe"], [7])


@given(st.lists(st.lists(st.text(max_size=4) | st.integers(), max_size=6), max_size=5))
def test_a_list_means_the_same_as_its_counts(documents):
    expected = []
    for document in documents:
        tokens = [str(token) for token in document if token != ""]
        expected.append({token: tokens.count(token) for token in tokens})
    assert counts_of(documents) == counts_of(expected) == expected


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([["a", "b"], ["c", None]]),
        pd.Series([["a", "b"], ["c"]]),
        pa.array([["a", "b"], ["c"]]),
        pa.array([[("a", 1), ("b", 1)], [("c", 1)]], pa.map_(pa.string(), pa.int64())),
        pl.Series([{"a": 1, "b": 1, "c": None}, {"a": 0, "b": None, "c": 1}]),
        np.array([["a", "b"], ["c", ""]], object),
        (["a", "b"], ("c",)),
        iter([{"a", "b"}, ["c"]]),
    ],
    ids=["polars", "pandas", "arrow", "map", "struct", "numpy", "tuple", "iterator"],
)
def test_columns_of_lists_and_objects_are_documents(column):
    assert counts_of(column) == [{"a": 1, "b": 1}, {"c": 1}]


def test_text_that_is_tokens_already_is_split():
    assert counts_of(["New York,  Rome,"], Tokens(",")) == [{"New York": 1, "Rome": 1}]
    assert counts_of(["GET /a  GET\t7"], Tokens("whitespace")) == [{"GET": 2, "/a": 1, "7": 1}]
    with pytest.raises(ValueError, match="split must be one of whitespace, ,"):
        Tokens("words")


@pytest.mark.parametrize(
    ("documents", "error", "message"),
    [
        (["a", "b"], ValueError, "document 0 is 'a'.*--split"),
        ([["a"], None], ValueError, "document 1 is None"),
        ([[1.5]], ValueError, r"token 1\.5; tokens must be strings or integers"),
        ([[1.5]], ValueError, r"token 1\.5"),
        ([[True]], ValueError, "token True"),
        ([{"a": -1}], ValueError, "counts 'a' as -1"),
        ([{"a": 0.5}], ValueError, r"counts 'a' as 0\.5"),
        ([{"a": float("nan")}], ValueError, "counts 'a' as nan"),
        ([{"a": 2**53}], ValueError, "counts 'a' as"),
        ([{"a": 2**52, "b": 2**52}], ValueError, "has 9007199254740992 tokens"),
        ([{"a": "x"}], ValueError, "counts 'a' as 'x'"),
        ({"a": 1}, TypeError, r"give one as \[it\]"),
        ("a b", TypeError, r"give one as \[it\]"),
    ],
)
def test_what_is_no_document_of_tokens_is_refused_and_changes_nothing(documents, error, message):
    topics = TextTopics(2, learner="unigram", words="tokens")
    topics.learn([["x"]])
    with pytest.raises(error, match=message):
        topics.learn(documents)
    assert (topics.n_docs, list(topics.vocabulary)) == (1, ["x"])


def test_lists_without_tokens_being_said_get_advice():
    with pytest.raises(ValueError, match=r'text 0 is \[.*set words="tokens"'):
        TextTopics(2, learner="unigram").learn([["a"]])
    with pytest.raises(ValueError, match="\"tokens\", got 'word'"):
        TextTopics(2, words="word")


def test_topics_of_tokens_are_saved_resumed_and_merged_like_those_of_text(tmp_path):
    whole = TextTopics(2, words="tokens", block_size=10)
    whole.learn(DOCUMENTS * 30)
    half = TextTopics(2, words="tokens", block_size=10)
    half.learn(DOCUMENTS * 15)
    again = load(save(half, tmp_path / "half"))
    again.learn(iter(DOCUMENTS * 15))
    assert same_state(again.to_state(), whole.to_state())
    assert again.vectoriser.words == Tokens()
    both = merge(again, load(tmp_path / "half"))
    assert both.n_docs == 180
    other = TextTopics(2, words=Tokens(","), block_size=10)
    with pytest.raises(ValueError, match="split"):
        merge(both, other)


def test_new_tokens_are_ignored_when_predicting_and_taken_in_when_learning():
    topics = TextTopics(2, words="tokens")
    topics.learn([["rain", "wind"], ["goal", "late"]] * 20)
    rain, unknown = topics.posterior([["rain", "never seen"], {"never seen": 3}])
    np.testing.assert_array_equal(rain, topics.posterior([["rain"]])[0])
    np.testing.assert_array_equal(unknown, topics.model.weights)
    topics.learn([{"snow": 4}])
    assert "snow" in topics.vocabulary
    assert any("rain" in words for words in topics.at("all").top_words(2))


def test_the_most_frequent_tokens_are_counted_in_documents():
    for texts in (DOCUMENTS, iter(DOCUMENTS)):
        assert list(Vocabulary.most_frequent(texts, 2, words=Tokens())) == ["7", "shoe"]
    split = Vocabulary.most_frequent(["a b", "a"], 1, words=Tokens("whitespace"))
    assert list(split) == ["a"]


@pytest.mark.parametrize(
    "text", ["", "phone", '"a"', "[", "[1.5]", "[[1]]", '{"a": "b"}', "[" * 9999, '{"a": -1}']
)
def test_what_is_no_tokens_in_json_is_none(text):
    assert parse_tokens(text) is None
    assert parse_tokens("[]") == []


@pytest.mark.parametrize("keeps", [True, False])
def test_typical_documents_and_trends_are_of_tokens_as_they_are(keeps, tmp_path):
    topics = TextTopics(2, words="tokens", timeline=Timeline(texts=keeps))
    films = [["Die Hard (1988)", "Alien [1979]"] * 3, {"Ghost (1990)": 5, "Babe, the pig": 1}]
    topics.learn(films * 60, times=range(120))
    again = load(save(topics, tmp_path / "films"))
    assert again.trends().shares.shape[1] == 2
    sampled = sample_under(again.at("all"), again.timeline)
    assert len(sampled.texts) == 120
    assert any("Babe, the pig" in text and "Ghost (1990)" in text for text in sampled.texts)
    assert sampled.documents.n_docs == 120
    assert sampled.documents.lengths.tolist() == [6.0] * 120


def test_a_document_that_is_stored_fits_and_is_read_back():
    many = [f"tökén {i}" for i in range(500)]
    text = Tokens().store(many, 625)
    assert len(text.encode()) <= 625
    found = Tokens().restore(text)
    assert found == many[: len(found)]
    assert len(found) > 30
    assert Tokens().restore(Tokens().store({"a": 2, 7: 1}, 99)) == {"a": 2, "7": 1}
    assert Tokens(",").restore(Tokens(",").store("a, b", 99)) == "a, b"
    assert Tokens().restore("cut sho") == []
