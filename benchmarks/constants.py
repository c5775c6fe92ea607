"""Vary the constants of SpectralLeader one at a time, on development streams only.

``python -m benchmarks.constants`` prints a Markdown table. A row is a constant at another value; a
cell is by how many per cent the loss changes, so that a positive number speaks for the present
value. Test streams are never read here (see `role` in sources/corpora.py).
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Callable, Sequence
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
from spectralleader.evaluation import judge, running_averages  # noqa: E402
from spectralleader.evaluation.metrics import METRICS  # noqa: E402
from spectralleader.learners.spectral_leader import shrinkage  # noqa: E402
from spectralleader.sources import Block  # noqa: E402
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
LEADER, SHRINKAGE = f"{FOLDER}.spectral_leader.", f"{FOLDER}.shrinkage."
SHRUNK, SCALED = {"shrinkage": "cross-validated"}, {"scaling": 0.5}


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
    learner: dict[str, Any]  # parameters
    base: dict[str, Any]  # of the learner that it is compared with


def of_shrinkage(constant: str, value: str, patches: Callable[[], Patches]) -> Variant:
    return Variant(constant, value, ("L2",), patches, SHRUNK, SHRUNK)


def of_plain(constant: str, value: str, patches: Callable[[], Patches]) -> Variant:
    return Variant(constant, value, ("L1", "L2"), patches, {}, {})


def constant(name: str, value: Any) -> Callable[[], Patches]:
    return lambda: {name: value}


def interleaved(documents: Documents) -> list[Documents]:
    return [documents[np.arange(i, documents.n_docs, 3)] for i in range(3)]


def with_earlier_losses() -> Patches:
    """Add the losses of earlier samples, discounted by the root of the documents in common."""
    totals, n_last = np.zeros(len(shrinkage.LEVELS)), 0

    def choose_level(parts: Sequence[Documents], models: Sequence[TopicModel]) -> float:
        nonlocal totals, n_last
        n = sum(part.n_docs for part in parts)
        totals = totals * (np.sqrt(n_last / n) if n > n_last else 0.0)  # a full sample: all new
        totals += sum(map(shrinkage.judge, models, parts))
        n_last = n
        return float(shrinkage.LEVELS[totals <= totals.min() + shrinkage.ROUNDING].max())

    return {LEADER + "choose_level": choose_level}


def falling(self: SpectralLeader) -> float:
    """Let the odds of the level fall as one over the documents that it is used for."""
    n, level = len(self.sample), self._level
    n_chosen = (n + self._n_left) / 2 if n == self.sample.n_seen else n
    odds = level / (1.0 - level) * 2 / 3 * n_chosen / max(1, n)
    return odds / (1.0 + odds)


def cut_at_powers_of_two() -> Patches:
    """Cut blocks where a growing sample reaches a power of two, so that it is renewed there."""
    learn = SpectralLeader.learn

    def in_pieces(self: SpectralLeader, block: Documents) -> None:
        while len(self.sample) == self.sample.n_seen and block.n_docs > self._n_left:
            n_left = self._n_left
            learn(self, block[:n_left])
            block = block[n_left:]
        learn(self, block)

    return {LEADER + "SpectralLeader.learn": in_pieces}


def floor(share: Callable[[int], float]) -> Callable[[], Patches]:
    def scale_words(documents: Documents, power: float) -> Any:
        counts = np.bincount(documents.words, documents.counts, minlength=documents.n_words)
        return (counts / max(1.0, counts.sum()) + share(max(1, documents.n_docs))) ** -power

    return constant("spectral.basis.scale_words", scale_words)


FEWER, FEW, MORE = (0, 1 / 8, 3 / 8), (0, 1 / 16, 1 / 4), (0, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2)
VARIANTS = (
    Variant("shrinkage", "off", ("L2",), dict, {}, SHRUNK),
    *(of_shrinkage("folds (3)", f"{n}", constant(SHRINKAGE + "N_PARTS", n)) for n in (2, 5)),
    of_shrinkage("folds (3)", "3, interleaved", constant(LEADER + "split", interleaved)),
    *(
        of_shrinkage("levels (6)", name, constant(SHRINKAGE + "LEVELS", np.array(levels)))
        for name, levels in (
            ("0, 1/8, 3/8", FEWER),
            ("0, 1/16, 1/4", FEW),
            ("1/2 for 3/8", MORE),
        )
    ),
    of_shrinkage("earlier losses (none)", "discounted", with_earlier_losses),
    of_shrinkage(
        "level (as chosen)",
        "odds by 2/3 n/m",
        constant(LEADER + "SpectralLeader.shrinkage_level", property(falling)),
    ),
    of_shrinkage("renewal (doubled, after the block)", "within the block", cut_at_powers_of_two),
    *(
        of_shrinkage(
            "renewal (doubled, after the block)", name, constant(LEADER + "next_renewal", f)
        )
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
    *(
        Variant("scaling (0)", f"{power:g}", ("L1", "L2"), dict, {"scaling": power}, {})
        for power in (0.25, 0.5, 1.0)
    ),
    *(
        Variant("floor at scaling 1/2 (1/n)", name, ("L1", "L2"), floor(share), SCALED, SCALED)
        for name, share in (("1/(10 n)", lambda n: 0.1 / n), ("10/n", lambda n: 10 / n))
    ),
)
BASES = ({}, SHRUNK, SCALED)
RUNS = (*(Variant("", "", (), dict, base, base) for base in BASES), *VARIANTS)


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
        for cached in (shrinkage.mixing, shrinkage.shares):  # they depend on the levels
            cached.cache_clear()
            patched.callback(cached.cache_clear)
        parameters = {"n_words": truth.n_words, "seed": seed, **RUNS[which].learner}
        learner = SpectralLeader(truth.n_topics, **parameters)
        *_, last = running_averages(judge(learner, blocks, metrics))
    return last


def change(found: dict[tuple[int, int, int], Any], which: int, metric: str) -> Any:
    """Return the change of a metric in per cent, (n_streams, n_seeds), paired with the base."""
    base = BASES.index(RUNS[which].base)
    n_seeds = 1 + max(seed for _, _, seed in found)
    ratios = [
        [found[which, s, k][metric] / found[base, s, k][metric] for k in range(n_seeds)]
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
