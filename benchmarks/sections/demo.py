"""The demonstration from a fresh clone, by its parts: what a new user waits for."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from time import perf_counter

from benchmarks.bench import Bench
from benchmarks.rows import Row

SECTION = "make demo, fresh clone"
ROOT = Path(__file__).resolve().parents[2]
# What make does in the clone, one target after the other; the last one is made once more, with
# its kernels compiled.
TARGETS = (".venv/bin/python", ".venv/.demo-installed", "demo", "demo")
PARTS = (
    "environment",
    "install, packages from pip's cache",
    "compile",
    "learn, draw, write a page",
)
# What a shell of a new user does not have; make hands its own variables to the makes below it.
INHERITED = (
    "ARGS",
    "MAKEFLAGS",
    "MAKELEVEL",
    "MAKEOVERRIDES",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONPATH",
)
TOTAL, MOST = "from a clone to its end", 75.0  # seconds


def run(bench: Bench) -> None:
    """Clone this repository, and time each part in seconds waiting."""
    if bench.sizes.rounds == 1 or not Path(ROOT, ".git").exists():
        bench.results.left_out[SECTION] = "is timed in a full run, in a clone of the repository"
        return
    advance, waited = bench.bar(SECTION, total=len(TARGETS)), []
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder, "clone")
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(Path(folder, "kernels"))}
        for name in INHERITED:
            environment.pop(name, None)
        for target in TARGETS:
            began = perf_counter()
            make = ["make", target]
            subprocess.run(make, check=True, capture_output=True, cwd=clone, env=environment)
            waited.append(perf_counter() - began)
            advance()
    made, installed, cold, warm = waited
    seconds = (made, installed, cold - warm, warm, made + installed + cold)
    for name, value in zip((*PARTS, TOTAL), seconds, strict=True):
        bench.results.rows.append(Row(SECTION, name, (value,), 0, unit="s"))
