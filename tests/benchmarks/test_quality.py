"""The table of quality and the benchmark of streams: small runs, and what they are made of."""

import csv
import gzip
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="needs the bench extra")
pytest.importorskip("psutil", reason="needs the bench extra")

from scipy.special import logsumexp
from sklearn.decomposition import LatentDirichletAllocation

from benchmarks.quality import learners, measures
from benchmarks.quality.corpora import CORPORA, MADE_CORPORA, Corpus
from benchmarks.quality.problem import prepare
from benchmarks.reporting import quality as page
from benchmarks.reporting.streams import published
from benchmarks.rows import Results, Row
from benchmarks.sections import quality
from spectralleader import Documents, Words
from spectralleader.evaluation.metrics import nmi
from study.sources.corpora import CORPORA as KNOWN

ROOT = Path(__file__).resolve().parents[2]


def command(*arguments):
    # a process of its own: threads are limited before NumPy is imported
    return subprocess.run(
        [sys.executable, "-m", *map(str, arguments)], cwd=ROOT, capture_output=True, text=True
    )


def test_a_quick_run_measures_every_learner_and_writes_the_page(tmp_path):
    done = command("benchmarks", "--quick", "--only", "quality", "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    record = json.loads((tmp_path / "results.json").read_text())
    assert record["left_out"] == {}
    assert all(min(r["values"]) > 0 for r in record["rows"] if r["unit"] != quality.NATS)
    names = {row["name"] for row in record["rows"] if row["section"].endswith(", K = 3")}
    assert names == {one.name for one in learners.CONTENDERS}
    text = (tmp_path / "quality.md").read_text()
    assert "do not edit" in text
    assert "| TextTopics, growing | 4 of 4 | 4 of 4 |" in text
    for heading in ("synthetic texts", "synthetic sessions", "Streams of short texts"):
        assert f"\n## {heading}\n" in text


def test_a_part_of_the_table_is_never_written_to_the_docs():
    done = command(
        *("benchmarks", "--only", "quality", "--corpora", "election_tweets", "--write-docs")
    )
    assert done.returncode == 2
    assert "drop --quick and --corpora" in done.stderr


def test_every_learner_is_judged_on_the_same_documents_and_never_learns_those_held_out():
    problem = prepare(MADE_CORPORA[0], 200)
    given, first, second = problem.orders(2)
    assert set(given) | set(problem.held_out) == set(range(200))
    assert not set(given) & set(problem.held_out)
    assert len(problem.held_out) == 20
    assert sorted(first) == sorted(second) == given.tolist()
    assert not np.array_equal(first, second)
    for contender in learners.CONTENDERS:
        fit = contender.start(learners.Run(problem, first, 3, seed=1))
        fit.learn()
        topics = fit.topics()
        assert len(topics) == len(problem.judged)
        assert measures.nmi_sqrt(topics, problem.labels[problem.judged]) > 0.3
        assert fit.nats is None or -4.0 < fit.nats() < 0.0  # log(50) is 3.9


def test_documents_without_a_counted_word_are_not_judged(tmp_path, monkeypatch):
    monkeypatch.setenv("SPECTRALLEADER_DATA", str(tmp_path))
    write_csv(tmp_path / "own.csv.gz", [("a", "rain wind rain"), ("b", "the"), ("a", "wind")] * 5)
    problem = prepare(Corpus("own", "own.csv.gz", "test", "weather", "letters"), 14)
    assert len(problem.texts) == 14
    assert problem.judged.tolist() == [0, 2, 3, 5, 6, 8, 9, 11, 12]
    assert set(problem.labels[problem.judged]) == {"a"}
    assert isinstance(problem.words, Words)
    facts = quality.facts_of(problem)
    assert (facts[quality.READ], facts[quality.JUDGED], facts[quality.DISTINCT]) == (14, 9, 2)


def test_sessions_are_read_as_tokens_and_those_for_testing_are_left_out(tmp_path, monkeypatch):
    monkeypatch.setenv("SPECTRALLEADER_DATA", str(tmp_path))
    with gzip.open(tmp_path / "sessions.txt.gz", "wt") as file:
        file.write("train 1 2\ntrain 3\ntest 1 2 3\ntrain 2 2 1\n")
    corpus = Corpus("sessions", "sessions.txt.gz", "test", "sessions", tokens=True)
    assert corpus.load(10) == ([["1", "2"], ["3"], ["2", "2", "1"]], None)


def test_a_corpus_that_is_missing_is_listed_with_its_file(tmp_path, monkeypatch):
    for variable in ("SPECTRALLEADER_DATA", "SPECTRALLEADER_CACHE"):
        monkeypatch.setenv(variable, str(tmp_path))
    results = Results("", {})
    missing = {quality.PREFIX + one.name: one.why_missing() for one in CORPORA}
    results.left_out |= missing
    shown = page.page(results)
    assert all(f"MISSING: {reason}" in shown for reason in missing.values())
    assert "corpora get health_tweets" in missing[quality.PREFIX + "health_tweets"]
    assert str(tmp_path) not in shown


def test_roles_are_those_of_the_registry():
    known = [corpus for corpus in CORPORA if corpus.name in KNOWN]
    assert len(known) == 5
    assert [one.role for one in known] == [KNOWN[one.name].role for one in known]


def test_topics_in_use_and_the_law():
    topics = np.repeat([0, 1, 2], [90, 9, 1])
    assert measures.count_in_use(topics, 4) == 2  # an even share is 25
    assert measures.least_in_use(20, 10_000) == 16.0
    assert measures.least_in_use(100, 1_000) == 16.0  # a thousand documents fill 20 topics


def test_nmi_is_normalised_by_the_root_of_the_entropies():
    topics, labels = [0, 0, 0, 1, 2, 2], ["a", "a", "b", "b", "b", "b"]
    assert measures.nmi_sqrt(labels, labels) == pytest.approx(1.0)
    assert measures.nmi_sqrt([0] * 6, labels) == 0.0
    assert measures.nmi_sqrt([0] * 6, ["a"] * 6) == 1.0
    from sklearn.metrics import normalized_mutual_info_score as theirs

    ours = measures.nmi_sqrt(topics, labels)
    assert ours == pytest.approx(theirs(labels, topics, average_method="geometric"))
    assert ours >= nmi(topics, labels)


def test_the_law_and_the_agreement_are_counted_run_by_run():
    section, n = quality.PREFIX + "made, K = 20", 10_000

    def row(name, unit, *values):
        return Row(section, name, values, n, unit)

    results = Results("", {})
    results.rows += [
        row(learners.GROWING, quality.IN_USE, 20.0, 15.0, 16.0),
        row(learners.GROWING, quality.NMI, 0.50, 0.52, 0.54, 0.56, 0.9),
        row(learners.COUNTED, quality.NMI, 0.56),
        row(learners.STEPWISE, quality.NMI, 0.5),
        row(learners.BATCH, quality.NMI, 0.4),
    ]
    results.rows += [
        row(name, quality.IN_USE, 20.0)
        for name in (learners.COUNTED, learners.STEPWISE, learners.BATCH)
    ]
    assert page.law(results.rows[0], 20) == "no (1 of 3)"
    assert page.law_table(results).rows[0] == (learners.GROWING, "2 of 3")
    agreement = page.agreement_table(results)
    assert agreement.rows == [("made", "20", "0.530", "0.560", "0.500", "yes")]
    results.rows[2] = replace(results.rows[2], values=(0.57,))
    assert page.agreement_table(results).rows[0][-1] == "no"


def test_who_is_ahead_is_listed_with_our_figure_of_the_same_runs():
    section = quality.PREFIX + "made, K = 20"
    values = {learners.GROWING: (0.5, 0.7, 0.9), learners.K_MEANS: (0.65,), learners.GSDMM: (0.4,)}
    results = Results("", {})
    results.rows += [Row(section, name, of, 10, quality.NMI) for name, of in values.items()]
    ahead = page.ahead_table(results)
    assert ahead.rows == [("made", "20", "MiniBatchKMeans 0.650 (0.500)", "")]
    results.rows[1] = replace(results.rows[1], values=(0.65, 0.5))  # ours of two runs: 0.6
    assert page.ahead_table(results).rows == []


def test_the_bound_of_lda_is_just_below_the_log_probability():
    rng = np.random.default_rng(0)
    documents = Documents.from_tokens([rng.integers(4, size=n) for n in (1, 3, 6)] * 20, 4)
    model = LatentDirichletAllocation(2, random_state=0, doc_topic_prior=0.5)
    model.fit(learners.as_matrix(documents))
    bound = learners.lda_bound(model, documents[:3])
    shares = rng.dirichlet([0.5, 0.5], size=200_000)
    topics = model.components_ / model.components_.sum(axis=1, keepdims=True)
    each = np.log(shares @ topics) @ documents[:3].to_matrix().toarray().T
    exact = logsumexp(each, axis=0) - np.log(len(shares))
    assert np.all(bound < exact + 0.01)  # Monte Carlo error
    assert np.all(bound > exact - 0.5)


# --- streams ------------------------------------------------------------------------------------


def write_csv(path, rows):
    with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("label", "text"), *rows])


