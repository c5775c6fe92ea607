"""Learning on an engine from folders of files."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from spectralleader import SpectralMethod, Vocabulary, Words, load
from spectralleader.cli.app import app
from spectralleader.jobs.engine import choose_text, choose_vocabulary, find_kind, list_files
from tests.factories import write_folder


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
    with pytest.raises(ValueError, match="found are csv, parquet: name the files"):
        list_files([str(tmp_path / "in")], None)
    assert find_kind("a.b/x.jsonl.gz") == "jsonl"


def test_the_column_of_text_is_named_or_obvious():
    assert choose_text(None, ["id", "Title", "Text"]) == ["Text"]
    assert choose_text(["a", "b"], ["a", "b"]) == ["a", "b"]
    with pytest.raises(ValueError, match="no obvious column of text"):
        choose_text(None, ["a", "b"])
    with pytest.raises(ValueError, match="no column"):
        choose_text(["c"], ["a", "b"])


def test_a_vocabulary_is_a_number_or_a_file(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("rain\nsun\n", encoding="utf-8")
    assert choose_vocabulary("70") == 70
    assert list(choose_vocabulary(str(path))) == ["rain", "sun"]
    with pytest.raises(ValueError, match="not 'grow'"):
        choose_vocabulary("grow")
