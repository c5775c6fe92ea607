from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import Documents, GrowingVocabulary, Vectoriser, Vocabulary, Words
from spectralleader.text import counting
from spectralleader.text.word_table import LONGEST
from spectralleader.text.words import EVERYTHING
from tests.factories import any_texts, wordings
from tests.real_data import real_texts

HEADLINES = [
    "Braun Audio's comeback LE wireless speaker range is finally available. Braun is back",
    "",
    "Amazon is celebrating Alexa\u2019s 6th birthday—get the details: https://t.co/x1 @amazon",
    "COVID19: 1,234 new cases; covid19 tests, tests, tests",
]


def plain(words):
    """A tokenizer that is not `Words`, so that it takes the plain road."""
    return lambda text: words(text)


@given(st.lists(any_texts(), max_size=8), wordings())
def test_counts_are_those_of_a_counter(documents, words):
    vocabulary = Vocabulary(
        ["rain", "ab", "http", "don", "abcdefgh", "οδος", "日本語", "2020", "a"]
    )
    block = Vectoriser(vocabulary, words).count(documents)
    expected = [Counter(words(text)) for text in documents]
    assert block.n_docs == len(documents)
    assert block.to_matrix().toarray().tolist() == [
        [counter[word] for word in vocabulary] for counter in expected
    ]


@given(st.lists(any_texts(), max_size=8), wordings())
def test_the_fast_road_equals_the_plain_one_and_gives_the_same_ids_to_new_words(documents, words):
    fast, slow = GrowingVocabulary(1000), GrowingVocabulary(1000)
    block = Vectoriser(fast, words).count(documents)
    assert block == Vectoriser(slow, plain(words)).count(documents)
    assert list(fast) == list(slow)
    assert fast.totals.tolist() == slow.totals.tolist()


@pytest.mark.parametrize(
    "documents",
    [
        ["mail me@", "now"],  # the next text is no mention
        ["see http", "://host"],  # nor the rest of a web address
        ["see http://", "host", "www.", "host"],
        ["http://a>word", 'http://a"word', "http://a<word", "http://a\u3000word", "http://aé word"],
        ["https://a", "httpx://a", "http:/a", "http:", "www", "www,a", "wwx.a", "hhtp://a"],
    ],
)
def test_texts_end_where_they_end_and_so_do_web_addresses(documents):
    words, vocabulary = Words(), GrowingVocabulary(100)
    block = Vectoriser(vocabulary, words).count(documents)
    found = [[vocabulary[i] for i in document.words] for document in block.blocks(1)]
    assert found == [sorted(set(words(text)), key=list(vocabulary).index) for text in documents]


@given(st.lists(any_texts(), max_size=8), st.integers(1, 4))
def test_a_stream_in_blocks_counts_as_one_in_one_go(documents, size):
    at_once, in_blocks = GrowingVocabulary(1000), GrowingVocabulary(1000)
    whole = Vectoriser(at_once).count(documents)
    vectoriser = Vectoriser(in_blocks)
    starts = range(0, len(documents), size)
    parts = [vectoriser.count(documents[start : start + size]) for start in starts]
    assert list(at_once) == list(in_blocks)
    for start, part in zip(starts, parts, strict=True):
        words = whole[start : start + size]
        np.testing.assert_array_equal(part.words, words.words)
        np.testing.assert_array_equal(part.counts, words.counts)


def test_many_texts_are_counted_piece_by_piece(monkeypatch):
    documents = [f"word{i % 50} word{i % 3} some more" for i in range(100)]
    expected = Vectoriser(GrowingVocabulary(100)).count(documents)
    monkeypatch.setattr(counting, "AT_ONCE", 7)
    assert Vectoriser(GrowingVocabulary(100)).count(documents) == expected


def test_documents_are_legal_with_words_in_order_and_empty_ones_in_place():
    block = Vectoriser(Vocabulary(["tests", "braun", "is", "covid19"])).count(HEADLINES)
    assert block == Documents.from_tokens([[1, 1, 2, 2], [], [2], [0, 0, 0, 3, 3]], 4)
    assert block.indptr.dtype == np.int64
    assert block.words.dtype == np.int32
    assert block.counts.dtype == np.float64


class Arrow:
    """As much of an array of Arrow as is needed."""

    def __init__(self, texts):
        self.texts = texts

    def to_pylist(self):
        return list(self.texts)


def objects(texts):
    return np.array(texts, object)


@pytest.mark.parametrize("hold", [tuple, iter, pl.Series, np.array, objects, Arrow])
def test_texts_may_be_held_by_anything(hold):
    vectoriser = Vectoriser(Vocabulary(["is", "tests"]))
    assert vectoriser.count(hold(HEADLINES)) == vectoriser.count(HEADLINES)


def test_no_texts_are_no_documents():
    assert Vectoriser(Vocabulary(["is"])).count([]) == Documents.empty(1)
    assert Vectoriser(Vocabulary(["is"]), str.split).count(iter([])) == Documents.empty(1)


