"""What each pass costs on one core: as rows of a table (see docs/scale.md).

A part has a fixed cost, of reading and making blocks of d x K numbers, and one for each document:
the line through the times of a small and a large part. Triples of many documents are added up word
by word, at a cost of K^3 for each that occurs, so that both parts must have nearly all words.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from spectralleader import Documents
from spectralleader.learners import summaries
from spectralleader.learners.summaries import Task
from spectralleader.spectral.basis import EXTRA

MEAN_LENGTH, SEED = 15, 0
PASSES = ("count", "multiply_pairs", "project", "expect")
FEW, MANY, N_ROUNDS = 1, 300_000, 3  # documents of the small and the large part
FULL_ROUNDS = 1  # of triples, which take a minute over a large vocabulary
SIZES = ((5_000, 10), (5_000, 100), (1_000_000, 100))  # words, topics


class Cost(NamedTuple):
    """Of one pass."""

    a_document: float  # microseconds
    a_part: float  # seconds
    down: float  # GB
    up: float  # GB


def draw(n_docs: int, n_words: int) -> Documents:
    """Draw documents whose words are as frequent as Zipf says."""
    rng = np.random.default_rng(SEED)
    chances = 1.0 / np.arange(1, n_words + 1)
    lengths = 3 + rng.poisson(MEAN_LENGTH - 3, size=n_docs)
    points = rng.random(int(lengths.sum())) * chances.sum()
    words = np.searchsorted(chances.cumsum(), points).clip(max=n_words - 1)
    keys, counts = np.unique(
        np.repeat(np.arange(n_docs), lengths) * n_words + words, return_counts=True
    )
    indptr = np.searchsorted(keys, np.arange(n_docs + 1) * n_words)
    ids = (keys % n_words).astype(np.int32)
    return Documents(indptr.astype(np.int64), ids, counts.astype(float), n_words)


def make_task(name: str, n_words: int, n_topics: int) -> tuple[Task, float]:
    """Return a pass and the gigabytes that are sent for it."""
    rng = np.random.default_rng(SEED)
    if name == "count":
        return summaries.count, 0.0
    r = n_topics + (EXTRA if name == "project" else 0)
    block = rng.random((n_words, r)) / n_words
    if name == "multiply_pairs":
        return lambda part: summaries.multiply_pairs(part, block), block.nbytes / 1e9
    if name == "project":
        return lambda part: summaries.project(part, block), block.nbytes / 1e9
    totals, background = np.stack([np.ones(r), block.sum(axis=0)]), np.full(n_words, 1.0 / n_words)
    task: Task = lambda part: summaries.expect(part, block, totals, background, 0.1 * n_words)  # noqa: E731
    return task, block.nbytes / 1e9


def measure(name: str, n_words: int, n_topics: int) -> Cost:
    """Return what a pass costs, in processor time of this process, whatever else runs."""
    is_full = name == "project"
    few, many = (n_words // 3, 2 * n_words // 3) if is_full else (FEW, MANY)
    many = max(many, 40_000)
    documents = draw(many, n_words)
    task, down = make_task(name, n_words, n_topics)
    up = sum(array.nbytes for array in task(documents[:1])) / 1e9
    rounds = range(FULL_ROUNDS if is_full and n_words > MANY else N_ROUNDS)
    small, large = (
        min(_seconds(task, part) for _ in rounds) for part in (documents[:few], documents)
    )
    each = (large - small) / (many - few)
    return Cost(1e6 * each, max(0.0, small - few * each), down, up)


def _seconds(task: Task, documents: Documents) -> float:
    began = time.process_time()
    task(documents)
    return time.process_time() - began


def main() -> None:
    for n_words, n_topics in SIZES:
        print(f"\n{n_words:,} words, {n_topics} topics\n")
        print("| pass | per document, µs | fixed, per partition, s | sent, GB | summary, GB |")
        print("|---|---|---|---|---|")
        for name in PASSES:
            cost = measure(name, n_words, n_topics)
            print(
                f"| {name} | {cost.a_document:.2f} | {cost.a_part:.2f} | {cost.down:.3f} | "
                f"{cost.up:.3f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
