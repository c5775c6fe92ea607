"""First use: what a command takes with an empty cache of kernels, and with a full one."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from benchmarks.bench import Bench
from benchmarks.rows import Row

SECTION = "first use"
CPU, WALL = "CPU s", "s waiting"
COLD, WARM = "first ever", "from the cache"
LEARN, CALL = "learn, 1,000 lines", "TextTopics().learn, 100 texts"
HELP, IMPORT = "--help", "import spectralleader"
TEXTS = "from spectralleader.topics.first_use import sample_texts; "


class Target(NamedTuple):
    """What a figure is to be at most."""

    name: str
    unit: str
    most: float


TARGETS = (
    *(Target(f"{what}, {COLD}", CPU, 12.0) for what in (LEARN, CALL)),
    *(Target(f"{what}, {COLD}", WALL, 12.0) for what in (LEARN, CALL)),
    Target(f"{LEARN}, {WARM}", CPU, 1.2),
    Target(HELP, CPU, 0.2),
    Target(IMPORT, CPU, 0.3),
)


def run(bench: Bench) -> None:
    """Measure in CPU seconds, of all processes, and in seconds waiting.

    The cold figures are of one run; the others are the best of three, as noise only adds.
    """
    advance = bench.bar(SECTION, total=5)
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder, "lines.txt")
        write = f"{TEXTS}open({str(lines)!r}, 'w').write('\\n'.join(sample_texts(1000)))"
        measure([sys.executable, "-c", write], folder)
        call = (
            f"{TEXTS}from spectralleader import TextTopics; TextTopics().learn(sample_texts(100))"
        )
        commands = {
            LEARN: [sys.executable, "-m", "spectralleader", "learn", str(lines)],
            CALL: [sys.executable, "-c", call],
        }
        for what, command in commands.items():
            with tempfile.TemporaryDirectory() as cache:
                add(bench, f"{what}, {COLD}", [measure(command, cache)])
                add(bench, f"{what}, {WARM}", [measure(command, cache) for _ in range(3)])
            advance()
        help_command = [sys.executable, "-m", "spectralleader", "--help"]
        add(bench, HELP, [measure(help_command, folder) for _ in range(3)])
        importing = [sys.executable, "-c", "import spectralleader"]
        add(bench, IMPORT, [measure(importing, folder) for _ in range(3)])


def add(bench: Bench, name: str, measured: list[tuple[float, float]]) -> None:
    """Add the best of some runs, of CPU seconds and of seconds waiting."""
    for unit, values in zip((CPU, WALL), zip(*measured, strict=True), strict=True):
        bench.results.rows.append(Row(SECTION, name, (min(values),), 0, unit=unit))


def measure(command: list[str], cache: str) -> tuple[float, float]:
    """Run a command; return the CPU seconds of it and of its processes, and the seconds waiting."""
    before, began = _cpu_seconds(), perf_counter()
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # a package that is installed has its bytecode
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return _cpu_seconds() - before, perf_counter() - began


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)  # of those that have ended
    return used.ru_utime + used.ru_stime
