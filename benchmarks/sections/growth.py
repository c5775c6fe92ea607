"""Growth: how our time a document depends on documents, reservoir, vocabulary and topics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from benchmarks.bench import Bench
from benchmarks.rows import Row
from benchmarks.sizes import N_TOPICS, SEED, Sizes
from benchmarks.synthetic import zipf_source
from benchmarks.timing import Trial, interleave
from spectralleader import Documents, SpectralLeader

LENGTH = 12  # words a document
BLOCK = 1000
MODES = {"learning alone": False, "model read every 1000 documents": True}


@dataclass(frozen=True)
class Setting:
    """One point of a sweep."""

    n_docs: int
    reservoir_size: int
    n_words: int = 500
    n_topics: int = N_TOPICS


def section_name(sweep: str) -> str:
    return f"growth: {sweep}"


def setting(sweep: str, size: int, sizes: Sizes) -> Setting:
    """Return the setting in which only the swept quantity differs from the others.

    The stream is ten times the swept reservoir, so that the same share of it is remembered; for
    topics it is as long as the reservoir, because with many of them a model takes long.
    """
    n_docs, reservoir_size = sizes.sweep_docs, sizes.reservoir_size
    return {
        "documents": Setting(size, reservoir_size),
        "reservoir": Setting(10 * size, size),
        "vocabulary": Setting(n_docs, reservoir_size, n_words=size),
        "topics": Setting(reservoir_size, reservoir_size, n_topics=size),
    }[sweep]


def run(bench: Bench) -> None:
    """Measure all sweeps, their points in turn."""
    points = list(_points(bench.sizes))
    advance = bench.bar("growth", total=len(points) * bench.sizes.growth_rounds)
    starters = [(key, partial(start, at, reads=MODES[key[2]])) for key, at in points]
    for key, (values, n_docs) in interleave(starters, bench.sizes.growth_rounds, advance).items():
        sweep, size, mode = key
        bench.results.rows.append(Row(section_name(sweep), mode, tuple(values), n_docs, size=size))
    draw.cache_clear()


def _points(sizes: Sizes) -> Iterator[tuple[tuple[str, int, str], Setting]]:
    for sweep, values in sizes.sweeps.items():
        for size in values:
            for mode in MODES:
                yield (sweep, size, mode), setting(sweep, size, sizes)


def start(at: Setting, *, reads: bool) -> Trial:
    """Prepare our learner at a setting, on synthetic documents over and over."""
    learner = SpectralLeader(
        at.n_topics, n_words=at.n_words, reservoir_size=at.reservoir_size, seed=SEED
    )
    documents = draw(min(at.n_docs, 100_000), at.n_words, at.n_topics)

    def run() -> None:
        for _ in range(at.n_docs // documents.n_docs):
            for block in documents.blocks(BLOCK):
                learner.learn(block)
                if reads:
                    learner.model  # noqa: B018  # reading is the work
        learner.model  # noqa: B018

    return Trial(run, at.n_docs)


@cache
def draw(n_docs: int, n_words: int, n_topics: int) -> Documents:
    """Draw documents of one length, Zipf-like."""
    source = zipf_source(n_topics, n_words, exponent=1.0, seed=SEED)
    return source.draw(np.full(n_docs, LENGTH), np.random.default_rng(SEED))
