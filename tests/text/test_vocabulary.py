from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import Documents, GrowingVocabulary, Tokens, Vocabulary, Words
from spectralleader.checks.saved import by_kind
from spectralleader.text import vocabulary as module
from spectralleader.text.texts import Strings
from spectralleader.text.word_table import LONGEST, N_AT_ONCE
from tests.factories import any_texts, same_state

KNOWN = [f"known{i}" for i in range(N_AT_ONCE)]  # from then on, a word must occur often enough
read_vocabulary = by_kind(Vocabulary, GrowingVocabulary)
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


def test_a_first_pass_reads_texts_and_iterators():
    expected = ["be", "not", "so"]
    assert list(Vocabulary.most_frequent(SPOKEN, 3)) == expected
    assert list(Vocabulary.most_frequent(iter(SPOKEN), 3)) == expected
    assert list(Vocabulary.most_frequent(iter(SPOKEN), 3, words=str.split)) == expected


def test_a_first_pass_over_more_than_a_block_counts_every_text():
    many = [f"word{i % 7}" for i in range(2500)]
    assert list(Vocabulary.most_frequent(many, 1)) == ["word0"]  # 358 times, others 357


def test_a_first_pass_of_bounded_memory_says_that_it_forgot(monkeypatch):
    monkeypatch.setattr(module, "MOST_COUNTED", 10)
    monkeypatch.setattr(module, "AT_ONCE", 6)
    some = [
        text for i in range(20) for text in ("often often", *(f"rare{i}x{j}" for j in range(5)))
    ]
    with pytest.warns(UserWarning, match="more than 10 distinct words: 9. of the rarest"):
        vocabulary = Vocabulary.most_frequent(some, 1)
    assert list(vocabulary) == ["often"]


def test_a_first_pass_leaves_out_rare_words_but_not_all_of_them():
    assert list(Vocabulary.most_frequent(SPOKEN, 9, min_count=2)) == ["be", "not", "so", "to"]
    assert list(Vocabulary.most_frequent(SPOKEN, 2, min_count=2)) == ["be", "not"]
    assert list(Vocabulary.most_frequent(SPOKEN, 9, min_count=3)) == ["be"]
    assert list(Vocabulary.most_frequent(SPOKEN, 9, min_count=4)) == ["be"]
    with pytest.raises(ValueError, match="min_count"):
        Vocabulary.most_frequent(SPOKEN, 9, min_count=0)


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
    choosy = GrowingVocabulary(N_AT_ONCE, words=KNOWN, min_count=2)
    choosy.count_texts(SPOKEN, Words())
    for vocabulary in (given_one, growing, choosy):
        state = vocabulary.to_state()
        again = read_vocabulary({"stored": state}, "stored")
        assert type(again) is type(vocabulary)
        assert same_state(again.to_state(), state)
        blocks = [one.count_texts(["so it goes"], Words()) for one in (vocabulary, again)]
        assert blocks[0] == blocks[1]
        new_ids = [one.settle() for one in (vocabulary, again)]
        np.testing.assert_array_equal(*new_ids)
        assert list(again) == list(vocabulary)


def test_an_empty_growing_vocabulary_survives_its_state():
    again = GrowingVocabulary.from_state(GrowingVocabulary(3).to_state())
    assert (again.max_words, list(again)) == (3, [])


def rare_of(vocabulary):
    """The words that are remembered because they may be added, with their totals."""
    state = vocabulary.to_state()
    words, totals = Strings.from_state(state["rare"]["words"]), state["rare"]["totals"].tolist()
    return {w: n for w, n in zip(words, totals, strict=True) if w not in vocabulary}


def counted_plainly(documents, known, min_count):
    """The counts of each document, the totals of known words, and those of rare ones."""
    known, rare, counts = dict.fromkeys(known, 0), Counter(), []
    for given_words in documents:
        words = [word for word in given_words if len(word.encode()) <= LONGEST]
        for word in words:
            if word not in known and (len(known) < N_AT_ONCE or rare[word] >= min_count - 1):
                known[word] = rare.pop(word, 0)  # what came before counts, too
        counts.append(Counter(word for word in words if word in known))
        for word in words:
            (known if word in known else rare)[word] += 1
    return counts, known, +rare


@st.composite
def documents_of_few_words(draw):
    """Documents of words that often come again, some of them longer than what is loaded at once."""
    words = st.sampled_from([*"abcdef", "known0", "known994", "é" * 9, "x" * 500, "y" * 700])
    return draw(st.lists(st.lists(words, max_size=6), max_size=25))


# how documents are given: as text for the kernel, as text for a tokenizer of one's own, as tokens
GIVEN = {
    "words": (Words(min_length=1), " ".join),
    "own": (str.split, " ".join),
    "tokens": (Tokens(), list),
}