def test_a_tiny_stream_gives_a_table(tmp_path):
    path = tmp_path / "tiny.csv.gz"
    weather, football = ("rain", "rain wind rain"), ("goal", "late goal, a goal")
    write_csv(path, [weather, football] * 40)
    done = command("benchmarks.streams", path, "--topics", 2, "--parts", 4, "--seeds", 2)
    assert done.returncode == 0, done.stderr
    (row,) = [line for line in done.stdout.splitlines() if "tiny" in line]
    assert row.startswith("| tiny, K = 2, 4 parts, 80 texts | TextTopics, growing | 2 | ")
    assert "| 1.000 / 1.000 | 1.000 / 1.000 | 2 / 2 |" in row


def test_published_figures_stand_beside_the_streams_of_the_field_only():
    assert published("tiny") == []
    assert next(row[4] for row in published("streamclust_news_t")) == "0.850"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (None, "does not exist"),
        ([], "has no rows below its header"),
        ([("a", "rain"), ("", "wind")], "1 of 2 texts have no label"),
        ([("a", "rain")], "1 texts cannot be cut into 16 parts"),
    ],
)
def test_a_bad_stream_gives_a_clear_error(tmp_path, rows, message):
    from benchmarks import streams

    path = tmp_path / "bad.csv.gz"
    if rows is not None:
        write_csv(path, rows)
    with pytest.raises(ValueError, match=message):
        streams.measure(path, streams.Settings())


def test_a_file_without_the_columns_ends_the_command_with_a_message(tmp_path):
    path = tmp_path / "plain.csv"
    path.write_text("words\nrain\n", encoding="utf-8")
    done = command("benchmarks.streams", path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "has no column 'text'" in done.stderr
    assert "Traceback" not in done.stderr
