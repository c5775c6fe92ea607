"""The documentation is true: its snippets run, its generated pages are current."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from spectralleader import LEARNERS
from study.sources.corpora import find_files, get
from tests.factories import example_learner
from tools import commands, examples, house, learners

ROOT = Path(__file__).parents[1]


def test_the_reference_of_commands_is_what_the_commands_say():
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert page == commands.page(), "make docs renews it"


def test_pages_are_filled_in_by_what_learners_say_of_themselves():
    pages = ("learners.md", "reference/learners.md")
    table, listed = (
        learners.on_page_markdown((ROOT / "docs" / page).read_text(encoding="utf-8"))
        for page in pages
    )
    assert "{{" not in table + listed
    references = [f"::: {one.__module__}.{one.__qualname__}" for one in LEARNERS.values()]
    assert [reference for reference in references if reference not in listed] == []
    assert [name for name in LEARNERS if f"\n| `{name}` | `" not in table] == []
    assert "not said" not in table  # each says what memory it takes, and how it is merged, if it is


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
    ("script", "corpus"), [("movielens_users", "movielens"), ("system_logs", "system_logs")]
)
def test_examples_show_what_their_scripts_print(script, corpus, tmp_path):
    get_or_skip(corpus)
    command = [sys.executable, "-m", f"docs.examples.{script}", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    text = examples.PAGE.read_text(encoding="utf-8")
    shown = examples.shown(text, script).search(text)[2].splitlines()
    printed = done.stdout.splitlines()
    assert shown[0] == printed[0]  # counts; what is learned may differ in the last digits
    assert len(shown) == len(printed) > 6
    assert [path.suffix for path in tmp_path.glob("*.svg")] == [".svg"]


def get_or_skip(corpus):
    """Find or fetch a corpus; skip the test if neither is possible."""
    try:
        find_files(corpus) or get(corpus)
    except (ValueError, OSError) as error:
        pytest.skip(f"no {corpus}: {error}")


def test_the_tutorial_shows_what_its_commands_print(tmp_path):
    get_or_skip("health_tweets")
    page = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    session = "".join(re.findall(r"```text\n(\$ .*?)```", page, re.DOTALL))
    command = f'spectralleader() {{ "{sys.executable}" -m spectralleader "$@"; }}\n'
    command += f'python() {{ PYTHONPATH="{ROOT}:$PYTHONPATH" "{sys.executable}" "$@"; }}'
    commands = re.findall(r"^\$ (.*)", session, re.MULTILINE)
    assert len(commands) > 5
    script = "\n".join(["set -e", command, *commands])
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    paths_and_topics = r"^(\$ |/|\d).*\n"  # these depend on the machine
    for shown in re.sub(paths_and_topics, "...", session, flags=re.MULTILINE).split("..."):
        assert is_part_of(shown, done.stdout), shown


def parts_of(text):
    """Return the words and numbers of a text."""
    thousands = r"\d{1,3}(?:,\d{3})+(?!\d)"  # not the commas between columns
    parts = re.findall(rf"-?(?:{thousands}|\d+)(?:\.\d+)?|[^\W\d]+", text)
    return [float(p.replace(",", "")) if p[-1].isdigit() else p for p in parts]


def are_alike(shown, printed):
    """Return whether words are equal, and numbers up to what differs between machines."""
    if isinstance(shown, str) or isinstance(printed, str):
        return shown == printed
    return shown == pytest.approx(printed, rel=0.02, abs=0.02)


def is_part_of(shown, printed):
    """Return whether a part of a page was printed, up to line breaks."""
    wanted, found = parts_of(shown), parts_of(printed)
    n = len(wanted)
    return any(all(map(are_alike, wanted, found[i : i + n])) for i in range(len(found) - n + 1))


def test_an_output_that_is_not_printed_is_noticed():
    printed = "words: 1,234\nL1 50.33 (unigram 53.1)\n"
    assert is_part_of("L1 50.34 (unigram\n53.1)", printed)
    for shown in ("L1 52.0 (unigram 53.1)", "L1 50.33 (words 53.1)", "words: 1,334"):
        assert not is_part_of(shown, printed)


def test_the_page_on_adding_a_learner_links_the_learner_that_is_tested():
    page = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")
    assert "(examples/hard_em.py)" in page
    example, page = example_learner()(2), page.partition("## Abilities")[0]
    members = re.findall(r"^\| `(\w+)", page, re.MULTILINE)
    assert [name for name in members if name != "Class" and not hasattr(example, name)] == []
    assert len(members) > 5


def test_the_learner_to_copy_imports_what_is_public_and_is_short():
    example = ROOT / "docs" / "examples"
    (module,) = (one for one in house.read(example) if one.name == "hard_em.py")
    imported = set(re.findall(r"^from (spectralleader\S*) import", module.text, re.MULTILINE))
    assert imported == {"spectralleader", "spectralleader.learners"}
    assert module.n_lines <= 40


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/how-it-works.md"])
def test_the_walks_name_what_is_there(page):
    """Every name before a file in parentheses is defined in that file."""
    walk = (ROOT / page).read_text(encoding="utf-8")
    if page == "CONTRIBUTING.md":
        walk = walk[walk.index("## Three walks") : walk.index("## The laws")]
    homes = (ROOT / "src" / "spectralleader", ROOT)
    files = re.findall(r"`([a-z_0-9/]+\.py)`", walk)
    assert len(files) > 25
    found = {name: home / name for home in homes for name in files if (home / name).is_file()}
    assert [name for name in files if name not in found] == []
    named = re.findall(r"`([A-Za-z_.]+)`(?: files)? \(`([a-z_0-9/]+\.py)`\)", walk)
    assert len(named) > 20
    for name, file in named:
        text = found[file].read_text(encoding="utf-8")
        for part in name.split("."):
            assert re.search(rf"(def|class) {part}\b", text), f"{name} is not in {file}"
