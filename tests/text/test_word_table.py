import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from spectralleader.text.texts import Strings
from spectralleader.text.word_table import (
    LOWER,
    UPPER,
    Tables,
    add_documents,
    empty_table,
    find_word,
    look_up,
    make_table,
)

# few letters and lengths around 8, where words fill what is loaded at once
some_words = st.lists(
    st.one_of(st.text("ab\0é", max_size=20), st.text(st.characters(exclude_categories=())))
)


@given(some_words, some_words)
def test_a_table_is_a_dictionary_from_words_to_the_order_in_which_they_came(words, others):
    tables = Tables(empty_table(), empty_table())
    numbers, (table, _) = add_documents(tables, words, np.array([len(words)]), None, min_count=1)
    known = {word: number for number, word in enumerate(dict.fromkeys(words))}
    assert numbers.tolist() == [known[word] for word in words]
    assert list(table.words()) == list(known)
    assert table.totals[: len(known)].tolist() == [words.count(word) for word in known]
    found = look_up(table, others)
    assert found.tolist() == [known.get(word, -1) for word in others]


def test_a_table_grows_with_words_and_with_their_bytes():
    words = [str(i) * (i % 30 + 1) for i in range(5000)]
    table = make_table(words)
    assert look_up(table, words).tolist() == list(range(5000))
    assert (table.slots == 0).mean() >= 0.5


@njit
def find(*given):
    return find_word(*given)


def test_words_of_the_same_hash_are_told_apart_by_their_bytes():
    table = make_table(["twelve bytes"])
    text = np.frombuffer(b"twelve bytez" + bytes(8), np.uint8)
    hashed = int(table.slots[table.slots != 0][0]) & UPPER  # as if it were the other word's
    arrays = table.slots, table.starts, table.arena
    assert find(*arrays, text, 0, 12, hashed) == -1
    assert int(table.slots.max() & LOWER) <= 1


@given(some_words)
def test_packed_strings_come_back(strings):
    assert Strings.from_state(Strings(strings).to_state()) == tuple(strings)
