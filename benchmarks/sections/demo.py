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
# Each part is a command in the clone; what an earlier one has done is not done again.
PARTS = {
    "environment": ["make", ".venv/bin/python"],
    "install, packages from pip's cache": ["make", ".venv/.demo-installed"],
    "compile": [".venv/bin/spectralleader", "warm-up"],
    "learn, draw and write the page": ["make", "demo"],
}
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
    advance, total = bench.bar(SECTION, total=len(PARTS)), 0.0
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder, "clone")
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(Path(folder, "kernels"))}
        for name in INHERITED:
            environment.pop(name, None)
        for name, command in PARTS.items():
            began = perf_counter()
            subprocess.run(command, check=True, capture_output=True, cwd=clone, env=environment)
            seconds = perf_counter() - began
            total += seconds
            bench.results.rows.append(Row(SECTION, name, (seconds,), 0, unit="s"))
            advance()
    bench.results.rows.append(Row(SECTION, TOTAL, (total,), 0, unit="s"))
