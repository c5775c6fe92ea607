"""Measurements that need a fresh interpreter: peak memory."""

from __future__ import annotations

import sys

from benchmarks import probe
from benchmarks.bench import Bench
from benchmarks.rows import Row

MEMORY = "memory"
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
