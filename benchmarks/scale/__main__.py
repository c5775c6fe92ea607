"""The command: every run in a process of its own, rows kept in a file, then a table and a page.

Runs whose rows are in the file are skipped, so an interrupted benchmark resumes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from benchmarks import threads
from benchmarks.scale.rows import FOUND, Row, Setting, load, save, settings
from benchmarks.scale.stalls import watched

# Every engine once, small, to check that it runs; the rows stay apart from those of real runs.
QUICK = {"documents": "2000", "workers": "1", "anew": True}
QUICK_ROWS = FOUND.with_stem("bench-scale-quick")


def main() -> int:
    threads.use_one()
    arguments = parse(sys.argv[1:])
    if arguments.one:
        from benchmarks.scale import runs

        engine, n_docs, n_workers = arguments.one
        with watched() as stalls:
            row = runs.RUNS[engine](int(n_docs), int(n_workers))
        print(json.dumps(runs.in_seconds(row, stalls)))
        return 0
    documents, workers = (
        [int(n) for n in names.split(",")] for names in (arguments.documents, arguments.workers)
    )
    wanted = settings(documents, workers, arguments.only)
    n_failed = 0 if arguments.report else run_missing(wanted, arguments.rows, anew=arguments.anew)
    rows = load(arguments.rows)
    if rows:
        from benchmarks.scale import report

        print(report.table(rows), report.conditions(rows), sep="\n\n")
        if arguments.write_docs:
            report.write(rows)
    return min(1, n_failed)


def parse(given: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.scale", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="run every engine once on 2,000 documents"
    )
    parser.add_argument("--documents", default="100000,1000000,10000000")
    parser.add_argument("--workers", default="1,2")
    parser.add_argument(
        "--only", default="*", metavar="PATTERN", help="runs such as 'spark/*/2', of ENGINE/N/N"
    )
    parser.add_argument("--rows", type=Path, default=FOUND, help="file of what was found so far")
    parser.add_argument("--anew", action="store_true", help="repeat finished runs, too")
    parser.add_argument("--report", action="store_true", help="run nothing, show the file")
    parser.add_argument("--write-docs", action="store_true", help="write docs/scale.md, its figure")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args(given)
    if arguments.quick and arguments.write_docs:
        parser.error("--write-docs needs full runs: omit --quick")
    if arguments.quick:
        vars(arguments).update(QUICK, rows=QUICK_ROWS)
    return arguments


def run_missing(wanted: list[Setting], path: Path, *, anew: bool) -> int:
    """Run what is not in the file; return how many runs failed."""
    missing = [one for one in wanted if anew or str(one) not in load(path)]
    began, n_failed = time.perf_counter(), 0
    for i, setting in enumerate(missing, start=1):
        minutes = (time.perf_counter() - began) / 60
        tell(f"[{i}/{len(missing)}, {minutes:.0f} min] {setting} ... ")
        row = run(setting)
        if row is None:
            n_failed += 1
            continue
        save(load(path) | {str(setting): row}, path)
        tell(f"{row['seconds']:.1f} s, {row['fit']:.4f} nats per word\n")
    return n_failed


def run(setting: Setting) -> Row | None:
    """Run one setting in a process of its own; None, and its last words, if that fails."""
    load_before = os.getloadavg()[0]
    command = [sys.executable, "-m", "benchmarks.scale", "--one", *map(str, setting)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        tell(f"failed\n{done.stderr[-2000:]}\n")
        return None
    found: Row = json.loads(done.stdout.splitlines()[-1])
    named = {"engine": setting.engine, "documents": setting.n_docs, "workers": setting.n_workers}
    return {**named, "load": load_before, **found}


def tell(words: str) -> None:
    sys.stderr.write(words)
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
