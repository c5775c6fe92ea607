import json

import polars as pl
import pytest

from spectralleader import Tokens, load
from spectralleader.jobs import Source, evaluate, learn, predict
from spectralleader.sources import read
from spectralleader.sources.files import problems

ITEMS = [["phone-8", "screen-33"], ["7", "shoe, red"], ["phone-8"]]


def write_lines(path, column, values):
    path.write_text("".join(json.dumps({"user": "u", column: value}) + "\n" for value in values))
    return path


def only_block(path, **options):
    reader = read(path, **options)
    [block] = reader
    return reader, block


@pytest.mark.parametrize("column", ["items", "text"])
def test_a_column_of_lists_is_taken_as_tokens_and_said_with_an_example(tmp_path, column):
    path = write_lines(tmp_path / "a.jsonl", column, [["phone-8", 33], [7]])
    reader, block = only_block(path)
    assert block.texts == [["phone-8", "33"], ["7"]]
    assert reader.columns.tokens
    assert reader.guesses == (f"{column}: 2 tokens, first 'phone-8'",)


def test_a_column_of_objects_with_numbers_is_taken_as_counts(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", "bag", [{"shoe": 2, "sock": 1.0}, {"shoe": 1}])
    reader, block = only_block(path)
    assert block.texts == [{"shoe": 2, "sock": 1}, {"shoe": 1}]
    assert reader.guesses == ("bag: 2 tokens with counts, first 'shoe'",)


def test_lists_and_structs_of_parquet_and_json_in_csv_are_tokens_too(tmp_path):
    frame = pl.DataFrame({"items": ITEMS, "n": [1, 2, 3]})
    frame.write_parquet(tmp_path / "a.parquet")
    assert only_block(tmp_path / "a.parquet")[1].texts == ITEMS
    pl.DataFrame({"bag": [{"a": 1, "b": None}, {"a": 2, "b": 3}]}).write_parquet(tmp_path / "b.pq")
    assert only_block(tmp_path / "b.pq")[1].texts == [{"a": 1}, {"a": 2, "b": 3}]
    texts = pl.DataFrame({"n": [1, 2, 3], "items": [json.dumps(items) for items in ITEMS]})
    texts.write_csv(tmp_path / "a.csv")
    assert only_block(tmp_path / "a.csv", tokens="items")[1].texts == ITEMS


def test_what_is_no_tokens_is_counted_with_its_lines(tmp_path):
    values = [["a"], "text", [], None, {"a": -1}, [[1]], ["b"]]
    reader, block = only_block(write_lines(tmp_path / "a.jsonl", "x", values), tokens="x")
    assert (block.texts, block.lines.tolist()) == ([["a"], ["b"]], [1, 7])
    assert reader.problems.counts == {problems.NO_TEXT: 2, problems.NOT_TOKENS: 3}
    with (
        read(tmp_path / "a.jsonl", tokens="x", strict=True) as strict,
        pytest.raises(ValueError, match=r"line 2: not a list of tokens"),  # the first of all
    ):
        next(strict)


def test_a_few_bad_rows_do_not_make_words_of_a_column_of_tokens(tmp_path):
    values = [["a", None, "b"], "text", [], ["\ud800"], {"c": 2}]
    reader, block = only_block(write_lines(tmp_path / "a.jsonl", "x", values))
    assert block.texts == [["a", "b"], {"c": 2}]
    assert reader.guesses == ("x: 2 tokens, first 'a'",)
    assert reader.problems.counts == {
        problems.BROKEN_JSON: 1,
        problems.NO_TEXT: 1,
        problems.NOT_TOKENS: 1,
    }
    with read(write_lines(tmp_path / "b.jsonl", "x", [[], []])) as reader:
        assert reader.guesses == ("x: tokens, the first lists are empty",)


@pytest.mark.parametrize("value", [[["a"]], [True], [1.5], [{"name": "click"}], {"a": {"b": -1}}])
def test_lists_and_objects_that_are_no_tokens_do_not_become_words(tmp_path, value):
    path = write_lines(tmp_path / "a.jsonl", "x", [value] * 3)
    with pytest.raises(ValueError, match=r"column 'x' of .* holds neither text nor tokens but '"):
        read(path, text="x")
    with read(path, text="x", tokens="") as reader:
        assert reader.columns.text == ("x",)


def test_text_where_tokens_are_asked_for_says_how_to_split_it(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", "x", ["a b", "c"])
    with pytest.raises(ValueError, match=r"'x' of .* but 'a b'; pass split=.*--split"):
        read(path, tokens="x")
    with pytest.raises(ValueError, match="exclude each other"):
        Source((str(path),), text=("x",), tokens="x")


def test_a_path_reaches_into_json(tmp_path):
    path = tmp_path / "a.jsonl"
    entries = [{"payload": {"body": "rain and wind", "meta": {"tags": ["x"]}}}, {"payload": 3}]
    entries += [{"payload": {"body": "a goal"}}, {"a.b": 1}]
    for broken in ("", "{\n"):  # read by polars, and one by one
        path.write_text("".join(json.dumps(entry) + "\n" for entry in entries) + broken)
        block = only_block(path, text="payload.body")[1]
        assert (block.texts, block.lines.tolist()) == (["rain and wind", "a goal"], [1, 3])
        assert only_block(path, text="payload.meta.tags")[1].texts == [["x"]]
        assert only_block(path, text="a.b")[1].texts == ["1"]


@pytest.mark.parametrize("split", [None, "whitespace"])
def test_tokens_are_learned_resumed_predicted_and_judged(tmp_path, split):
    values = [["rain-1", "Wind"], ["goal", "7"]] * 30
    if split:
        values = [" ".join(tokens) for tokens in values]
    path, saved = write_lines(tmp_path / "a.jsonl", "items", values), tmp_path / "model"
    source = Source((str(path),), tokens="items", split=split, block=10)
    found = learn(source, n_topics=2, save=saved)
    assert sorted(found.topics.vocabulary) == ["7", "Wind", "goal", "rain-1"]
    assert load(saved).vectoriser.words == Tokens(split)
    write_lines(path, "items", [*values, *values])
    assert learn(source, n_topics=2, save=saved).n_before == 60
    rows = [row for one in predict(load(saved), source) for row in one.rows()]
    assert [row["known_words"] for row in rows[:2]] == [2, 2]
    assert rows[0]["topic"] != rows[1]["topic"]
    judged = evaluate(source, learners=["unigram"], n_topics=2)
    assert (judged.n_docs, judged.n_empty) == (120, 0)
    with pytest.raises(ValueError, match=r"tokens was .*, is split by ,"):
        learn(Source((str(path),), tokens="items", split=",", block=10), n_topics=2, save=saved)
