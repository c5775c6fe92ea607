"""Spark, on a real local session: the model of one machine, also if a task fails."""

import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from spectralleader import SpectralMethod, TextTopics, Vocabulary, Words, load, save
from spectralleader.documents import Documents
from spectralleader.jobs import engine
from spectralleader.jobs.engine import learn_on_engine
from spectralleader.jobs.options import LearnOptions, Progress, Source
from study.sources.synthetic import random_problem
from tests.factories import same_state, snippets, three_kinds_of_texts, write_folder

pyspark = pytest.importorskip("pyspark", reason="the extra spark is not installed")
# Spark runs the Java of JAVA_HOME if that is set, and the one on PATH otherwise.
java_home = os.environ.get("JAVA_HOME")
if shutil.which(f"{java_home}/bin/java" if java_home else "java") is None:
    pytest.skip("Spark needs Java 17, and no java was found", allow_module_level=True)

from pyspark.ml.linalg import Vectors  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402
from pyspark.sql.functions import spark_partition_id  # noqa: E402

from spectralleader.engines.spark import learn_counts, learn_texts  # noqa: E402
from tests.engines.spark_stream import new_topics, run  # noqa: E402

pytestmark = [
    pytest.mark.xdist_group("spark"),
    # Spark leaves the sockets that results come through to the garbage collector
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
N_TOPICS, SETTINGS = 3, {"seed": 4, "n_polish": 1}


@pytest.fixture(scope="module")
def spark():
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2,4]")  # a task may fail up to three times
    builder = builder.config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def corpus(n_words: int, n_docs: int = 900) -> Documents:
    truth = random_problem(N_TOPICS, n_words, seed=1).truth
    lengths = np.random.default_rng(2).integers(0, 12, size=n_docs)
    return truth.sample(n_docs, lengths, seed=3)[0]


def as_frame(spark, whole: Documents):
    rows = [
        (Vectors.sparse(whole.n_words, one.words.tolist(), one.counts.tolist()),) for one in whole
    ]
    return spark.createDataFrame(rows, ["features"])


def assert_same(found, expected):
    np.testing.assert_allclose(found.topics, expected.topics, rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.weights, expected.weights, rtol=0, atol=1e-8)


def test_any_partitioning_gives_the_model_of_one_machine(spark, monkeypatch):
    whole = corpus(40)
    expected = SpectralMethod(N_TOPICS, n_words=40, seed=4).fit(whole).model
    frame = as_frame(spark, whole).cache()
    for n_parts in (1, 2, 7, 64):
        some = frame.repartition(n_parts)
        if n_parts == 7:  # parts without any documents
            some = some.filter(spark_partition_id() < 3)
            some = some.unionAll(frame.repartition(7).filter(spark_partition_id() >= 3))
        if n_parts == 64:  # summaries are added up by key before they come to the driver
            monkeypatch.setattr("spectralleader.engines.spark.TO_DRIVER", 0)
            monkeypatch.setattr("spectralleader.engines.spark.FAN_IN", 10)
        found = learn_counts(some, N_TOPICS, seed=4)
        assert_same(found.model, expected)
        assert found.counts.n_docs == whole.n_docs


def test_products_of_the_pairs_are_made_for_a_large_vocabulary(spark):
    whole = corpus(2200, 300)
    expected = SpectralMethod(N_TOPICS, n_words=2200, seed=4).fit(whole).model
    found = learn_counts(as_frame(spark, whole).repartition(3), N_TOPICS, seed=4)
    assert_same(found.model, expected)


def test_texts_give_topics_to_read_and_save_also_if_a_task_fails_once(spark, tmp_path):
    strings, words = three_kinds_of_texts(300), Words(stop_words="english")
    vocabulary = Vocabulary.most_frequent(strings, 9, words=words)
    whole = vocabulary.count_known(strings, words)
    expected = SpectralMethod(N_TOPICS, n_words=9, **SETTINGS).fit(whole).model
    failed = tmp_path / "failed"

    def fail_once(batches):
        for batch in batches:
            if not failed.exists():
                failed.touch()
                raise RuntimeError("made to fail")
            yield batch

    frame = spark.createDataFrame([(text,) for text in [*strings, None]], "text string")
    frame = frame.repartition(4).mapInArrow(fail_once, "text string")
    found = learn_texts(frame, N_TOPICS, vocabulary=9, **SETTINGS)
    assert failed.exists()
    assert isinstance(found, TextTopics)
    assert list(found.vocabulary) == list(vocabulary)
    assert_same(found.model, expected)
    assert found.n_docs == 300
    assert same_state(load(save(found, tmp_path / "topics")).to_state(), found.to_state())


