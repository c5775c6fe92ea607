from io import StringIO

import numpy as np
import pytest
from rich.console import Console
from rich.progress import Progress

from spectralleader import DEFAULT_LEARNER, LEARNERS
from study import demo
from study.sources.corpora import DATA_VARIABLE, find_files
from study.sources.pypi import WHEEL_VARIABLE
from tests.factories import write_corpus


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache, and no other folder of corpora."""
    monkeypatch.delenv(DATA_VARIABLE, raising=False)
    monkeypatch.setenv("SPECTRALLEADER_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def write_tweets(folder):
    rng = np.random.default_rng(0)
    words = [["vaccine", "flu", "ebola"], ["recipe", "diet", "fat"]]
    texts = ["RT @x: " + " ".join(rng.choice(words[i % 2], size=5)) for i in range(250)]
    write_corpus(folder / "health_tweets.csv.gz", [(text, "account") for text in texts])


def shown(tmp_path):
    console = Console(record=True, width=100, file=StringIO())
    demo.show(console, n_steps=5, n_runs=1, seed=0, folder=tmp_path)
    return console.export_text()


def test_topics_of_tweets_are_shown_and_then_the_papers_figure(cache, tmp_path):
    write_tweets(cache)
    text = shown(tmp_path)
    assert "Read 250 tweets of 2020 to 2020" in text
    assert " tweets/s" in text
    assert f"10 topics, learned by {LEARNERS[DEFAULT_LEARNER].__name__}" in text
    assert "vaccine" in text
    assert " rt " not in text
    assert "Health news on Twitter" in (tmp_path / "topics.html").read_text()
    assert text.index("top words") < text.index("True | learned")
    assert (tmp_path / "demo.png").is_file()


def test_without_a_download_it_says_so_in_a_line_and_goes_on(cache, tmp_path, monkeypatch):
    monkeypatch.setenv(WHEEL_VARIABLE, str(tmp_path / "none.whl"))
    text = shown(tmp_path)
    [line] = [line for line in text.splitlines() if "are not available" in line]
    assert "none.whl" in line
    assert "True | learned" in text
    assert (tmp_path / "demo.png").is_file()


def test_a_file_without_tweets_is_no_accident(cache):
    write_corpus(cache / "health_tweets.csv.gz", [("", "account")])
    with (
        Progress(console=Console(quiet=True)) as progress,
        pytest.raises(ValueError, match=r"has no tweets; delete it"),
    ):
        demo.fetch_tweets(progress)


def test_what_is_there_is_not_fetched(cache, monkeypatch):
    write_tweets(cache)
    monkeypatch.setattr(demo, "get", lambda *a, **k: pytest.fail("fetched"))
    with Progress(console=Console(quiet=True)) as progress:
        blocks = demo.fetch_tweets(progress)
    assert [len(block) for block in blocks] == [100, 100, 50]
    assert find_files("health_tweets") == [cache / "health_tweets.csv.gz"]
