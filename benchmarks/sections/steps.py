"""A model after every single document, from a full reservoir: ours against Algorithm 1."""

from __future__ import annotations

import gc
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.bench import Bench
from benchmarks.rows import Row
from benchmarks.sizes import N_TOPICS, SEED
from spectralleader import Algorithm1, Documents, Reservoir, SpectralLeader
from spectralleader.arrays import Floats

CHANGED = "every document: steps that changed the sample"
ALL = "every document: all steps"
LITERAL = "Algorithm1"
FILL = 1000  # documents per block until the reservoir is full


def run(bench: Bench) -> None:
    """Time both learners step by step, in turn, and add their rows."""
    sizes, documents = bench.sizes, bench.stream.documents
    n_steps = {"SpectralLeader": sizes.steps, LITERAL: sizes.literal_steps}
    learners = {"SpectralLeader": SpectralLeader, LITERAL: Algorithm1}
    changed = sample_changes(documents[: sizes.reservoir_size + sizes.steps], sizes.reservoir_size)
    advance = bench.bar("every document", 2 * sizes.rounds)
    times: dict[str, list[Floats]] = {name: [] for name in learners}
    for _ in range(sizes.rounds):
        for name, learner in learners.items():
            steps = documents[: sizes.reservoir_size + n_steps[name]]
            times[name].append(time_steps(learner, steps, sizes.reservoir_size))
            advance()
    for name, rounds in times.items():
        bench.results.rows += rows_of(name, rounds, changed)


def sample_changes(documents: Documents, reservoir_size: int) -> Any:
    """Return which steps after the filling change the sample: the same ones for both learners."""
    reservoir = Reservoir(reservoir_size, n_words=documents.n_words, seed=SEED)
    reservoir.add(documents[:reservoir_size])
    steps = documents[reservoir_size:].blocks(1)
    return np.array([reservoir.add(document).n_docs > 0 for document in steps])


def time_steps(learner_class: Any, documents: Documents, reservoir_size: int) -> Floats:
    """Fill the reservoir, then return the seconds of each step: learn one document, read."""
    learner = learner_class(
        N_TOPICS, n_words=documents.n_words, reservoir_size=reservoir_size, seed=SEED
    )
    for block in documents[:reservoir_size].blocks(FILL):
        learner.learn(block)
    learner.model  # noqa: B018  # reading is the work
    steps = list(documents[reservoir_size:].blocks(1))
    gc.collect()
    clock = [perf_counter()]
    for document in steps:
        learner.learn(document)
        learner.model  # noqa: B018
        clock.append(perf_counter())
    return np.diff(clock)


def rows_of(name: str, rounds: list[Floats], changed: Any) -> list[Row]:
    """Return the mean of the steps that changed the sample, and that of all steps.

    A learner timed over fewer steps than `changed` has is charged, in the mean of all steps, for
    the share of changes among all of them: the later ones change the sample more seldom.
    """
    moved = [_mean(times[changed[: len(times)]]) for times in rounds]
    idle = [_mean(times[~changed[: len(times)]]) for times in rounds]
    share = changed.mean()
    everything = [share * a + (1 - share) * b for a, b in zip(moved, idle, strict=True)]
    n_docs = len(rounds[0])
    return [
        Row(CHANGED, name, tuple(1e6 * time for time in moved), n_docs),
        Row(ALL, name, tuple(1e6 * time for time in everything), n_docs),
    ]


def _mean(times: Floats) -> float:
    return float(times.mean()) if len(times) else 0.0