class Seen(Progress):
    """Keeps what was reported of the passes."""

    def __init__(self, seen):
        self.seen = seen

    def passed(self, name, n_done, n_parts):
        self.seen.append((name, n_done, n_parts))


def test_folders_are_learned_as_the_command_line_does(spark, tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "N_POLISH", 0)  # compared with the spectral method alone
    strings, words = (
        ["the\n" + text for text in three_kinds_of_texts(90)],
        Words(stop_words="english"),
    )
    known = tmp_path / "words.txt"
    known.write_text("rain\nwind\nsun\ngoal\nmatch\nteam\n", encoding="utf-8")
    whole = Vocabulary.from_file(known).count_known(strings, words)
    expected = SpectralMethod(2, n_words=6).fit(whole).model
    for kind in ("csv", "jsonl", "parquet"):
        write_folder(tmp_path / kind, kind, strings)
        seen = []
        found = learn_on_engine(
            "spark",
            LearnOptions(Source.of(tmp_path / kind), n_topics=2, vocabulary=str(known)),
            progress=Seen(seen),
        )
        assert_same(found.topics.model, expected)
        assert {name for name, done, n in seen if done == n} == {"count_pairs", "project"}


def test_an_address_is_read_or_refused_in_one_line(spark, tmp_path):
    write_folder(tmp_path / "in", "csv", three_kinds_of_texts(60))
    address = (tmp_path / "in").as_uri()
    found = learn_on_engine("spark", LearnOptions(Source.of(address, format="csv"), n_topics=2))
    assert found.topics.n_docs == 60
    with pytest.raises(ValueError, match=r"^spark cannot read none://b/a\.csv: [^\n]*need[^\n]*$"):
        learn_on_engine("spark", LearnOptions(Source.of("none://b/a.csv")))


def test_a_column_that_is_not_of_texts_is_named(spark):
    frame = spark.createDataFrame([(1, ["rain"])], "id long, words array<string>")
    for column, kind in (("id", "bigint"), ("words", "array<string>")):
        with pytest.raises(ValueError, match=rf"^column '{column}' holds {kind}, not texts; .*$"):
            learn_texts(frame, N_TOPICS, column=column)


def test_the_snippets_of_the_page_run(spark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    learning, streaming = [
        code for code in snippets("docs/scale.md", "py") if "spectralleader.engines.spark" in code
    ]
    frame = spark.createDataFrame([(text,) for text in three_kinds_of_texts(300)], "text string")
    names = {"frame": frame, "vectors": as_frame(spark, corpus(40))}
    exec(learning, names)
    assert (names["topics"].n_docs, names["solution"].counts.n_docs) == (300, 900)
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "one.txt").write_text(
        "\n".join(three_kinds_of_texts(300)), encoding="utf-8"
    )
    source = spark.readStream.text(str(tmp_path / "texts")).withColumnRenamed("value", "text")
    # Java stays in the folder that it was started in
    checkpoint = repr(str(tmp_path / "checkpoint"))
    names = {"stream": source}
    exec(streaming.replace('"checkpoint"', checkpoint), names)
    names["query"].processAllAvailable()
    names["query"].stop()
    assert load("topics.model").n_docs == 300


def test_a_stream_that_is_killed_and_restarted_learns_every_batch_once(spark, tmp_path):
    (tmp_path / "texts").mkdir()
    blocks = [
        [f"{w} {v}" for v in ("rain", "wind", "goal")] for w in ("sun", "rain", "team", "match")
    ]
    for i, block in enumerate(blocks):
        path = tmp_path / "texts" / f"{i}.txt"
        path.write_text("\n".join(block), encoding="utf-8")
        os.utime(path, (1000 + i, 1000 + i))  # the source takes the oldest first
    command = [sys.executable, "-m", "tests.engines.spark_stream", str(tmp_path), "600"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
    saved = tmp_path / "topics.model"
    deadline = time.monotonic() + 180
    while not saved.exists() and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGKILL)  # the batch is learned, its end not yet written down
    process.wait()
    assert load(saved).n_docs == 3
    run(spark, tmp_path)
    expected = new_topics()
    for block in blocks:
        expected.learn(block)
    found = load(saved)
    assert (found.n_docs, found.position["batch"]) == (12, 4)
    np.testing.assert_array_equal(found.model.topics, expected.model.topics)
