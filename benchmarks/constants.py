"""Vary the constants of SpectralLeader one at a time, on development streams only.

``python -m benchmarks.constants`` prints a Markdown table. A row is a constant at another value; a
cell is by how many per cent the loss changes, so that a positive number speaks for the present
value. Test streams are never read here (see `role` in sources/corpora.py).
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from itertools import islice
from typing import Any, NamedTuple, TypeAlias
from unittest import mock

from benchmarks import threads

threads.use_one()  # before NumPy is imported

import numpy as np  # noqa: E402
from rich.progress import track  # noqa: E402

from benchmarks.stream import data_folder  # noqa: E402
from spectralleader import Documents, SpectralLeader, SpectralMethod, TopicModel  # noqa: E402
from study.judging import METRICS, Block, judge, running_averages  # noqa: E402
from study.sources.corpora import DEVELOPMENT, find_files, role_of  # noqa: E402
from study.sources.counted import count_corpus  # noqa: E402
from study.sources.synthetic import (  # noqa: E402
    easy,
    hard,
    non_stochastic,
    random_problem,
    switching,
)

FOLDER = "learners.spectral_leader"  # modules whose names are replaced
LEADER = f"{FOLDER}.spectral_leader."


Patches: TypeAlias = dict[str, Any]  # by name within `spectralleader`


class Stream(NamedTuple):
    """A development stream: a problem, or a corpus from another document on for every seed."""

    group: str
    source: Any  # a function that returns a problem, or (corpus, K, d)
    block_size: int
    n_steps: int


STREAMS = (
    Stream("paper's problems", easy, 1, 500),
    Stream("paper's problems", hard, 1, 500),
    Stream("paper's problems", non_stochastic, 1, 500),
    Stream("paper's problems", switching, 1, 500),
    Stream("paper's problems", hard, 100, 100),
    Stream("random problems", lambda: random_problem(5, 100, lengths=10), 10, 300),
    Stream("random problems", lambda: random_problem(10, 500, lengths=10), 10, 300),
    Stream("random problems", lambda: random_problem(10, 500, lengths=10), 1000, 15),
    Stream("election tweets", ("election_tweets", 5, 500), 10, 500),
    Stream("election tweets", ("election_tweets", 5, 500), 1000, 25),
    Stream("health tweets", ("health_tweets", 10, 1000), 10, 300),
    Stream("health tweets", ("health_tweets", 10, 1000), 1000, 15),
)


class Variant(NamedTuple):
    """A constant at another value: what to replace in `spectralleader`, and for whom."""

    constant: str
    value: str
    metrics: tuple[str, ...]
    patches: Callable[[], Patches]  # called for every run


def of_plain(constant: str, value: str, patches: Callable[[], Patches]) -> Variant:
    return Variant(constant, value, ("L1", "L2"), patches)


def constant(name: str, value: Any) -> Callable[[], Patches]:
    return lambda: {name: value}


VARIANTS = (
    *(
        Variant("renewal (doubled)", name, ("L2",), constant(LEADER + "next_renewal", f))
        for name, f in (("4 times", lambda n: 4 * n), ("5/4", lambda n: n + n // 4 + 1))
    ),
    *(
        of_plain("staleness (1/3)", name, constant(f"{FOLDER}.anchored_estimator.STALE", share))
        for name, share in (("1/8", 1 / 8), ("1/2", 1 / 2), ("1", 1.0))
    ),
    *(
        of_plain("extra directions (3)", f"{n}", constant("spectral.basis.EXTRA", n))
        for n in (0, 1, 5)
    ),
)
RUNS = (Variant("", "", (), dict), *VARIANTS)


@cache
def text(corpus: str, n_topics: int, n_words: int) -> tuple[Documents, TopicModel]:
    """Return a corpus, and theta* by the offline spectral method, as in the paper."""
    if role_of(corpus) != DEVELOPMENT:
        raise ValueError(f"{corpus} is a test corpus; constants are not chosen on it")
    folder = data_folder() if find_files(corpus, data_folder()) else None  # None: the cache
    documents = count_corpus(corpus, folder, n_words=n_words).documents
    return documents, SpectralMethod(n_topics, n_words=n_words).fit(documents).model


def blocks_of(stream: Stream, seed: int, n_seeds: int) -> tuple[TopicModel, list[Block]]:
    """Return the true model and the stream; every seed has other documents, also of a corpus."""
    if callable(stream.source):
        problem = stream.source()
        sizes = {"block_size": stream.block_size, "n_steps": stream.n_steps}
        return problem.truth, list(problem.blocks(**sizes, seed=seed))
    documents, truth = text(*stream.source)
    start = (documents.n_docs - stream.block_size * stream.n_steps) * seed // max(1, n_seeds - 1)
    blocks = islice(documents[start:].blocks(stream.block_size), stream.n_steps)
    return truth, list(map(Block, blocks))


def run(task: tuple[int, int, int, int]) -> dict[str, float]:
    """Return L1 and L2 of one run, averaged over its steps as in the paper."""
    which, stream, seed, n_seeds = task
    truth, blocks = blocks_of(STREAMS[stream], seed, n_seeds)
    metrics = {name: METRICS[name](truth) for name in ("L1", "L2")}
    with ExitStack() as patched:
        for name, value in RUNS[which].patches().items():
            patched.enter_context(mock.patch(f"spectralleader.{name}", value))
        learner = SpectralLeader(truth.n_topics, n_words=truth.n_words, seed=seed)
        *_, last = running_averages(judge(learner, blocks, metrics))
    return last


def change(found: dict[tuple[int, int, int], Any], which: int, metric: str) -> Any:
    """Return the change of a metric in per cent, (n_streams, n_seeds), paired with the base."""
    n_seeds = 1 + max(seed for _, _, seed in found)
    ratios = [
        [found[which, s, k][metric] / found[0, s, k][metric] for k in range(n_seeds)]
        for s in range(len(STREAMS))
    ]
    return 100.0 * (np.array(ratios) - 1.0)


def table(found: dict[tuple[int, int, int], Any]) -> str:
    """Return the table: a column per group of streams, and the mean of the groups."""
    groups = list(dict.fromkeys(stream.group for stream in STREAMS))
    header = ("constant (present value)", "instead", "metric", *groups, "mean")
    lines = [header, ("---",) * len(header)]
    for which, variant in enumerate(RUNS):
        for metric in variant.metrics:
            changes = change(found, which, metric)
            cells = []
            for group in groups:
                rows = changes[[stream.group == group for stream in STREAMS]]
                error = np.sqrt((rows.var(axis=1, ddof=1) / rows.shape[1]).sum()) / len(rows)
                cells.append((rows.mean(), error))
            means, errors = np.array(cells).T
            cells.append((means.mean(), np.sqrt((errors**2).sum()) / len(groups)))
            texts = (f"{mean:+.1f} ± {error:.1f}" for mean, error in cells)
            lines.append((variant.constant, variant.value, metric, *texts))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> int:
    parser = argparse.ArgumentParser("python -m benchmarks.constants", description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="runs of everything, at least 2 (3)")
    parser.add_argument("--workers", type=int, default=2, help="processes (2)")
    options = parser.parse_args()
    seeds, streams = range(max(2, options.seeds)), range(len(STREAMS))
    tasks = [(which, s, k) for k in seeds for s in streams for which in range(len(RUNS))]
    with multiprocessing.get_context("spawn").Pool(options.workers) as pool:
        done = pool.imap(run, [(*task, len(seeds)) for task in tasks], chunksize=4)
        found = dict(zip(tasks, track(done, "runs", len(tasks)), strict=True))
    print(f"Change of the loss in per cent (± its standard error), {len(seeds)} seeds.\n")
    print(table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
