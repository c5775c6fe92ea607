import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import Words
from spectralleader.text.words import ENGLISH, EVERYTHING, read_words
from tests.factories import any_texts, same_state, wordings


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Braun Audio's comeback", ["braun", "audio", "comeback"]),
        ("see https://t.co/Ab1?x=1,2 and WWW.Example.org/a now", ["see", "and", "now"]),
        ("(http://a.b) <a href='http://a.b'>link</a>", ["href", "link"]),
        ('say "http://a.b"loud', ["say", "loud"]),
        ("xhttp://host wwww.host https:/host", ["xhttp", "host", "wwww", "host", "https", "host"]),
        ("@user thanks @Other_1, mail me@host.org", ["thanks", "mail", "me", "org"]),
        ("#MeToo #covid19 #2020", ["metoo", "covid19"]),
        ("10,000 in 2020, 3rd 5G ٣٤", ["in", "3rd", "5g"]),
        ("don't we\u2019ll", ["don", "we", "ll"]),
        ("snake_case __ _", ["snake_case", "__"]),
        ("שלום нет 日本語 ΟΔΟΣ", ["שלום", "нет", "日本語", "οδος"]),
        ("", []),
    ],
)
def test_words_of_tweets_and_headlines(text, found):
    assert Words()(text) == found


@given(any_texts())
def test_with_everything_kept_words_are_those_of_scikit_learns_pattern(text):
    everything = Words(keep=EVERYTHING)
    assert everything(text) == re.findall(r"(?u)\b\w\w+\b", text.lower())


@given(any_texts(), wordings())
def test_every_rule_only_takes_words_away(text, words):
    kept = list(Words(min_length=1, keep=EVERYTHING)(text))
    remaining = iter(kept)
    assert all(word in remaining for word in words(text))  # a subsequence


def test_what_is_kept_is_there():
    text = "@user 2020 www.host.org"
    assert Words(keep=["mentions"])(text) == ["user"]
    assert Words(keep={"numbers"})(text) == ["2020"]
    assert Words(keep="urls")(text) == ["www", "host", "org"]


def test_english_stop_words_are_left_out():
    text = "The people didn't say they'd have won it, and we've heard"
    assert Words(stop_words="english")(text) == ["people", "say", "won", "heard"]


def test_english_stop_words_are_words_and_sentences_need_them():
    assert all(Words(min_length=1)(word) == [word] for word in ENGLISH)
    assert {"the", "of", "and", "is", "don", "ll", "ve"} <= ENGLISH
    assert not {"rain", "health", "won", "new", "us dollar"} & ENGLISH


def test_stop_words_come_from_a_file_or_any_iterable_and_are_cut_as_texts_are(tmp_path):
    path = tmp_path / "stop.txt"
    path.write_text("\ufeffRain\n\n  don't \nStraße\n", encoding="utf-8")
    expected = {"rain", "don", "t", "straße"}
    assert Words(stop_words=path).stops == expected
    assert Words(stop_words=str(path)).stops == expected
    assert Words(stop_words=iter(read_words(path))).stops == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_length": 0}, "at least 1, got 0"),
        ({"min_length": 2.5}, "integer, got 2.5"),
        ({"keep": ["emoji"]}, r"got \['emoji'\]"),
        ({"stop_words": "no-such-file"}, "no file 'no-such-file'"),
        ({"stop_words": ["new york"]}, "one word, got 'new york'"),
        ({"stop_words": [1]}, "one word, got 1"),
    ],
)
def test_mistakes_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        Words(**options)


@given(wordings())
def test_words_are_values_and_survive_their_state(words):
    again = Words.from_state(words.to_state())
    assert again == words
    assert hash(again) == hash(words)
    assert same_state(again.to_state(), words.to_state())


@given(st.lists(st.sampled_from(["The", "rain", "of"])))
def test_equal_rules_are_equal_however_they_were_given(stop_words):
    assert Words(stop_words=stop_words) == Words(stop_words={word.lower() for word in stop_words})
