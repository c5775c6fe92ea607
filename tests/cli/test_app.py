import os
import shlex
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from spectralleader import LEARNERS, load
from spectralleader.cli import app
from tests.factories import scenario_table, write_toml


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "spectralleader", *arguments],
        capture_output=True,
        text=True,
        timeout=600,  # the first command compiles kernels: minutes on a busy machine
    )


@pytest.fixture
def command():
    return lambda *arguments: CliRunner().invoke(app, list(arguments), catch_exceptions=False)


@pytest.fixture(autouse=True)
def no_corpora(tmp_path_factory, monkeypatch):
    """An empty cache, a wheel that is not there: nothing is downloaded."""
    empty = tmp_path_factory.mktemp("empty")
    monkeypatch.setenv("SPECTRALLEADER_CACHE", str(empty))
    monkeypatch.setenv("SPECTRALLEADER_WHEEL", str(empty / "none.whl"))
    monkeypatch.delenv("SPECTRALLEADER_DATA", raising=False)


def test_demo_prints_tables_and_writes_a_figure(command, tmp_path):
    result = command("demo", "--steps", "40", "--runs", "2", "--out", str(tmp_path))
    assert result.exit_code == 0
    assert "True | learned" in result.output
    assert "negative log-likelihood" in result.output
    assert (tmp_path / "demo.png").stat().st_size > 10_000
    assert "Page: " in result.output
    assert "come close to the true model?" in (tmp_path / "index.html").read_text()


def test_learners_are_listed_with_what_they_are(command):
    output = command("learners").output
    for name, entry in LEARNERS.items():
        assert name in output
        assert entry.learner.__name__ in output


def test_the_version_is_told():
    result = run("--version")
    assert result.returncode == 0
    assert result.stdout.startswith("spectralleader 0.")


def test_help_has_an_example_and_needs_no_heavy_import(command):
    assert "Example" in command("demo", "--help").output
    code = (
        "import sys; import spectralleader.cli; "
        "print([m for m in ('numba', 'scipy', 'matplotlib', 'polars') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_misuse_is_one_line_and_exit_code_2(tmp_path):
    taken = tmp_path / "file"
    taken.write_text("")
    result = run("demo", "--steps", "2", "--runs", "1", "--out", str(taken / "folder"))
    assert result.returncode == 2
    assert result.stderr.startswith("spectralleader: ")
    assert "Traceback" not in result.stderr
    assert run("demo", "--steps", "many").returncode == 2


def test_experiments_are_listed_and_shown(command):
    listed = command("experiment", "list").output
    assert "figure1-hard " in listed
    assert "figure2-news-1000" in listed
    assert 'problem = "hard"' in command("experiment", "show", "figure1-hard").output


def test_a_users_experiment_runs_like_a_shipped_one(command, tmp_path):
    file = write_toml(tmp_path / "mine.toml", scenario_table())
    result = command("experiment", "run", str(file), "--out", str(tmp_path), "--workers", "0")
    assert result.exit_code == 0
    assert "stepwise-em" in result.output
    assert (tmp_path / "rows" / "mine.jsonl").read_text().count("\n") == 12
    assert "Which is better?" in (tmp_path / "index.html").read_text()
    assert (tmp_path / "figures" / "mine.svg").is_file()


def test_a_scenario_without_its_corpus_is_skipped_with_a_reason(command, tmp_path):
    result = command("experiment", "run", "figure2-news-10", "--out", str(tmp_path))
    assert result.exit_code == 0
    assert "Skipped figure2-news-10: news_headlines.csv (or .gz" in " ".join(result.output.split())


def test_a_wrong_scenario_is_one_line_and_exit_code_2(tmp_path):
    file = write_toml(tmp_path / "mine.toml", scenario_table(stepz=3))
    result = run("experiment", "run", str(file), "--out", str(tmp_path))
    assert result.returncode == 2
    assert result.stderr.startswith(f"spectralleader: {file}: unknown key 'stepz'; known keys: ")
    assert result.stderr.count("\n") == 1
    assert run("experiment", "show", "nothing").returncode == 2


def test_reproduce_quick_ends_with_a_verdict_on_every_claim(command, tmp_path):
    docs = tmp_path / "docs"
    result = command("reproduce", "--quick", "--out", str(tmp_path), "--docs", str(docs))
    assert result.exit_code == 0
    assert "Skipped figure2-news-10" in result.output
    for verdict in ("holds", "does not hold", "not tested here"):
        assert verdict in result.output
    assert (tmp_path / "index.html").stat().st_size > 100_000
    assert (docs / "figures" / "figure1.png").is_file()
    results = (docs / "results.md").read_text()
    assert "| 7.2 | " in results
    assert "requires the corpus news_headlines (see --data)" in results
    assert str(tmp_path) not in results.replace(f"--docs {docs}", "")


def test_corpora_are_listed_with_how_to_get_them(command):
    output = command("corpora").output
    assert "health_tweets" in output
    assert "63,326" in output
    assert "corpora get health_tweets" in output or "available" in output


def test_getting_a_corpus_prints_where_it_is(tmp_path):
    there = tmp_path / "health_tweets.csv.gz"
    there.touch()
    result = run("corpora", "get", "health_tweets", "--to", str(tmp_path))
    assert (result.returncode, result.stdout) == (0, f"{there}\n")
    unknown = run("corpora", "get", "nothing")
    assert unknown.returncode == 2
    assert unknown.stderr.startswith("spectralleader: unknown corpus 'nothing'")


def test_ctrl_c_while_modules_are_imported_is_quiet(tmp_path):
    # as extension modules do that are interrupted as they start
    slow = "import signal\ntry:\n    signal.raise_signal(signal.SIGINT)\n"
    slow += "except KeyboardInterrupt:\n    raise ImportError('initialization failed') from None\n"
    (tmp_path / "typer.py").write_text(slow)
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    process = subprocess.run(
        [sys.executable, "-m", "spectralleader", "--version"],
        env={**os.environ, "PYTHONPATH": path},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (process.returncode, process.stdout) == (130, "")
    assert process.stderr == "spectralleader: stopped\n"


@pytest.mark.parametrize(
    "redirection", ["2>/dev/full", "2>&-", "<&- 2>&-", "2>&1 >/dev/null | true"]
)
def test_work_does_not_depend_on_whether_anybody_reads_its_messages(tmp_path, redirection):
    (tmp_path / "texts").write_text("rain and wind\na late goal\n" * 30, encoding="utf-8")
    line = f"{shlex.quote(sys.executable)} -m spectralleader learn texts -k 2 --save m"
    subprocess.run(
        ["bash", "-c", f"({line}; echo $? >code) {redirection}"], cwd=tmp_path, check=True
    )
    assert (tmp_path / "code").read_text() == "0\n"
    assert load(tmp_path / "m").n_docs == 60


def test_a_closed_standard_input_is_an_empty_one(tmp_path):
    line = f"{shlex.quote(sys.executable)} -m spectralleader learn - -k 2 <&-"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, "spectralleader: standard input is empty\n")


def test_output_that_cannot_be_written_is_told_apart_from_a_model_that_cannot_be_saved(tmp_path):
    (tmp_path / "texts").write_text("rain and wind\na late goal\n" * 30, encoding="utf-8")
    line = f"{shlex.quote(sys.executable)} -m spectralleader learn texts -k 2 --save m >/dev/full"
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last == "spectralleader: cannot write to standard output: No space left on device"
    assert load(tmp_path / "m").n_docs == 60
