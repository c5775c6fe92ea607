import ast
import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from study.sources.corpora import get
from tests.factories import write_csv

ROOT = Path(__file__).parents[1]
# a snippet, and the output below it, if there is one
SNIPPET = re.compile(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.DOTALL)
SNIPPETS = [
    pytest.param(code, output, id=f"{path.name} {number}")
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    for number, (code, output) in enumerate(SNIPPET.findall(path.read_text()))
]


@pytest.mark.parametrize(("code", "output"), SNIPPETS)
def test_snippets_run_and_print_what_is_shown(code, output):
    if 'open_corpus("health_tweets")' in code:
        get_or_skip("health_tweets")
    if "gensim" in code:
        pytest.importorskip("gensim", reason="needs the bench extra")
    printed = run(code)
    assert output == "" or parts_of(printed) == parts_of(output), printed


SHOWN = re.compile(r"  # (\[.*\]|\{.*\}|None)(?=$|:)")  # a value in a comment at the end of a line


def run(code):
    """Run a snippet and return what it prints.

    What its statements give is compared with what comments beside them show.
    """
    names, lines, whole = {}, code.splitlines(), io.StringIO()
    for statement in ast.parse(code).body:
        shown = SHOWN.search(lines[statement.end_lineno - 1])
        if shown is None or not isinstance(statement, ast.Expr):
            with contextlib.redirect_stdout(whole):
                exec(compile(ast.Module([statement], []), "snippet", "exec"), names)
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            value = eval(compile(ast.Expression(statement.value), "snippet", "eval"), names)
        text = printed.getvalue() if value is None else repr(value)
        assert parts_of(text) == parts_of(shown[1]), lines[statement.end_lineno - 1]
        whole.write(text)
    return whole.getvalue()


def parts_of(shown):
    """Return the words, numbers and brackets of a value, however it is laid out."""
    text = shown.strip().removeprefix("array(").removesuffix(")")
    parts = re.findall(r"-?\d[\d.]*|\w+|[\[\]{}]", text)
    return [float(part) if part[-1] in "0123456789." else part for part in parts]


def test_a_value_that_a_snippet_does_not_give_is_noticed():
    run("print([1.0, 2])  # [1., 2]: two numbers")
    run("sorted('ba')  # ['a', 'b']\nprint(None)  # None: no")
    with pytest.raises(AssertionError, match="first"):
        run("first = [3, 4]\nprint(first)  # [3, 5]")
    assert run("print(1)\nprint([2])  # [2]\nprint('three')") == "1\n[2]\nthree\n"
    assert parts_of(run("print(34, 'experts')")) != parts_of("35 experts")


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


def test_the_readme_counts_the_verdicts_of_the_results():
    results = (ROOT / "docs" / "results.md").read_text().split("## Verdicts", 1)[1]
    verdicts = re.findall(
        r"\| (holds|does not hold) \|$", results.split("\n## ", 1)[0], re.MULTILINE
    )
    held, failed = verdicts.count("holds"), verdicts.count("does not hold")
    assert held + failed > 15
    assert f"{held} of its claims hold, {failed} do not" in (ROOT / "README.md").read_text()


def shell_blocks(path):
    return re.findall(r"```sh\n(.*?)```", (ROOT / path).read_text(), re.DOTALL)


@pytest.mark.parametrize("path", ["README.md", "docs/text.md"])
def test_commands_run(path, tmp_path):
    for name in ("tweets.csv", "new.csv"):
        write_csv(tmp_path / name, 120)
    python = f"{shlex.quote(sys.executable)} -m spectralleader"
    # a service does not end: 124 says that it ran until it was stopped, and was not refused
    serve = f'timeout 8 {python} "$@" --port 0 || [ $? = 124 ]'
    command = f'spectralleader() {{ if [ "$1" = serve ]; then {serve}; else {python} "$@"; fi; }}'
    script = "\n".join(["set -eo pipefail", command, *shell_blocks(path)])
    environment = os.environ | {"SPECTRALLEADER_CACHE": str(tmp_path / "none")}
    result = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    assert script.count("\nspectralleader ") >= 4
    assert list(tmp_path.glob("*.sl"))
