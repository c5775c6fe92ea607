"""Adapters: what scikit-learn's and river's clothes cost over the learner inside."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.bench import Bench
from benchmarks.contenders.registry import HEDGED, RIVER, SPECTRAL
from benchmarks.contenders.river import bags_of, lda
from benchmarks.contenders.scikit import blocks_of
from benchmarks.rows import Row
from benchmarks.task import Race, Task
from benchmarks.timing import Trial, interleave
from spectralleader import LEARNERS, Documents

NAMES = {HEDGED: "hedged", SPECTRAL: "spectral"}  # in our registry
BLOCKS = Race("adapters", "", 1000, reads=False)
CORE, ADAPTER = "the learner alone, converted documents", "the adapter"
FROM_MATRIX = "the learner and Documents.from_matrix"
FROM_DICT = "the learner and a plain conversion of dictionaries"
ONE_BY_ONE = 3_000  # documents; river's own learns fewer
RIVER_DOCS = 100
REPEATS = 1

Start = Callable[[Task], Trial]


def section_name(library: str, learner: str) -> str:
    return f"{library} adapter, {learner}"


def run(bench: Bench) -> None:
    """Time adapter and core on the same blocks, in turn."""
    task = BLOCKS.task(bench.stream, bench.sizes, bench.scratch)
    for learner, name in NAMES.items():
        make = partial(LEARNERS[name], task.n_topics, seed=task.seed)
        scikit: dict[str, Start] = {
            CORE: partial(learn_blocks, make),
            FROM_MATRIX: partial(convert_blocks, make),
            ADAPTER: partial(partial_fit, name),
        }
        time_all(section_name("scikit-learn", learner), scikit, task, bench)
        river: dict[str, Start] = {
            CORE: partial(learn_ids, make),
            FROM_DICT: partial(convert_dicts, make),
            ADAPTER: partial(learn_one, name),
            RIVER: lambda task: lda(task.head(RIVER_DOCS)),
        }
        time_all(section_name("river", learner), river, task.head(ONE_BY_ONE), bench)


def time_all(section: str, starts: dict[str, Start], task: Task, bench: Bench) -> None:
    rounds = REPEATS * bench.sizes.rounds
    advance = bench.bar(section, total=len(starts) * rounds)
    for start in starts.values():
        start(task.head(50)).run()  # compile and import
    starters = [(name, partial(start, task)) for name, start in starts.items()]
    for name, (values, n_docs) in interleave(starters, rounds, advance).items():
        bench.results.rows.append(Row(section, name, tuple(values), n_docs))


def over_all(step: Callable[[Any], object], items: list[Any], n_docs: int) -> Trial:
    """Return a trial that takes one step for each item."""

    def run() -> None:
        for item in items:
            step(item)

    return Trial(run, n_docs)


def learn_blocks(make: Callable[..., Any], task: Task) -> Trial:
    return over_all(make(n_words=task.n_words).learn, task.blocks(), task.n_docs)


def convert_blocks(make: Callable[..., Any], task: Task) -> Trial:
    learner = make(n_words=task.n_words)
    learn = lambda counts: learner.learn(Documents.from_matrix(counts))  # noqa: E731
    return over_all(learn, blocks_of(task), task.n_docs)


def partial_fit(name: str, task: Task) -> Trial:
    from spectralleader.sklearn import SpectralTopics

    topics = SpectralTopics(task.n_topics, learner=name, random_state=task.seed)
    return over_all(topics.partial_fit, blocks_of(task), task.n_docs)


def learn_ids(make: Callable[..., Any], task: Task) -> Trial:
    """Learn documents one at a time, over words numbered as they come."""
    convert = Conversion()
    return over_all(make().learn, [convert(bag) for bag in bags_of(task)], task.n_docs)


def convert_dicts(make: Callable[..., Any], task: Task) -> Trial:
    learner, convert = make(), Conversion()
    return over_all(lambda bag: learner.learn(convert(bag)), bags_of(task), task.n_docs)


def learn_one(name: str, task: Task) -> Trial:
    from spectralleader.river import SpectralTopics

    topics = SpectralTopics(task.n_topics, learner=name, seed=task.seed)
    return over_all(topics.learn_one, bags_of(task), task.n_docs)


class Conversion:
    """What anybody would write who has dictionaries of counts and wants documents.

    A document's new words are numbered in order of name, as the adapter does: with other numbers
    the learner would have other random starts, and other work to do.
    """

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}

    def __call__(self, bag: dict[str, int]) -> Documents:
        ids = self.ids
        for word in sorted(bag.keys() - ids.keys(), key=repr):
            ids[word] = len(ids)
        pairs = sorted((ids[word], count) for word, count in bag.items())
        words = np.array([word for word, _ in pairs], np.int32)
        counts = np.array([count for _, count in pairs], np.float64)
        return Documents(np.array([0, len(pairs)]), words, counts, max(1, len(ids)))
