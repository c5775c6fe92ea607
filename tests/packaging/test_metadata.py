"""What a release says of itself: extras, supported Pythons, and what the workflow runs."""

import re
import shlex
import tomllib
from pathlib import Path

from spectralleader import __version__
from spectralleader.errors import EXTRAS

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FOR_DEVELOPERS = {"dev", "docs", "bench", "deploy"}
TOO_HEAVY = {"spark"}  # needs a Java, see pyproject.toml


def test_all_has_every_extra_that_is_for_users():
    [everything] = PROJECT["optional-dependencies"]["all"]
    named = set(re.fullmatch(r"spectralleader\[(.*)\]", everything)[1].split(","))
    extras = set(PROJECT["optional-dependencies"]) - {"all"}
    assert named == extras - FOR_DEVELOPERS - TOO_HEAVY


def test_hints_name_the_packages_of_each_extra():
    extras = set(PROJECT["optional-dependencies"]) - FOR_DEVELOPERS - {"all"}
    assert set(EXTRAS) == extras
    for extra, hint in EXTRAS.items():
        packages = PROJECT["optional-dependencies"][extra]
        named = [re.match(r"[\w.-]+(\[.*?\])?", package)[0] for package in packages]
        assert sorted(shlex.split(hint)) == sorted(named)


def test_the_workflow_runs_targets_that_exist_on_every_python_that_is_supported():
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"run: make ([a-z-]+)", workflow)
    assert set(targets) == {"lint", "test", "dist", "docs"}
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
    supported = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    tested, ends = (re.findall(r"3\.\d+", line) for line in re.findall(r"python: \[.*", workflow))
    assert tested == supported
    assert ends == [supported[0], supported[-1]]
    assert PROJECT["requires-python"] == f">={supported[0]}"


def test_constraints_say_which_version_of_each_dependency_is_tested():
    pinned = (ROOT / "constraints.txt").read_text(encoding="utf-8").lower()
    for requirement in PROJECT["dependencies"]:
        name = re.match(r"[\w-]+", requirement)[0]
        assert f"\n{name}==" in pinned


def test_every_file_that_states_the_version_states_this_one():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    version, date = re.search(r"\nversion: (.*)\ndate-released: (.*)\n", citation).groups()
    assert version == __version__
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## \[(\d.*)\] - (.*)$", changelog, re.MULTILINE)
    assert released[0] == (__version__, date)
