"""What a word or a document costs in each pass, on one core: the constants of docs/scale.md."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.scale.workload import N_WORDS, draw
from spectralleader.learners.basis import EXTRA
from spectralleader.learners.passes import Task, summaries

N_DOCS = 4000


def measure(n_topics: int) -> dict[str, float]:
    """Return microseconds a document in each pass."""
    rng, r = np.random.default_rng(0), n_topics + EXTRA
    documents = draw(0, N_DOCS)
    words = rng.random((N_WORDS, n_topics))
    statistics = (words, np.stack([np.ones(n_topics), words.sum(axis=0)]))
    background = np.full(N_WORDS, 1.0 / N_WORDS)
    block = rng.standard_normal((N_WORDS, n_topics))
    basis = np.linalg.qr(rng.standard_normal((N_WORDS, r)))[0]
    tasks: dict[str, Task] = {
        "count": summaries.count,
        "multiply_pairs": lambda part: summaries.multiply_pairs(part, block),
        "project": lambda part: summaries.project(part, basis),
        "expect": lambda part: summaries.expect(part, *statistics, background, 500.0),
    }
    for task in tasks.values():
        task(documents[:10])
    found = {}
    for name, task in tasks.items():
        seconds = []
        for _ in range(3):
            began = time.process_time()  # of this process alone, whatever else runs
            task(documents)
            seconds.append(time.process_time() - began)
        found[name] = 1e6 * min(seconds) / N_DOCS
    return found


if __name__ == "__main__":
    for k in (10, 100):
        costs = measure(k)
        print(f"K = {k}: " + ", ".join(f"{name} {cost:.2f}" for name, cost in costs.items()))
