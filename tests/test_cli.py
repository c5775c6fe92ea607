import subprocess
import sys

import pytest
from typer.testing import CliRunner

from spectralleader import LEARNERS
from spectralleader.cli import app


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "spectralleader", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture
def command():
    return lambda *arguments: CliRunner().invoke(app, list(arguments), catch_exceptions=False)


def test_demo_prints_tables_and_writes_a_figure(command, tmp_path):
    result = command("demo", "--steps", "40", "--runs", "2", "--out", str(tmp_path))
    assert result.exit_code == 0
    assert "True | learned" in result.output
    assert "negative log-likelihood" in result.output
    assert (tmp_path / "demo.png").stat().st_size > 10_000


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
