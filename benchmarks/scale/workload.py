"""What is measured: documents made where they are learned, and passes with their bytes."""

from __future__ import annotations

import pickle
import resource
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np
import psutil

from benchmarks.synthetic import Source, zipf_source
from spectralleader import Documents
from spectralleader.learners.summaries import Partitions, Summary, Task

N_TOPICS, N_WORDS, N_PARTS = 10, 5000, 16
N_POLISH, HELD_OUT = 5, 20_000
MEAN_LENGTH, SEED = 15, 0
WARM_UP = 1600  # documents that are learned first, as workers that live long have learned some


@lru_cache
def source() -> Source:
    return zipf_source(N_TOPICS, N_WORDS, exponent=1.0, seed=SEED)


def draw(part: int, n_docs: int) -> Documents:
    """Draw a part; the held-out documents are part -1."""
    rng = np.random.default_rng([SEED, part + 1])
    return source().draw(3 + rng.poisson(MEAN_LENGTH - 3, size=n_docs), rng)


def size_of_part(part: int, n_docs: int, n_parts: int = N_PARTS) -> int:
    return n_docs * (part + 1) // n_parts - n_docs * part // n_parts


class Recorded:
    """Partitions, and what each pass sent and took: bytes a part, and when it was done."""

    def __init__(self, partitions: Partitions) -> None:
        self._partitions, self.n_words = partitions, partitions.n_words
        self.passes: list[dict[str, Any]] = []
        self.models: list[tuple[float, dict[str, Any]]] = []  # when, and what EM went on from

    def total(self, task: Task) -> Summary:
        began = time.perf_counter()
        if (name := getattr(task, "func", task).__name__) == "expect":
            self.models.append((began, getattr(task, "keywords", {})))
        found = self._partitions.total(task)
        self.passes.append(
            {
                "pass": name,
                "down": len(pickle.dumps(task)),
                "up": sum(array.nbytes for array in found),
                "seconds": (began, time.perf_counter()),
            }
        )
        return found


def peak_memory() -> float:
    """Return the most memory that this process has had, in MB."""
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


@contextmanager
def watched_children() -> Iterator[dict[str, float]]:
    """Watch the memory of this process's children, all together, in MB."""
    peak, done = {"mb": 0.0}, threading.Event()

    def watch() -> None:
        while not done.wait(0.2):
            total = 0
            for child in psutil.Process().children(recursive=True):
                try:
                    total += child.memory_info().rss
                except psutil.Error:
                    continue
            peak["mb"] = max(peak["mb"], total / 2**20)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        done.set()
        thread.join()
