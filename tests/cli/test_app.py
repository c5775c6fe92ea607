import os
import shlex
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from spectralleader import LEARNERS, load
from spectralleader.cli import app


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


def test_learners_are_listed_with_what_they_are(command):
    output = command("learners").output
    for name, learner in LEARNERS.items():
        assert name in output
        assert learner.__name__ in output


def test_the_version_is_told():
    result = run("--version")
    assert result.returncode == 0
    assert result.stdout.startswith("spectralleader 0.")


def test_help_has_an_example_and_needs_no_heavy_import(command):
    assert "Example" in command("learn", "--help").output
    code = (
        "import sys; import spectralleader.cli; "
        "print([m for m in ('numba', 'scipy', 'matplotlib', 'polars') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_misuse_is_one_line_and_exit_code_2():
    result = run("learn", "nowhere.csv")
    assert result.returncode == 2
    assert result.stderr.startswith("spectralleader: ")
    assert result.stderr.count("\n") == 1
    assert run("learn", "-", "-k", "many").returncode == 2


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