def in_blocks(vocabulary, documents, size, form="words"):
    """Count documents block by block; return them as one block over the final vocabulary."""
    tokenizer, give = GIVEN[form]
    blocks = [
        vocabulary.count_texts([give(words) for words in documents[i : i + size]], tokenizer)
        for i in range(0, len(documents), size)
    ]
    return Documents.concatenate(block.widen(vocabulary.n_words) for block in blocks)


def as_counters(block, vocabulary):
    return [
        Counter({vocabulary[i]: int(n) for i, n in zip(one.words, one.counts, strict=True)})
        for one in block.blocks(1)
    ]


@pytest.mark.parametrize("form", GIVEN)
@given(documents=documents_of_few_words(), min_count=st.integers(1, 4), n_missing=st.integers(0, 3))
def test_rare_words_wait_however_the_documents_are_cut_into_blocks(
    form, documents, min_count, n_missing
):
    """By the definition; a few words may be missing until those at once are complete."""
    known = KNOWN[: N_AT_ONCE - n_missing]
    expected, totals, rare = counted_plainly(documents, known, min_count)
    for size in (1, 7, len(documents)):
        vocabulary = GrowingVocabulary(9 * N_AT_ONCE, words=known, min_count=min_count)
        if documents:
            block = in_blocks(vocabulary, documents, size, form)
            assert as_counters(block, vocabulary) == expected
        assert list(vocabulary) == list(totals)
        assert vocabulary.totals.tolist() == list(totals.values())
        assert rare_of(vocabulary) == rare


@given(documents=documents_of_few_words(), min_count=st.integers(1, 4), at=st.integers(0, 25))
def test_a_vocabulary_stored_in_the_middle_goes_on_as_if_it_had_not_been(documents, min_count, at):
    documents = [*documents, ["end"]]
    whole = GrowingVocabulary(9 * N_AT_ONCE, words=KNOWN, min_count=min_count)
    parts = [documents[:at], documents[at:]]
    expected = [in_blocks(whole, part, 7) if part else None for part in parts]
    stopped = GrowingVocabulary(9 * N_AT_ONCE, words=KNOWN, min_count=min_count)
    for part, block in zip(parts, expected, strict=True):
        assert part == [] or in_blocks(stopped, part, 7) == block
        stopped = type(stopped).from_state(stopped.to_state())
    assert same_state(stopped.to_state(), whole.to_state())


@given(documents=documents_of_few_words(), min_count=st.integers(1, 4))
def test_tokens_with_counts_are_counted_like_repeated_ones(documents, min_count):
    counted, repeated = (
        GrowingVocabulary(9 * N_AT_ONCE, words=KNOWN, min_count=min_count) for _ in range(2)
    )
    block = counted.count_texts([dict(Counter(words)) for words in documents], Tokens())
    assert block == repeated.count_texts(documents, Tokens())
    assert same_state(counted.to_state(), repeated.to_state())


def test_a_word_that_occurs_often_in_its_first_text_counts_from_the_next_on():
    vocabulary = GrowingVocabulary(N_AT_ONCE, words=KNOWN, min_count=3)
    texts = ["again again again", "again", "once", "once", "once"]
    block = vocabulary.count_texts(texts, Words())
    assert block.lengths.tolist() == [0, 1, 0, 0, 1]
    assert vocabulary[N_AT_ONCE:] == ["again", "once"]
    assert vocabulary.totals[N_AT_ONCE:].tolist() == [4, 3]  # of all occurrences


def test_the_first_thousand_words_are_added_at_once():
    vocabulary = GrowingVocabulary(9 * N_AT_ONCE, min_count=5)
    first = [f"word{i}" for i in range(N_AT_ONCE + 3)]
    block = vocabulary.count_texts([" ".join(first[:10]), " ".join(first)], Words())
    assert N_AT_ONCE == 1000
    assert list(vocabulary) == first[:N_AT_ONCE]
    assert block.lengths.tolist() == [10, N_AT_ONCE]
    assert rare_of(vocabulary) == dict.fromkeys(first[N_AT_ONCE:], 1)


