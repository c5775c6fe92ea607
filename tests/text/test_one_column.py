import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from spectralleader import GrowingVocabulary, TextTopics, Vectoriser, Vocabulary
from spectralleader.text.texts import take_texts
from tests.factories import same_state, texts

WRITTEN = [*texts()[0], "", "Grüße aus ΟΔΟΣ", "İstanbul 漢字 😀"]


class ArrowHolder:
    """Texts of some library that hands them on by Arrow's interface alone."""

    def __init__(self, strings):
        self.strings = pl.Series(strings)

    def __arrow_c_stream__(self, requested_schema=None):
        return self.strings.__arrow_c_stream__(requested_schema)


FORMS = {
    "polars": pl.Series,
    "polars in chunks": lambda strings: pl.concat(
        [pl.Series(strings[:7]), pl.Series(strings[7:])], rechunk=False
    ),
    "polars, a interval": lambda strings: pl.Series(["rain", *strings, "wind"])[1:-1],
    "any holder": ArrowHolder,
    "arrow": pa.array,
    "pandas": pd.Series,
    "pandas, objects": lambda strings: pd.Series(strings, dtype=object),
    "pandas, stranger index": lambda strings: pd.Series(strings, index=range(len(strings), 0, -1)),
    "numpy": np.array,
}


@pytest.mark.parametrize("form", FORMS)
def test_texts_are_counted_the_same_in_any_form(form):
    given_texts = FORMS[form](WRITTEN)
    states = []
    for one in (WRITTEN, given_texts):
        topics = TextTopics(3, block_size=64)
        topics.learn(one)
        states.append(topics.to_state())
    assert same_state(*states)
    vocabulary = Vocabulary.most_frequent(given_texts, 20)
    assert list(vocabulary) == list(Vocabulary.most_frequent(WRITTEN, 20))


def test_a_tokenizer_of_ones_own_gets_strings():
    plain, ours = (Vectoriser(GrowingVocabulary(99), words) for words in (str.split, str.split))
    assert plain.count(WRITTEN) == ours.count(pl.Series(WRITTEN))


def test_no_library_is_imported_for_a_column_of_another(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert take_texts(pl.Series(WRITTEN)) == WRITTEN
    with pytest.raises(TypeError, match="Arrow's interface requires the extra 'parquet': pip inst"):
        take_texts(ArrowHolder(WRITTEN))


@pytest.mark.parametrize("form", ["polars", "any holder", "pandas", "pandas, objects"])
def test_a_missing_text_is_named_by_its_position(form):
    topics = TextTopics(2)
    with pytest.raises(ValueError, match=r"text 2 is (None|nan), not a string"):
        topics.learn(FORMS[form](["rain", "wind", None]))
    assert topics.n_docs == 0


@pytest.mark.parametrize("other", [pl.Series([1, 2]), pd.Series([1, 2]), pl.Series([b"rain"])])
def test_a_column_of_something_else_is_an_error(other):
    with pytest.raises(ValueError, match=r"text 0 is (?s:.*), not a string"):
        TextTopics(2).learn(other)


def test_a_frame_is_no_column():
    with pytest.raises(TypeError, match=r"a DataFrame of 'text'; pass one of them: df\['text'\]"):
        TextTopics(2).learn(pl.DataFrame({"text": ["rain"]}))
