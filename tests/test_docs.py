"""The documentation is true: its snippets run, its generated pages are current."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from spectralleader.sources.corpora import find_files, get
from tools import commands

ROOT = Path(__file__).parents[1]


def test_the_reference_of_commands_is_what_the_commands_say():
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert page == commands.page(), "make docs renews it"


@pytest.mark.skipif(importlib.util.find_spec("latex2mathml") is None, reason="needs `make docs`")
def test_formulas_become_mathml_and_code_stays():
    from tools.formulas import on_page_markdown

    page = on_page_markdown("$x_1$ and `$x`, $5 or\n\n$$y = 2 \\tag{3}$$\n\n```\n$z$\n```\n")
    assert page.count("<math") == 2
    assert "(3)" in page
    assert "`$x`" in page
    assert "\n$z$\n" in page


def test_every_page_is_in_the_navigation():
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:", 1)[1]
    pages = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
    assert [page for page in pages if str(page) not in navigation] == []


@pytest.mark.parametrize(
    ("page", "script", "corpus"),
    [
        ("users.md", "movielens_users.py", "movielens"),
        ("logs.md", "system_logs.py", "system_logs"),
    ],
)
def test_tutorials_show_what_their_scripts_print(page, script, corpus, tmp_path):
    try:
        find_files(corpus) or get(corpus)
    except (ValueError, OSError) as error:
        pytest.skip(f"no {corpus}: {error}")
    command = [sys.executable, str(ROOT / "docs" / "examples" / script), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    shown = (ROOT / "docs" / page).read_text(encoding="utf-8")
    lines = done.stdout.splitlines()
    assert lines[0] in shown  # what is counted; what is learned may differ in the last digits
    assert len(lines) > 6
    assert [path.suffix for path in tmp_path.glob("*.svg")] == [".svg"]


def test_the_page_on_adding_a_learner_shows_the_learner_that_is_tested():
    page = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")
    example = (ROOT / "docs" / "examples" / "hard_em.py").read_text(encoding="utf-8")
    assert f"```python\n{example}```" in page
    assert "--8<--" not in page


def test_the_walks_name_what_is_there():
    """Whatever stands before a file in parentheses is defined in it, or imported there."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    walks = page[page.index("## Three walks") : page.index("## The laws")]
    source = ROOT / "src" / "spectralleader"
    files = re.findall(r"`([a-z_0-9/]+\.py)`", walks)
    assert len(files) > 25
    assert [name for name in files if not (source / name).is_file()] == []
    named = re.findall(r"`([A-Za-z_.]+)`(?: files)? \(`([a-z_0-9/]+\.py)`\)", walks)
    assert len(named) > 20
    for name, file in named:
        text = (source / file).read_text(encoding="utf-8")
        for part in name.split("."):
            assert re.search(rf"(def|class) {part}\b", text), f"{name} is not in {file}"
