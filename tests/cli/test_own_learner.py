"""A learner and a corpus of one's own, from the command line: the current folder is enough."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.factories import write_csv

ROOT = Path(__file__).parents[2]
# as the installed command: unlike `python -m`, it does not put the current folder on the path
START = "import sys; sys.path[0] = '/nowhere'; "  # the folder of the script, without modules
MAIN = "from spectralleader.__main__ import main; main()"
COMMAND = [sys.executable, "-c", START + MAIN]
SAFE = [sys.executable, "-P", "-c", MAIN]
NAME = "mine.models:HardEM"


@pytest.fixture
def folder(tmp_path):
    package = tmp_path / "mine"
    package.mkdir()
    (package / "__init__.py").touch()
    shutil.copy(ROOT / "docs" / "examples" / "hard_em.py", package / "models.py")
    with (package / "models.py").open("a") as module:
        module.write("\nprint('imported')\n")
    write_csv(tmp_path / "news.csv", 200)
    return tmp_path


def run(folder, *arguments, command=COMMAND):
    told = [*command, *map(str, arguments)]
    return subprocess.run(told, cwd=folder, capture_output=True, text=True, timeout=300)


def test_a_model_of_ones_own_learner_is_learned_resumed_and_shown_if_it_is_named(folder):
    learn = ("learn", "news.csv", "-k", 3, "--learner", NAME, "--save", "news.model")
    first = run(folder, *learn)
    assert (first.returncode, first.stdout.splitlines()[0]) == (0, "imported")
    assert "resumed after 200 documents" in run(folder, *learn).stdout
    for command in (["topics", "news.model"], ["predict", "news.model", "news.csv"]):
        refused = run(folder, *command)
        assert (refused.returncode, refused.stdout) == (2, "")  # nothing was imported
        assert f"--learner {NAME}" in refused.stderr
        assert refused.stderr.count("\n") == 1
        assert run(folder, *command, "--learner", NAME).returncode == 0


def test_learners_of_ones_own_are_evaluated(folder):
    result = run(folder, "evaluate", "news.csv", "-k", 3, "--learners", f"{NAME},unigram")
    assert result.returncode == 0
    assert NAME in result.stdout


def test_a_learner_that_cannot_be_imported_is_one_line(folder):
    result = run(folder, "learn", "news.csv", "--learner", "mine.nothing:HardEM")
    assert result.returncode == 2
    assert "cannot import mine.nothing" in result.stderr
    assert result.stderr.count("\n") == 1


def test_the_current_folder_is_not_on_the_path_unless_a_learner_is_named(folder):
    (folder / "zstandard.py").write_text("raise SystemExit('imported from the current folder')")
    assert run(folder, "learn", "news.csv", "--learner", "unigram").returncode == 0
    named = run(folder, "learn", "news.csv", "--learner", NAME)
    assert named.returncode == 0  # and comes last, so that it replaces nothing installed
    safe = run(folder, "learn", "news.csv", "--learner", NAME, command=SAFE)
    assert (safe.returncode, "No module named 'mine'" in safe.stderr) == (2, True)


def test_the_laws_are_run_by_one_command(folder):
    command = [sys.executable, "-m", "spectralleader.testing"]
    told = subprocess.run([*command, NAME], cwd=folder, capture_output=True, text=True, timeout=300)
    assert told.returncode == 0
    assert "ok      Reading the model changes nothing." in told.stdout
    page = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^mine.models:HardEM satisfies .*\n", page, re.MULTILINE)
    assert told.stdout.endswith(shown)
