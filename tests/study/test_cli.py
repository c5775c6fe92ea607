"""The commands of `python -m study`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from study.cli import app
from tests.factories import scenario_table, write_csv, write_toml

ROOT = Path(__file__).parents[2]
NAME = "mine.models:HardEM"
MAIN = "from spectralleader.__main__ import main; main('study.cli')"
WITHOUT = "import sys; sys.modules['matplotlib'] = None; " + MAIN  # as if it were not installed


def run(*arguments, cwd=None, code=MAIN):
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": path},
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
    assert "Figure: " in result.output


def test_help_has_examples_and_the_module_is_a_command():
    command = [sys.executable, "-m", "study"]
    done = subprocess.run([*command, "demo", "--help"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0
    assert "Example: python -m study demo" in done.stdout


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
    assert "Which is better?" in (tmp_path / "results.md").read_text()
    assert (tmp_path / "figures" / "mine.png").is_file()


def test_a_scenario_without_its_corpus_is_skipped_with_a_reason(command, tmp_path):
    result = command("experiment", "run", "figure2-news-10", "--out", str(tmp_path))
    assert result.exit_code == 0
    assert "Skipped figure2-news-10: news_headlines.csv (or .gz" in " ".join(result.output.split())


def test_a_wrong_scenario_is_one_line_and_exit_code_2(tmp_path):
    file = write_toml(tmp_path / "mine.toml", scenario_table(stepz=3))
    result = run("experiment", "run", str(file), "--out", str(tmp_path))
    assert result.returncode == 2
    said = "Object contains unknown field `stepz`"
    assert result.stderr == f"spectralleader: {file}: {said}\n"
    assert run("experiment", "show", "nothing").returncode == 2


def test_reproduce_quick_ends_with_a_verdict_on_every_claim(command, tmp_path):
    docs = tmp_path / "docs"
    result = command("reproduce", "--quick", "--out", str(tmp_path), "--docs", str(docs))
    assert result.exit_code == 0
    assert "Skipped figure2-news-10" in result.output
    for verdict in ("holds", "does not hold", "not tested here"):
        assert verdict in result.output
    assert "## Verdicts" in (tmp_path / "results.md").read_text()
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


def test_a_study_of_ones_own_has_its_corpus_and_learner(tmp_path):
    studies, package = tmp_path / "studies", tmp_path / "mine"
    studies.mkdir()
    package.mkdir()
    (package / "__init__.py").touch()
    shutil.copy(ROOT / "docs" / "examples" / "hard_em.py", package / "models.py")
    write_csv(studies / "news.csv", 200)
    (studies / "own.toml").write_text(
        f"""
        question = "Which is better?"
        block_size = 10
        n_steps = 6
        seeds = 2
        metrics = ["L1"]
        [stream]
        corpus = {{ file = "news.csv", text = "text", time = "timestamp", label = "label" }}
        n_words = 20
        n_topics = 3
        [[learners]]
        name = "{NAME}"
        [[learners]]
        name = "unigram"
        """
    )
    for workers in (2, 0):  # in processes of their own, too
        out = f"out{workers}"
        arguments = ("studies/own.toml", "--out", out, "--workers", str(workers))
        result = run("experiment", "run", *arguments, cwd=tmp_path)
        assert result.returncode == 0, result.stderr
    rows = (tmp_path / "out2" / "rows" / "own.jsonl").read_bytes()
    assert rows == (tmp_path / "out0" / "rows" / "own.jsonl").read_bytes()
    assert NAME.encode() in rows


def test_listing_needs_no_matplotlib():
    for arguments in (["list"], ["show", "figure1-hard"]):
        done = run("experiment", *arguments, code=WITHOUT)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "arguments",
    [["demo"], ["reproduce", "--quick"], ["experiment", "run", "figure1-hard"]],
    ids=" ".join,
)
def test_commands_that_draw_say_what_to_install_before_they_work(arguments, tmp_path):
    done = run(*arguments, cwd=tmp_path, code=WITHOUT)
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    assert line.endswith("requires the extra 'study': pip install matplotlib")
    assert list(tmp_path.iterdir()) == []
