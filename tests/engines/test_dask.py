"""Dask, on a real cluster of two processes: the model of one machine, also if a worker dies."""

import itertools
import os
import signal
import time

import numpy as np
import pytest

from spectralleader import SpectralMethod, TextTopics, Vocabulary, Words, load, save
from spectralleader.documents import Documents
from spectralleader.learners.passes import solve
from spectralleader.learners.summaries import InMemory
from study.sources.synthetic import random_problem
from tests.factories import same_state, snippets, three_kinds_of_texts

distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")

import dask  # noqa: E402
import dask.array  # noqa: E402
import dask.bag  # noqa: E402
import dask.dataframe  # noqa: E402
import pandas as pd  # noqa: E402

from spectralleader.engines.dask import learn_counts, learn_texts  # noqa: E402

pytestmark = pytest.mark.xdist_group("dask")
N_TOPICS, SETTINGS = 3, {"seed": 4, "n_polish": 2}


@pytest.fixture(scope="module")
def client():
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


def corpus(n_words: int, n_docs: int = 2000) -> Documents:
    truth = random_problem(N_TOPICS, n_words, seed=1).truth
    lengths = np.random.default_rng(2).integers(0, 12, size=n_docs)
    return truth.sample(n_docs, lengths, seed=3)[0]


def parts(whole: Documents, n_parts: int) -> list[Documents]:
    """Parts of any size, the last of many empty."""
    edges = np.linspace(0, whole.n_docs, max(2, n_parts - 2), dtype=int).tolist()
    edges = [*edges, *[whole.n_docs] * n_parts][: n_parts + 1]
    return [whole[a:b] for a, b in itertools.pairwise(edges)]


def assert_same(found, expected):
    np.testing.assert_allclose(found.topics, expected.topics, rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.weights, expected.weights, rtol=0, atol=1e-8)


# over 2,200 words the pairs are multiplied, over 40 they are added up
@pytest.mark.parametrize(("n_words", "n_parts"), [(40, 1), (40, 2), (40, 7), (40, 64), (2200, 7)])
def test_any_partitioning_gives_the_model_of_one_machine(client, n_words, n_parts):
    whole = corpus(n_words)
    expected = SpectralMethod(N_TOPICS, n_words=n_words, **SETTINGS).fit(whole).model
    blocks = [[block] for block in parts(whole, n_parts)]
    bag = dask.bag.from_delayed([dask.delayed(block) for block in blocks])
    found = learn_counts(bag, N_TOPICS, n_words=n_words, client=client, **SETTINGS)
    assert_same(found.model, expected)
    assert found.counts.n_docs == whole.n_docs


def test_arrays_and_data_frames_of_counts_are_taken_too(client):
    whole = corpus(30)
    expected = SpectralMethod(N_TOPICS, n_words=30, **SETTINGS).fit(whole).model
    matrix = whole.to_matrix().toarray()
    array = dask.array.from_array(matrix, chunks=(700, 11))
    frame = dask.dataframe.from_pandas(pd.DataFrame(matrix), npartitions=3)
    for source in (array, frame):
        assert_same(learn_counts(source, N_TOPICS, client=client, **SETTINGS).model, expected)
    with pytest.raises(ValueError, match="n_words is required"):
        learn_counts([dask.delayed(whole)], N_TOPICS, client=client)


def test_texts_of_bags_series_and_frames_give_topics_to_read_and_save(client, tmp_path):
    strings, words = three_kinds_of_texts(600), Words(stop_words="english")
    vocabulary = Vocabulary.most_frequent(strings, 9, words=words)
    whole = vocabulary.count_known(strings, words)
    expected = SpectralMethod(N_TOPICS, n_words=9, **SETTINGS).fit(whole).model
    frame = dask.dataframe.from_pandas(pd.DataFrame({"text": strings}), npartitions=4)
    seen = []
    options = {
        "vocabulary": 9,
        "client": client,
        "progress": lambda *at: seen.append(at),
    } | SETTINGS
    for found in (
        learn_texts(dask.bag.from_sequence(strings, npartitions=5), N_TOPICS, **options),
        learn_texts(frame, N_TOPICS, column="text", **options),
    ):
        assert isinstance(found, TextTopics)
        assert list(found.vocabulary) == list(vocabulary)
        assert_same(found.model, expected)
        assert (found.n_docs, found.n_empty) == (600, int((whole.lengths == 0).sum()))
    assert ("words", 4, 4) in seen
    assert ("expect", 4, 4) in seen
    loaded = load(save(found, tmp_path / "topics"))
    assert same_state(loaded.to_state(), found.to_state())


def slow_count(block: Documents, seconds: float) -> Documents:
    time.sleep(seconds)
    return block


def test_a_worker_killed_in_the_middle_changes_nothing(client):
    whole = corpus(40)
    expected = solve(InMemory([whole], 40), N_TOPICS, **SETTINGS).model
    slow = [dask.delayed(slow_count)(block, 0.1) for block in parts(whole, 12)]
    killed = []

    def kill(name: str, done: int, n: int) -> None:
        if not killed:
            address = next(iter(client.scheduler_info()["workers"]))
            pid = client.run(os.getpid, workers=[address])[address]
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)

    found = learn_counts(slow, N_TOPICS, n_words=40, client=client, progress=kill, **SETTINGS)
    assert_same(found.model, expected)
    assert killed


def test_the_streaming_loop_of_the_page_goes_on_where_it_was(tmp_path, monkeypatch):
    (code,) = [code for code in snippets("docs/scale.md", "py") if "dask" in code]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "incoming").mkdir()
    for day in ("monday", "tuesday"):
        path = tmp_path / "incoming" / f"{day}.txt"
        path.write_text("\n".join(three_kinds_of_texts(50)) + "\n", encoding="utf-8")
        with dask.config.set(scheduler="sync"):
            exec(code, {})
            exec(code, {})  # a restart learns no file twice
    found = load("topics.model")
    assert (found.n_docs, found.position) == (100, 2)
