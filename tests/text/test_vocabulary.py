from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import GrowingVocabulary, Vocabulary, Words
from spectralleader.text import vocabulary as module
from spectralleader.text import vocabulary_from_state, vocabulary_to_state
from tests.factories import any_texts, same_state

SPOKEN = ["to be or not to be", "be it so", "not so"]  # be 3, to not so 2, or it 1


def test_a_vocabulary_is_a_sequence_of_its_words():
    vocabulary = Vocabulary(["sun", "rain", "нет"])
    assert list(vocabulary) == ["sun", "rain", "нет"]
    assert (vocabulary[2], vocabulary[:2], len(vocabulary)) == ("нет", ["sun", "rain"], 3)
    assert "rain" in vocabulary
    assert "snow" not in vocabulary
    assert 1 not in vocabulary
    assert vocabulary.find(["нет", "snow", "sun"]).tolist() == [2, -1, 0]
    assert repr(vocabulary) == "Vocabulary(n_words=3)"


def test_a_vocabulary_is_read_from_a_file(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("sun\nstraße\n\n", encoding="utf-8")
    assert list(Vocabulary.from_file(path)) == ["sun", "straße"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "needs words, got none"),
        (["a", "b", "a"], "the word 'a' twice"),
        (["a", None], "made of words, got None"),
        (["a", ""], "made of words, got ''"),
    ],
)
def test_what_is_no_vocabulary_is_named(words, message):
    with pytest.raises(ValueError, match=message):
        Vocabulary(words)


@given(st.lists(any_texts(), min_size=1), st.integers(1, 10))
def test_the_most_frequent_words_are_those_that_a_counter_finds(documents, n_words):
    documents.append("at least a word")
    totals = Counter(word for text in documents for word in Words()(text))
    ranked = sorted(totals, key=lambda word: (-totals[word], word))
    assert list(Vocabulary.most_frequent(documents, n_words)) == ranked[:n_words]


def test_a_first_pass_reads_single_texts_blocks_and_iterators():
    expected = ["be", "not", "so"]
    assert list(Vocabulary.most_frequent(SPOKEN, 3)) == expected
    assert list(Vocabulary.most_frequent(iter(SPOKEN), 3)) == expected
    assert list(Vocabulary.most_frequent([SPOKEN[:2], np.array(SPOKEN[2:])], 3)) == expected
    assert list(Vocabulary.most_frequent(iter(SPOKEN), 3, words=str.split)) == expected


def test_a_first_pass_over_more_than_a_block_counts_every_text():
    many = [f"word{i % 7}" for i in range(2500)]
    assert list(Vocabulary.most_frequent(many, 1)) == ["word0"]  # 358 times, others 357


def test_a_first_pass_of_bounded_memory_says_that_it_forgot(monkeypatch):
    monkeypatch.setattr(module, "MOST_COUNTED", 10)
    blocks = [["often often", *(f"rare{i}x{j}" for j in range(5))] for i in range(20)]
    with pytest.warns(UserWarning, match="more than 10 distinct words: 9. of the rarest"):
        vocabulary = Vocabulary.most_frequent(blocks, 1)
    assert list(vocabulary) == ["often"]


def test_a_first_pass_over_nothing_or_a_string_is_an_error():
    with pytest.raises(ValueError, match="no words"):
        Vocabulary.most_frequent(["", "1 2 3"], 5)
    with pytest.raises(TypeError, match=r"give one text as \[text\]"):
        Vocabulary.most_frequent("to be", 5)
    with pytest.raises(ValueError, match="text 1 is None"):
        Vocabulary.most_frequent(["to be", None], 5)
    with pytest.raises(ValueError, match="n_words must be from 1"):
        Vocabulary.most_frequent(SPOKEN, 0)


def test_a_given_vocabulary_never_changes():
    vocabulary = Vocabulary(["be"])
    assert vocabulary.count_texts(SPOKEN, Words()).lengths.tolist() == [2, 1, 0]
    assert vocabulary.settle() is None
    assert list(vocabulary) == ["be"]


def test_new_words_get_the_next_ids():
    vocabulary = GrowingVocabulary(100)
    first = vocabulary.count_texts(SPOKEN[:1], Words())
    second = vocabulary.count_texts(SPOKEN[1:], Words())
    assert (first.n_words, second.n_words) == (4, 6)
    assert list(vocabulary) == ["to", "be", "or", "not", "it", "so"]
    assert vocabulary.totals.tolist() == [2, 3, 1, 2, 1, 2]
    assert vocabulary.settle() is None


