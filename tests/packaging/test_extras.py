"""What an installation without the extra `study` can do: everything that draws nothing."""

import subprocess
import sys

import pytest

from tests.factories import write_csv

WITHOUT = """
import sys
sys.modules["matplotlib"] = None  # as if it were not installed
from spectralleader.__main__ import main
main()
"""
LEARN = ["learn", "tweets.csv", "-k", "2", "--learner", "stepwise-em", "--save"]


def run(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-c", WITHOUT, *arguments], capture_output=True, text=True, cwd=cwd
    )


def test_text_commands_need_no_matplotlib(tmp_path):
    write_csv(tmp_path / "tweets.csv", 60)
    for arguments in (
        [*LEARN, "a.sl"],
        [*LEARN, "b.sl"],
        ["topics", "a.sl"],
        ["predict", "a.sl", "tweets.csv"],
        ["trends", "a.sl"],
        ["page", "a.sl", "-o", "topics.html"],
        ["evaluate", "tweets.csv", "-k", "2", "--learners", "stepwise-em,unigram"],
        ["merge", "a.sl", "b.sl", "--out", "c.sl"],
    ):
        done = run(*arguments, cwd=tmp_path)
        assert done.returncode == 0, f"{arguments}: {done.stderr}"


def test_a_figure_says_what_to_install_before_anything_is_read(tmp_path):
    write_csv(tmp_path / "tweets.csv", 60)
    done = run("evaluate", "tweets.csv", "--figure", "l1.png", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    [line] = done.stderr.splitlines()
    assert line.endswith("requires the extra 'study': pip install matplotlib")
    assert [path.name for path in tmp_path.iterdir()] == ["tweets.csv"]


@pytest.mark.parametrize(
    "code", ["import spectralleader", "import runpy, sys; sys.argv += ['--help']; RUN"]
)
def test_neither_the_import_nor_the_help_loads_matplotlib(code):
    code = code.replace("RUN", "runpy.run_module('spectralleader', run_name='__main__')")
    report = (
        "import atexit, sys; atexit.register(lambda: print([m for m in sys.modules "
        "if m.startswith('matplotlib')], file=sys.stderr)); "
    )
    done = subprocess.run([sys.executable, "-c", report + code], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stderr.strip() == "[]"
