"""Learning on an engine from folders of files."""

import json
import sys
from contextlib import nullcontext

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from spectralleader import SpectralMethod, TextTopics, Vocabulary, Words, load
from spectralleader.cli.app import app, run
from spectralleader.jobs.engine import (
    ENGINES,
    choose_text,
    choose_vocabulary,
    find_kind,
    learn_on_engine,
    list_files,
)
from spectralleader.jobs.options import LearnOptions, Source
from tests.factories import write_folder

EVERY = "--checkpoint-every 60s --save x.model"


def options(path, format=None, **learning):
    return LearnOptions(Source.of(path, format=format), n_topics=2, **learning)


def texts(n_docs: int = 120) -> list[str]:
    rng = np.random.default_rng(0)
    kinds = (["rain", "wind", "sun"], ["goal", "match", "team"])
    return [
        "the\n" + " ".join(rng.choice(kinds[rng.integers(2)], size=rng.integers(1, 9)))
        for _ in range(n_docs)
    ]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.xdist_group("dask")
@pytest.mark.filterwarnings("ignore:The inplace keyword")  # Dask's way of asking pandas
def test_a_folder_is_learned_on_dask(tmp_path, kind):
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    strings = texts()
    write_folder(tmp_path / "in", kind, strings)
    saved = tmp_path / "topics.model"
    command = ["learn", str(tmp_path / "in"), "-k", "2", "--engine", "dask", "--json"]
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False}
    with (
        distributed.LocalCluster(**options, dashboard_address=":0") as cluster,
        distributed.Client(cluster),
    ):
        address = ["--address", cluster.scheduler_address] if kind == "csv" else []
        result = CliRunner().invoke(app, [*command, *address, "--save", str(saved)])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["documents"] == 120
    words = Words(stop_words="english")
    whole = Vocabulary.most_frequent(strings, 5000, words=words).count_known(strings, words)
    expected = SpectralMethod(2, n_words=whole.n_words, n_polish=10).fit(whole).model
    np.testing.assert_allclose(load(saved).model.topics, expected.topics, rtol=0, atol=1e-8)


def test_files_of_one_format_that_engines_read_are_found(tmp_path):
    write_folder(tmp_path / "in", "csv", texts(60))
    paths, kind = list_files([str(tmp_path / "in")], None)
    assert ([path[-10:] for path in paths], kind) == (["part-0.csv", "part-1.csv"], "csv")
    (tmp_path / "in" / "other.parquet").touch()
    with pytest.raises(ValueError, match="found csv, parquet: name the files"):
        list_files([str(tmp_path / "in")], None)
    assert find_kind("a.b/x.jsonl.gz") == "jsonl"
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="found no files"):
        list_files([str(tmp_path / "empty")], "csv")
    with pytest.raises(ValueError, match="not standard input"):
        list_files(["-"], "csv")


def test_addresses_go_to_the_engine_as_they_are():
    files = ["s3://bucket/a.jsonl", "hdfs://host/b.jsonl.gz"]
    assert list_files(files, None) == (files, "jsonl")
    assert list_files(["gs://bucket/folder"], "csv") == (["gs://bucket/folder"], "csv")
    with pytest.raises(ValueError, match="set --format"):
        list_files(["gs://bucket/folder"], None)


@pytest.fixture
def one_worker():
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    with distributed.Client(processes=False, dashboard_address=":0") as client:
        yield client


@pytest.mark.xdist_group("dask")
@pytest.mark.usefixtures("one_worker")
@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_an_address_is_read_by_dask_or_refused_in_one_line(tmp_path):
    write_folder(tmp_path / "in", "csv", texts(60))
    for name in ("*.csv", ""):
        address = (tmp_path / "in").as_uri() + "/" + name
        (tmp_path / "in" / "_SUCCESS").unlink(missing_ok=True)
        found = learn_on_engine("dask", options(address, format="csv"))
        assert found.topics.n_docs == 60
    with pytest.raises(ValueError, match=r"^dask cannot read none://b/a\.csv: [^\n]*need[^\n]*$"):
        learn_on_engine("dask", options("none://b/a.csv"))


