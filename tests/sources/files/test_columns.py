from dataclasses import replace

import pytest

from spectralleader.sources.files.columns import Columns, choose
from spectralleader.sources.options import SourceOptions

SENTENCE = ["a word and another"]


ANYTHING = SourceOptions()


def chosen(names, wish=ANYTHING, sample=None):
    return choose(wish, names, sample or {}, "a.csv")


@pytest.mark.parametrize(
    ("names", "columns"),
    [
        (["id", "Text", "created_at"], Columns(("Text",), "created_at")),
        (["timestamp", "text", "label"], Columns(("text",), "timestamp", "label")),
        (["title", "content", "date", "publication"], Columns(("content",), "date")),
        (["headline", "category", "class"], Columns(("headline",))),
        (["whatever"], Columns(("whatever",))),
    ],
)
def test_telling_names_are_guessed_and_the_guess_is_said(names, columns):
    guessed, words = chosen(names)
    assert guessed == columns
    assert words[0] == f"text from the column {columns.text[0]!r}"
    assert len(words) == len(columns.wanted)


def test_the_only_column_that_looks_like_text_is_taken():
    sample = {"id": ["17"], "when": ["2016-11-08 13:00:00 UTC"], "said": SENTENCE}
    assert chosen(list(sample), sample=sample)[0].text == ("said",)


@pytest.mark.parametrize("sample", [{"a": ["x"], "b": ["y"]}, {"a": SENTENCE, "b": SENTENCE}])
def test_a_text_that_is_not_obvious_is_asked_for(sample):
    with pytest.raises(ValueError, match=r"which column of a.csv is the text.* 'a', 'b'. .*--text"):
        chosen(list(sample), sample=sample)


def test_a_column_of_no_times_is_not_taken_for_the_time():
    assert chosen(["text", "date"], sample={"text": SENTENCE, "date": ["with Ann"]})[0].time is None


def test_what_is_told_is_not_guessed():
    columns, words = chosen(
        ["text", "time", "label", "note"], SourceOptions(text=["note", "text"], time="", label="")
    )
    assert columns == Columns(("note", "text"))
    assert words == []


def test_columns_that_were_learned_are_preferred_to_a_guess():
    learned = SourceOptions(time="", label="", learned="title,note")
    assert chosen(["text", "title", "note"], learned) == (Columns(("title", "note")), [])
    assert chosen(["text", "title,note"], learned) == (Columns(("title,note",)), [])
    assert chosen(["text", "title", "note"], replace(learned, text="text"))[0].text == ("text",)


def test_a_column_is_guessed_if_those_that_were_learned_are_missing():
    columns, [guess] = chosen(["text", "title"], SourceOptions(learned="title,note"))
    assert columns == Columns(("text",))
    assert guess == "text from the column 'text'"
    assert chosen(["", "text"], SourceOptions())[0] == Columns(("text",))


def test_a_missing_column_is_an_error_that_lists_the_others():
    with pytest.raises(ValueError, match=r"a.csv has no column 'body'; its columns are 'x', 'y'"):
        chosen(["x", "y"], SourceOptions(text="body"))
    many = [f"column{i}" for i in range(100)]
    with pytest.raises(ValueError, match=r"'column29', \.\.\. \(100 in all\)"):
        chosen(many, SourceOptions(text="body"))


def test_a_column_that_is_there_twice_is_an_error_if_it_is_wanted():
    with pytest.raises(ValueError, match="more than one column 'text'"):
        chosen(["text", "text"])
    assert chosen(["x", "x", "text"])[0].text == ("text",)
