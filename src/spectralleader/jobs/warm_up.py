"""Warm-up: compile all kernels in advance, for a container image or a cache."""

from __future__ import annotations

from os.path import commonpath
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

from spectralleader import jobs
from spectralleader.jobs.options import Source
from spectralleader.learners import LEARNERS
from spectralleader.runtime.compiled import KERNELS, before_each_kernel
from spectralleader.runtime.interrupts import raise_if_interrupted
from spectralleader.topics.first_use import sample_texts

N_DOCS = 400  # enough documents for every refit to run once


class WarmUpResult(NamedTuple):
    """The result of a warm-up."""

    folder: Path | None  # common folder of the caches; None if there is no cache
    n_kernels: int
    seconds: float


def warm_up() -> WarmUpResult:
    """Compile the kernels of all commands, with every learner."""
    began = perf_counter()
    with before_each_kernel(raise_if_interrupted), TemporaryDirectory() as folder:
        data = Path(folder, "texts.csv")
        rows = (f'{i % 2},"{text}"' for i, text in enumerate(sample_texts(N_DOCS)))
        data.write_text("\n".join(["label,text", *rows]), encoding="utf-8")
        for learner in LEARNERS:
            for vocabulary in (None, "grow"):
                _use(learner, vocabulary, data)
        jobs.evaluate(Source.of(data, label="label"), learners=list(LEARNERS), n_topics=2)
    used = [kernel for kernel in KERNELS if kernel.signatures]
    folders = [kernel.stats.cache_path for kernel in used]
    # A kernel without a cache is compiled again by every process: then nothing is ready.
    kept = None if None in folders else Path(commonpath(folders))
    return WarmUpResult(kept, len(used), perf_counter() - began)


def _use(learner: str, vocabulary: str | None, data: Path) -> None:
    """Learn, save, resume, predict, describe and merge."""
    files = [data.with_name(f"{learner}-{vocabulary}-{i}.sl") for i in range(3)]
    for file in files[:2]:
        jobs.learn(data, n_topics=2, learner=learner, vocabulary=vocabulary, save=file)
    learned = jobs.learn(data, n_topics=2, learner=learner, vocabulary=vocabulary, save=files[0])
    list(jobs.predict(learned.topics, data))
    learned.topics.at("all").classify(["word1"])  # as a service does
    jobs.describe(learned.topics.read())
    if hasattr(LEARNERS[learner], "merge"):
        jobs.merge(files[:2], files[2])