def test_before_its_first_word_a_growing_vocabulary_makes_legal_documents():
    block = GrowingVocabulary(5).count_texts(["", "!"], Words())
    assert (block.n_docs, block.n_words, block.lengths.tolist()) == (2, 1, [0, 0])


@given(st.lists(st.lists(st.sampled_from("abcdefghijklmnop")), max_size=30), st.integers(1, 8))
def test_settling_keeps_the_heaviest_and_of_equal_ones_the_first_to_come(documents, max_words):
    vocabulary = GrowingVocabulary(max_words)
    vocabulary.count_texts([" ".join(words) for words in documents], Words(min_length=1))
    before, totals = list(vocabulary), vocabulary.totals
    new_ids = vocabulary.settle()
    if len(before) <= max_words + max_words // 4:
        assert new_ids is None
        return
    heaviest = sorted(range(len(before)), key=lambda i: (-totals[i], i))[:max_words]
    assert list(vocabulary) == [before[i] for i in sorted(heaviest)]
    assert vocabulary.totals.tolist() == [totals[i] for i in sorted(heaviest)]
    expected = vocabulary.find(before)  # an old word's new id is where it is found now
    assert new_ids.tolist() == expected.tolist()


def test_a_word_that_was_dropped_may_come_back():
    vocabulary = GrowingVocabulary(1)
    vocabulary.count_texts(["sun sun rain"], Words())
    assert vocabulary.settle().tolist() == [0, -1]
    block = vocabulary.count_texts(["rain"], Words())
    assert (block.words.tolist(), list(vocabulary)) == ([1], ["sun", "rain"])
    assert vocabulary.totals.tolist() == [2, 1]


def test_a_vocabulary_survives_its_state_and_goes_on():
    given_one = Vocabulary(["sun", "Straße", "\ud800"])
    growing = GrowingVocabulary(3)
    growing.count_texts(SPOKEN, Words())
    closed = GrowingVocabulary(3, words=["sun", "rain"], n_closed=len(SPOKEN) + 1)
    closed.count_texts(SPOKEN, Words())
    for vocabulary in (given_one, growing, closed):
        state = vocabulary_to_state(vocabulary)
        again = vocabulary_from_state(state)
        assert type(again) is type(vocabulary)
        assert same_state(vocabulary_to_state(again), state)
        assert all(array.dtype != object for array in state["words"].values())
        blocks = [one.count_texts(["so it goes"], Words()) for one in (vocabulary, again)]
        assert blocks[0] == blocks[1]
        new_ids = [one.settle() for one in (vocabulary, again)]
        np.testing.assert_array_equal(*new_ids)
        assert list(again) == list(vocabulary)


def test_a_closed_vocabulary_opens_after_its_texts():
    vocabulary = GrowingVocabulary(9, words=["sun", "rain"], n_closed=2)
    assert (vocabulary.grows, vocabulary.is_fixed) == (True, True)
    for texts, words in (
        (["sun and moon"], ["sun", "rain"]),
        (["moon", "stars"], ["sun", "rain"]),  # it opens between two calls
        (["rain", "moon"], ["sun", "rain", "moon"]),
    ):
        vocabulary.count_texts(texts, Words())
        assert list(vocabulary) == words
    assert not vocabulary.is_fixed
    assert vocabulary.totals.tolist() == [1, 1, 1]
    assert not GrowingVocabulary(9).is_fixed
    assert Vocabulary(["sun"]).is_fixed
    with pytest.raises(ValueError, match="n_closed"):
        GrowingVocabulary(9, n_closed=-1)


def test_a_growing_vocabulary_of_an_earlier_version_is_open():
    state = vocabulary_to_state(GrowingVocabulary(3))
    del state["n_closed"], state["n_texts"]
    again = vocabulary_from_state(state)
    again.count_texts(["moon"], Words())
    assert list(again) == ["moon"]


def test_an_empty_growing_vocabulary_survives_its_state():
    again = vocabulary_from_state(vocabulary_to_state(GrowingVocabulary(3)))
    assert (again.max_words, list(again)) == (3, [])
