"""Measurements that need a fresh interpreter: peak memory and first-use compilation."""

from __future__ import annotations

import os
import sys
import tempfile

from benchmarks import probe
from benchmarks.bench import Bench
from benchmarks.rows import Row

MEMORY = "memory"
FIRST_USE = "first use"
ABOVE = "peak above the interpreter with its imports"
IMPORTS = "the interpreter with its imports"


def run_memory(bench: Bench) -> None:
    """Measure our peak memory at a large vocabulary."""
    if not sys.platform.startswith("linux"):
        bench.results.left_out["peak memory"] = "is read from /proc, which only Linux has"
        return
    advance = bench.bar("memory", total=1)
    answer = probe.ask("memory", **bench.sizes.memory)
    n_docs = bench.sizes.memory["n_docs"]
    for name, key in ((IMPORTS, "imports"), (ABOVE, "above")):
        bench.results.rows.append(Row(MEMORY, name, (answer[key],), n_docs, unit="MB"))
    advance()


def run_first_use(bench: Bench) -> None:
    """Measure import and first use twice: with an empty compilation cache, then with a full one."""
    advance = bench.bar("first use", total=2)
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        for when in ("first ever, compiling", "from the cache"):
            answer = probe.ask("first-use", environment=environment)
            for what, seconds in answer.items():
                row = Row(FIRST_USE, f"{what}, {when}", (seconds,), 0, unit="s")
                bench.results.rows.append(row)
            advance()