@pytest.mark.parametrize("words", [Words(), str.split])
def test_what_is_no_text_is_named_with_its_position(words):
    vectoriser = Vectoriser(Vocabulary(["is"]), words)
    with pytest.raises(TypeError, match=r"got 'one text'; give one text as \[text\]"):
        vectoriser.count("one text")
    with pytest.raises(TypeError, match="got b'one text'"):
        vectoriser.count(b"one text")
    with pytest.raises(ValueError, match="text 1 is None, not a string; leave out rows"):
        vectoriser.count(pl.Series(["is", None]))
    with pytest.raises(ValueError, match="text 0 is nan"):
        vectoriser.count(np.array([np.nan, "is"], object))
    with pytest.raises(ValueError, match=r"text 0 is b'is', not a string; .* decode bytes"):
        vectoriser.count([b"is"])


def test_a_vocabulary_must_be_one():
    with pytest.raises(TypeError, match="must be a Vocabulary, got"):
        Vectoriser(["is"])


def test_words_of_a_growing_vocabulary_must_occur_twice_unless_told_otherwise():
    assert Vectoriser.of(None, None).vocabulary.min_count == 2
    assert Vectoriser.of(None, None, min_count=5).vocabulary.min_count == 5
    assert list(Vectoriser.of(["is"], None, min_count=5).vocabulary) == ["is"]


def test_a_tokenizer_of_ones_own_is_called_with_each_text():
    vectoriser = Vectoriser(Vocabulary(["b", "a"]), words=iter)  # letters
    assert vectoriser.count(["abba", "xyz", "b"]).to_matrix().toarray().tolist() == [
        [2, 2],
        [0, 0],
        [1, 0],
    ]


@pytest.mark.parametrize("character", ["a", "é", "Σ", "x ", "日 ", "\0", "@", "\ud800"])
def test_very_long_texts_are_counted(character):
    text = character * 1_000_000
    words = Words(min_length=1)
    vocabulary = GrowingVocabulary(10)
    block = Vectoriser(vocabulary, words).count(["to be", text, "or not"])
    expected = Counter(word for word in words(text) if len(word) <= LONGEST)
    assert block[1].lengths.sum() == expected.total()
    assert vocabulary.n_too_long == Counter(words(text)).total() - expected.total()
    assert list(vocabulary)[2:-2] == list(expected)


def test_many_distinct_words_in_one_text_are_all_taken_in():
    words = [f"w{i}" for i in range(20_000)]
    vocabulary = GrowingVocabulary(1)
    block = Vectoriser(vocabulary).count([" ".join(words), " ".join(reversed(words))])
    assert list(vocabulary) == words
    assert (block.counts == 1).all()
    assert (vocabulary.totals == 2).all()


def test_a_vectoriser_survives_its_state_and_goes_on():
    vectoriser = Vectoriser(GrowingVocabulary(5), Words(stop_words="english", keep=["numbers"]))
    vectoriser.count(HEADLINES)
    again = Vectoriser.from_state(vectoriser.to_state())
    np.testing.assert_array_equal(again.settle(), vectoriser.settle())
    assert again.count(HEADLINES) == vectoriser.count(HEADLINES)
    assert repr(again) == repr(vectoriser)


def test_a_tokenizer_of_ones_own_cannot_be_saved():
    with pytest.raises(TypeError, match="cannot be saved"):
        Vectoriser(Vocabulary(["is"]), str.split).to_state()


def assert_equal_to_scikit_learn(documents, n_words):
    sklearn = pytest.importorskip("sklearn.feature_extraction.text")
    words = Words(keep=EVERYTHING)
    vocabulary = Vocabulary.most_frequent(documents, n_words, words=words)
    theirs = sklearn.CountVectorizer(vocabulary=list(vocabulary)).transform(documents)
    assert Vectoriser(vocabulary, words).count(documents) == Documents.from_matrix(theirs)


def test_counts_are_scikit_learns():
    assert_equal_to_scikit_learn(HEADLINES, 20)


@pytest.mark.parametrize("name", ["news_headlines", "election_tweets", "newsgroups"])
def test_counts_of_real_text_are_scikit_learns(name):
    assert_equal_to_scikit_learn(real_texts(f"{name}.csv.gz", 2000), 5000)


@pytest.mark.parametrize("name", ["news_headlines", "election_tweets", "newsgroups"])
def test_counts_of_real_text_are_those_of_a_counter(name):
    documents, words = real_texts(f"{name}.csv.gz", 1000), Words(stop_words="english")
    vocabulary = GrowingVocabulary(1000)
    block = Vectoriser(vocabulary, words).count(documents)
    for i, text in enumerate(documents):
        counted = {vocabulary[j]: n for j, n in zip(block[i].words, block[i].counts, strict=True)}
        assert counted == Counter(words(text))