@pytest.mark.xdist_group("dask")
@pytest.mark.usefixtures("one_worker")
@pytest.mark.filterwarnings("ignore:The inplace keyword")
@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([1, 2], "^column 'text' holds int64, not texts; name another one[^\n]*$"),
        ([["rain"], ["sun"]], r"^column 'text' holds array[^\n]*, not text: join its words$"),
    ],
)
def test_a_column_that_is_not_of_texts_is_named(tmp_path, values, said):
    path = tmp_path / "in.parquet"
    pl.DataFrame({"text": values}).write_parquet(path)
    with pytest.raises(ValueError, match=said):
        learn_on_engine("dask", options(path))


def test_the_column_of_text_is_named_or_obvious():
    kinds = {"a": "string", "b": "string"}
    assert choose_text([], dict.fromkeys(["id", "Title", "Text"], "string")) == ["Text"]
    assert choose_text(["a", "b"], kinds) == ["a", "b"]
    with pytest.raises(ValueError, match="no obvious text column"):
        choose_text([], kinds)
    with pytest.raises(ValueError, match="no column"):
        choose_text(["c"], kinds)


def test_a_vocabulary_is_a_number_or_a_file(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("rain\nsun\n", encoding="utf-8")
    assert choose_vocabulary("70") == 70
    assert list(choose_vocabulary(str(path))) == ["rain", "sun"]
    with pytest.raises(ValueError, match="got 'grow'"):
        choose_vocabulary("grow")


@pytest.mark.parametrize(
    "line",
    [
        *("--learner hedged", "--block 100", "--time t", "--label l", "--strict", "--sort", EVERY),
        "--min-count 2",
    ],
)
def test_options_that_an_engine_has_no_use_for_are_refused(tmp_path, line, monkeypatch):
    option = line.split()
    monkeypatch.chdir(tmp_path)
    write_folder(tmp_path / "in", "csv", texts(20))
    result = CliRunner().invoke(app, ["learn", "in", "--engine", "dask", *option])
    assert result.exit_code == 2
    assert f"{option[0]} is not supported with --engine" in " ".join(
        result.output.replace("│", " ").split()
    )


def test_an_address_is_refused_without_an_engine(tmp_path):
    write_folder(tmp_path / "in", "csv", texts(20))
    file = str(tmp_path / "in" / "part-0.csv")
    result = CliRunner().invoke(app, ["learn", file, "--address", "tcp://nobody:1"])
    assert result.exit_code == 2
    assert "--engine" in result.output


def test_a_file_that_is_there_is_kept_by_an_engine(tmp_path, monkeypatch):
    strings, saved = texts(20), tmp_path / "topics.model"
    write_folder(tmp_path / "in", "csv", strings)
    topics = TextTopics(2)
    topics.learn(strings)
    read = nullcontext((lambda *_, **__: topics, strings))
    monkeypatch.setitem(ENGINES, "dask", lambda *_: read)
    saved.write_text("of old")
    with pytest.raises(ValueError, match="already exists"):
        learn_on_engine("dask", options(tmp_path / "in", save=saved))
    assert saved.read_text() == "of old"
    result = learn_on_engine("dask", options(tmp_path / "in", save=saved, fresh=True))
    assert (tmp_path / "topics.model.bak").read_text() == "of old"
    assert load(saved).n_docs == 20
    assert result.summary()["saved"] == str(saved)
    assert result.summary()["backup"] == f"{saved}.bak"


def test_a_missing_engine_is_told_in_one_line(tmp_path, monkeypatch, capsys):
    write_folder(tmp_path / "in", "csv", texts(20))
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.delitem(sys.modules, "spectralleader.engines.spark", raising=False)
    arguments = ["spectralleader", "learn", str(tmp_path / "in"), "--engine", "spark"]
    monkeypatch.setattr(sys, "argv", arguments)
    assert run(app) == 2
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert last.endswith("requires the extra 'spark': pip install pyspark pandas pyarrow")