def test_many_rare_words_of_any_length_are_remembered_and_added():
    """So many, and so long ones, that both tables grow several times, also in a single text."""
    words = [f"w{i}" * (i % 40 + 1) for i in range(4000)]
    for texts in ([" ".join(words)] * 2, words * 2):
        vocabulary = GrowingVocabulary(9 * N_AT_ONCE, words=KNOWN, min_count=2)
        block = vocabulary.count_texts(texts, Words())
        assert vocabulary[N_AT_ONCE:] == words
        assert (vocabulary.totals[N_AT_ONCE:] == 2).all()
        assert block.lengths[: len(texts) // 2].sum() == 0
        assert block.lengths.sum() == 4000


def test_words_to_start_with_count_whatever_the_minimum():
    vocabulary = GrowingVocabulary(9, words=["sun", "rain"], min_count=5)
    assert vocabulary.count_texts(["rain and rain"], Words()).lengths.tolist() == [3]
    assert list(vocabulary) == ["sun", "rain", "and"]  # which is among the first thousand
    assert vocabulary.totals.tolist() == [0, 2, 1]
    with pytest.raises(ValueError, match="min_count"):
        GrowingVocabulary(9, min_count=0)


def grown(texts, min_count, max_words=9 * N_AT_ONCE):
    vocabulary = GrowingVocabulary(max_words, words=KNOWN, min_count=min_count)
    vocabulary.count_texts(texts, Words())
    return vocabulary


def test_united_vocabularies_add_their_rare_words_and_promote_those_that_are_frequent():
    one = grown(["both single thrice known0", "ours", "ours", "ours"], min_count=3)
    other = grown(["both thrice thrice ours", "theirs"], min_count=3)
    united, new_ids = one.unite([other])
    assert united.min_count == 3
    assert list(united) == [*KNOWN, "ours", "thrice"]  # 4 and 3 times
    assert united.totals[N_AT_ONCE:].tolist() == [4, 3]
    assert united.totals[0] == 1
    assert rare_of(united) == {"both": 2, "single": 1, "theirs": 1}
    for part, ids in zip((one, other), new_ids, strict=True):
        assert [united[i] for i in ids] == list(part)
    united.count_texts(["both single"], Words())
    assert united[N_AT_ONCE:] == ["ours", "thrice", "both"]
    assert united.totals[N_AT_ONCE:].tolist() == [4, 3, 3]


@given(documents_of_few_words(), documents_of_few_words(), st.integers(1, 4))
def test_a_union_has_all_that_its_parts_counted(first, second, min_count):
    parts = []
    for documents in (first, second):
        parts.append(grown([" ".join(words) for words in documents], min_count))
        parts[-1].count_texts(["a b"], Words(min_length=1))
    united, _ = parts[0].unite(parts[1:])
    counted = Counter()
    for part in parts:
        counted.update(dict(zip(part, part.totals.tolist(), strict=True)))
        counted.update(rare_of(part))
    found = dict(zip(united, united.totals.tolist(), strict=True))
    assert {**rare_of(united), **found} == dict(counted)
    known = {word for part in parts for word in part}
    assert set(united) == known | {word for word, n in counted.items() if n >= min_count}


def test_vocabularies_of_different_minimums_differ_in_their_settings():
    assert GrowingVocabulary(9).settings != GrowingVocabulary(9, min_count=2).settings


def test_rare_words_are_bounded_and_the_frequent_and_the_newest_stay():
    most = 4 * N_AT_ONCE // 5  # such that the known words are not too many yet
    vocabulary = GrowingVocabulary(most, words=KNOWN, min_count=3)
    vocabulary.count_texts(["twice", "twice", *(f"rare{i}" for i in range(N_AT_ONCE - 1))], Words())
    assert vocabulary.settle() is None
    assert len(rare_of(vocabulary)) == N_AT_ONCE == most + most // 4
    vocabulary.count_texts(["newest"], Words())
    assert vocabulary.settle() is None
    kept = [f"rare{i}" for i in range(N_AT_ONCE - 1)][-(most - 2) :]
    assert rare_of(vocabulary) == {"twice": 2, **dict.fromkeys(kept, 1), "newest": 1}
    assert list(vocabulary) == KNOWN
    assert vocabulary.count_texts(["twice rare0"], Words()).lengths.tolist() == [1]
    assert rare_of(vocabulary)["rare0"] == 1  # counted anew


def test_a_word_that_was_added_is_not_remembered_as_rare_too():
    vocabulary = grown(["moon", "moon", *(f"rare{i}" for i in range(N_AT_ONCE))], 2, N_AT_ONCE)
    many = [f"more{i}" for i in range(N_AT_ONCE)]
    vocabulary.count_texts(many, Words())
    vocabulary.settle()
    assert "moon" in vocabulary
    assert "moon" not in vocabulary._rare.words()
    assert list(rare_of(vocabulary)) == many


@pytest.mark.parametrize("words", [Words(), Tokens(split="whitespace"), str.split])
def test_words_of_more_than_512_bytes_are_counted_and_not_learned(words):
    vocabulary = GrowingVocabulary(2, min_count=1)
    texts = [f"rain {'a' * 512}", f"wind {'b' * 513} {'é' * 257} rain {'b' * 513}", "snow"]
    documents = vocabulary.count_texts(texts, words)
    assert list(vocabulary) == ["rain", "a" * 512, "wind", "snow"]
    assert documents.lengths.tolist() == [2, 2, 1]
    assert vocabulary.n_too_long == 3
    assert len(vocabulary.settle()) == 4
    assert (vocabulary.n_too_long, vocabulary.frozen().n_too_long) == (3, 3)
    vocabulary.count_known(texts, words)
    assert vocabulary.n_too_long == 3


def test_a_given_word_that_is_too_long_is_named():
    with pytest.raises(ValueError, match=r"'aaa.* with more than 512 bytes"):
        Vocabulary(["rain", "a" * 513])
