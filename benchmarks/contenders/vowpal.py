"""Vowpal Wabbit --lda: C++, a process of its own that reads word ids from a file."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from benchmarks.task import Task
from benchmarks.timing import Trial

# learning rates of the example in the project's wiki
OPTIONS = ("--lda_alpha", "0.1", "--lda_rho", "0.1", "--power_t", "0.5", "--initial_t", "1")


def lda(task: Task, *, minibatch: int) -> Trial:
    """Learn the file and save the model; the start-up is the same with one document."""
    everything = _write(task)
    nothing = _write(task.head(1))

    def learn(path: Path) -> Callable[[], object]:
        bits = (task.n_words - 1).bit_length()
        command = [sys.executable, "-m", "vowpalwabbit", "-d", path, "--quiet"]
        command += [
            "--lda",
            task.n_topics,
            "--lda_D",
            task.n_docs,
            "--minibatch",
            minibatch,
            *OPTIONS,
        ]
        command += ["-b", bits, "-f", task.scratch / "model.vw"]
        return lambda: subprocess.run([*map(str, command)], check=True, capture_output=True)

    return Trial(learn(everything), task.n_docs, startup=learn(nothing))


def _write(task: Task) -> Path:
    """Write the documents as lines of id:count, once for all trials of a run."""
    path = task.scratch / f"{task.n_docs}.vw"
    if not path.exists():
        ends = task.documents.indptr.tolist()
        words, counts = task.documents.words.tolist(), task.documents.counts.tolist()
        entries = [f"{word}:{count:.0f}" for word, count in zip(words, counts, strict=True)]
        path.write_text("".join(f"| {' '.join(entries[a:b])}\n" for a, b in pairwise(ends)))
    return path
