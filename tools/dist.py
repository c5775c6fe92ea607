"""Build the wheel and the source distribution twice, compare them, and try the wheel.

Run as ``python -m tools.dist``; ``--python python3.14`` tries the wheel with that Python as well,
``--no-try`` builds only. The same commit gives the same bytes wherever it is built with the
versions in `constraints.txt`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path
from shutil import copy2, rmtree

ROOT = Path(__file__).parents[1]
EPOCH = "1577836800"  # of files in a tree without git: 2020, as zip files have no time before 1980
TRY = """
from spectralleader import TextTopics, load, save
topics = TextTopics(n_topics=2)
topics.learn(["rain and wind and more rain", "a late goal, another goal"] * 20)
assert load(save(topics, "my.model")).top_words(2) == topics.top_words(2)
print(topics)
"""


def main(arguments: list[str] | None = None) -> None:
    """Build into dist/, or end with what differs."""
    parser = argparse.ArgumentParser(description="Build, compare and try the distributions.")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder to write")
    parser.add_argument("--python", action="append", default=[], help="try the wheel with it, too")
    parser.add_argument("--no-try", action="store_true", help="build and compare only")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        first, second = (build(Path(folder, name)) for name in ("first", "second"))
        if differing := compare(first, second):
            sys.exit(f"two builds of the same files differ: {', '.join(differing)}")
        rmtree(options.out, ignore_errors=True)
        options.out.mkdir(parents=True)
        for path in first:
            copy2(path, options.out)
            print(f"{sha256(path.read_bytes()).hexdigest()}  {path.name}")
    [wheel] = options.out.glob("*.whl")
    for python in [] if options.no_try else [sys.executable, *options.python]:
        print(f"{python}: {try_wheel(wheel, python)}", flush=True)


def build(out: Path) -> list[Path]:
    """Build both distributions into a folder, without a network; return their files, sorted."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)]
    run(command, SOURCE_DATE_EPOCH=os.environ.get("SOURCE_DATE_EPOCH") or commit_time())
    return sorted(out.iterdir())


def commit_time() -> str:
    """Return when the last commit was made, in seconds."""
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:  # no git
        return EPOCH
    return done.stdout.strip() or EPOCH


def compare(first: list[Path], second: list[Path]) -> list[str]:
    """Return the names of files that differ between two folders."""
    mine, others = ({path.name: path.read_bytes() for path in files} for files in (first, second))
    return sorted(name for name in mine | others if mine.get(name) != others.get(name))


def try_wheel(wheel: Path, python: str) -> str:
    """Install a wheel in an environment of its own, and learn, save and load; return the end."""
    with tempfile.TemporaryDirectory() as folder:
        run([python, "-m", "venv", folder])
        inside = str(Path(folder, "bin", "python"))
        install = [
            inside,
            "-m",
            "pip",
            "install",
            "--disable-pip-version-check",
            "--no-input",
            "-q",
        ]
        run([*install, "-c", str(ROOT / "constraints.txt"), str(wheel)])
        run([inside, "-m", "spectralleader", "--help"], folder)
        return run([inside, "-c", TRY], folder).strip()


def run(command: list[str], cwd: str | None = None, **environment: str) -> str:
    """Run a command and return its output, or end with its errors."""
    env = {**os.environ, "PYTHONPATH": "", **environment} if cwd else {**os.environ, **environment}
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=env)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


if __name__ == "__main__":
    main()
