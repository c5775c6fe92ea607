"""A scenario whose corpus is a file of one's own."""

import gzip
import json

import polars as pl
import pytest

from study.experiments import load
from study.experiments.scenario import parse
from study.experiments.streams import open_source, portable, why_missing
from study.experiments.trials import trials_of
from tests.factories import scenario_table, texts

BODIES, SECTIONS = texts(60)
SCENARIO = """
question = "Which is better?"
block_size = 5
n_steps = 6
seeds = 1
metrics = ["L1"]
[stream]
corpus = {corpus}
n_words = 24
n_topics = 3
[[learners]]
name = "unigram"
"""


def write_file(path, bodies=BODIES):
    """Write the texts, the last one first, in the format of the name's end."""
    times = [f"2020-01-01T00:{i:02}:00Z" for i in range(len(bodies))]
    frame = pl.DataFrame({"body": bodies, "date": times, "section": SECTIONS[: len(bodies)]})
    frame = frame.reverse()
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(frame.write_csv().encode()))
        return
    write = {".csv": frame.write_csv, ".jsonl": frame.write_ndjson, ".parquet": frame.write_parquet}
    write[path.suffix](path)


def load_scenario(folder, corpus):
    path = folder / "own.toml"
    path.write_text(SCENARIO.replace("{corpus}", corpus))
    return load(path)


def as_toml(**keys):
    return "{ " + ", ".join(f"{key} = {json.dumps(value)}" for key, value in keys.items()) + " }"


@pytest.mark.parametrize("name", ["own.csv", "own.csv.gz", "own.jsonl", "own.parquet"])
def test_any_format_is_read_in_order_of_the_time_that_is_named(tmp_path, name, monkeypatch):
    folder = tmp_path / "studies"
    folder.mkdir()
    write_file(folder / name)
    monkeypatch.chdir(tmp_path)  # paths are relative to the scenario, not to where it is run
    corpus = as_toml(file=name, text="body", time="date", label="section")
    in_time = open_source(load_scenario(folder, corpus).stream).documents
    as_it_is = open_source(load_scenario(folder, as_toml(file=name, text="body")).stream).documents
    assert in_time.n_docs == 60
    order = list(reversed(range(60)))
    assert [row.tolist() for row in in_time.to_matrix().toarray()] == [
        row.tolist() for row in as_it_is.to_matrix().toarray()[order]
    ]


def test_columns_are_guessed_if_they_are_obvious(tmp_path):
    frame = pl.DataFrame({"text": BODIES, "timestamp": ["2020-01-01"] * 60})
    frame.write_csv(tmp_path / "own.csv")
    scenario = load_scenario(tmp_path, as_toml(file="own.csv"))
    assert open_source(scenario.stream).documents.n_docs == 60
    assert why_missing(scenario.stream, None) is None


def test_several_columns_of_text_are_joined(tmp_path):
    frame = pl.DataFrame({"title": BODIES, "body": BODIES})
    frame.write_csv(tmp_path / "own.csv")
    scenario = load_scenario(tmp_path, as_toml(file="own.csv", text=["title", "body"]))
    counts = open_source(scenario.stream).documents.counts
    assert (counts % 2 == 0).all()


def test_a_file_that_changed_is_run_again_and_one_that_moved_is_not(tmp_path):
    runs = []
    for folder, n_docs in (("a", 60), ("b", 60), ("c", 59)):
        (tmp_path / folder).mkdir()
        write_file(tmp_path / folder / "own.csv", BODIES[:n_docs])
        scenario = load_scenario(tmp_path / folder, as_toml(file="own.csv", text="body"))
        assert str(tmp_path) not in json.dumps(portable(scenario.stream))
        runs.append(trials_of(scenario)[0].run)
    assert runs[0] == runs[1] != runs[2]


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"own\.toml: .*No such file.*nothing\.csv"):
        load_scenario(tmp_path, as_toml(file="nothing.csv"))


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        ({}, "missing required field `file` - at `\\$.corpus`"),
        ({"file": "a.csv", "texts": "body"}, "unknown field `texts`"),
        ({"file": 3}, r"`\$.corpus.file`"),
        ({"file": "a.csv", "time": ["a", "b"]}, r"`\$.corpus.time`"),
        ({"file": "a.csv", "label": ""}, r"`\$.corpus.label`"),
        (7, r"`\$.corpus`"),
    ],
)
def test_a_table_that_is_not_right_is_refused(corpus, message):
    stream = {"corpus": corpus, "n_words": 20, "n_topics": 3}
    with pytest.raises(ValueError, match=message):
        parse(scenario_table(stream=stream), "own")


def test_a_column_that_is_not_there_is_named(tmp_path):
    write_file(tmp_path / "own.csv")
    scenario = load_scenario(tmp_path, as_toml(file="own.csv", text="content"))
    with pytest.raises(ValueError, match="content"):
        open_source(scenario.stream)
