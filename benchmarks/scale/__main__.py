"""The command: every run in a process of its own, then one table."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from typing import Any

from benchmarks import threads


def main() -> int:
    threads.use_one()
    parser = argparse.ArgumentParser(prog="benchmarks.scale", description=__doc__)
    parser.add_argument("--documents", default="100000,1000000,10000000")
    parser.add_argument("--engines", default="dask,spark,spark-lda,spark-lda-100")
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--most-lda", type=int, default=1_000_000, help="documents for Spark's LDA")
    parser.add_argument("--one", nargs=3, metavar=("ENGINE", "DOCUMENTS", "WORKERS"))
    arguments = parser.parse_args()
    if arguments.one:
        engine, n_docs, n_workers = arguments.one
        from benchmarks.scale.runs import RUNS

        print(json.dumps(RUNS[engine](int(n_docs), int(n_workers))))
        return 0
    print("| engine | documents | workers | seconds | documents a second | driver MB | worker MB |"
          " passes | MB down a part | MB up a part | held-out nats a word |")  # fmt: skip
    print("|---" * 11 + "|")
    for n_docs in arguments.documents.split(","):
        for engine in arguments.engines.split(","):
            if engine.startswith("spark-lda") and int(n_docs) > arguments.most_lda:
                continue
            for n_workers in arguments.workers.split(","):
                print(row(engine, int(n_docs), n_workers, one(engine, n_docs, n_workers)))
                sys.stdout.flush()
    return 0


def one(*setting: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.scale", "--one", *setting]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.stderr.write(done.stderr[-2000:])
        raise SystemExit(f"{' '.join(setting)} failed")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def row(engine: str, n_docs: int, n_workers: str, found: dict[str, Any]) -> str:
    megabytes = [f"{found[key] / 1e6:.1f}" if key in found else "-" for key in ("down", "up")]
    cells = (
        *(engine, f"{n_docs:,}", n_workers, f"{found['seconds']:.1f}"),
        *(f"{n_docs / found['seconds']:,.0f}", f"{found['driver_mb']:.0f}"),
        *(f"{found['worker_mb']:.0f}", str(found.get("n_passes", "-")), *megabytes),
        f"{found['fit']:.4f}",
    )
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    sys.exit(main())
