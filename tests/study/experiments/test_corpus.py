import numpy as np
import pytest

from spectralleader import SpectralMethod
from study.experiments import find, load, streams
from study.experiments.run import check, run
from study.experiments.scenario import parse
from study.experiments.streams import open_source, stand_in, why_missing
from tests.factories import scenario_table, write_corpus
from tests.real_data import real_file

STREAM = {"corpus": "news_headlines", "n_words": 6, "n_topics": 2, "min_words": 2}


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    words = [["vaccine", "dose", "trial"], ["goal", "match", "team"]]
    texts = [" ".join(rng.choice(words[i % 2], size=4)) for i in range(60)]
    write_corpus(tmp_path / "news_headlines.csv.gz", [(text, "x") for text in texts])
    streams.open_counted.cache_clear()
    return tmp_path


@pytest.fixture
def scenario():
    learners = [{"name": "spectral", "label": "SpectralLeader"}, {"name": "unigram"}]
    return parse(scenario_table(stream=STREAM, learners=learners, block_size=10), "my")


def test_theta_star_is_the_offline_spectral_methods_of_all_documents(folder):
    source = open_source(STREAM, folder)
    method = SpectralMethod(2, n_words=6).fit(source.documents)
    assert source.documents.n_docs == 60
    assert source.truth.distance(method.model) == 0.0


def test_documents_come_in_order_of_time_whatever_the_seed(folder):
    source = open_source(STREAM, folder)
    for seed in (0, 1):
        blocks = [block.documents for block in source.blocks(block_size=7, n_steps=3, seed=seed)]
        assert blocks == list(source.documents[:21].blocks(7))


def test_a_corpus_that_is_too_short_says_how_long_it_is(folder):
    with pytest.raises(
        ValueError, match="has 60 documents with enough words, but 7 blocks of 10 need"
    ):
        open_source(STREAM, folder).blocks(block_size=10, n_steps=7, seed=0)


def test_a_corpus_is_counted_once_and_not_to_check_learners(
    folder, scenario, tmp_path, monkeypatch
):
    counted = []
    count_reader = streams.count_reader
    monkeypatch.setattr(
        streams, "count_reader", lambda *a, **k: counted.append(a) or count_reader(*a, **k)
    )
    check([scenario])
    assert counted == []
    rows = run([scenario], tmp_path / "rows", workers=0, data=folder)["my"]
    assert len(counted) == 1
    assert {row.learner.label for row in rows} == {"SpectralLeader", "unigram"}
    final = {row.learner.label: row.values["L2"] for row in rows if row.step == 6}
    assert final["SpectralLeader"] < final["unigram"]


def test_a_missing_corpus_is_explained(tmp_path, monkeypatch):
    assert "news_headlines.csv (or .gz, .zst) is not in" in why_missing(STREAM, tmp_path)
    assert why_missing({"problem": "hard"}, None) is None
    with pytest.raises(ValueError, match="cannot read the corpus 'news_headlines'"):
        open_source(STREAM, tmp_path)
    monkeypatch.setenv("SPECTRALLEADER_DATA", str(tmp_path))
    write_corpus(tmp_path / "news_headlines.csv.gz", [("a b c", "x")])
    assert why_missing(STREAM, None) is None


def test_a_stand_in_has_the_size_of_the_truth(folder):
    assert stand_in(STREAM).topics.shape == open_source(STREAM, folder).truth.topics.shape
    assert stand_in({"problem": "hard"}).n_words == 3


@pytest.mark.parametrize("name", ["figure2-news-10", "figure2-tweets-1000"])
def test_the_papers_scenarios_have_enough_real_text(name):
    scenario = load(find(name))
    folder = real_file(f"{scenario.stream['corpus']}.csv.gz").parent
    source = open_source(scenario.stream, folder)
    assert source.documents.n_docs == 100_000
    assert source.documents.n_words == 500
    assert source.documents.lengths.min() >= 3
    blocks = source.blocks(block_size=scenario.block_size, n_steps=scenario.n_steps, seed=0)
    assert next(blocks).documents.n_docs == scenario.block_size
    assert source.truth.n_topics == 5
