"""How the constants of HedgedLeader were chosen: variants on the development corpora.

``python -m benchmarks.hedged [--seeds 3] [--only raced,inertia]`` prints for each variant of
`Settings` the likelihood of the whole corpus under the last model, the churn of documents, and the
seconds of the first 20,000 documents. It takes about half a minute a variant.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.stream import data_folder
from spectralleader import Documents, HedgedLeader
from spectralleader.learners.hedged.settings import SETTINGS, Settings
from study.sources.corpora import CORPORA, find_files
from study.sources.counted import count_corpus

TOPICS = (5, 20)
BLOCK, N_WORDS, EVERY, AFTER = 200, 5000, 2000, 20_000
VARIANTS: dict[str, tuple[Any, ...]] = {
    "inertia": (0.1, 0.5, 0.75),
    "n_visits": (1.0, 4.0),
    "n_recent_visits": (0.0, 1.0),
    "raced": ((4000, 4000), (8000, 16_000)),
    "early": (4000, 16_000),
    "growth": (1.5, 4.0),
    "held_out": (0.1, 0.4),
    "margin": (1e-4, 0.05),
    "ratio": (2, 5),
    "memories": ((1000.0,), (1000.0, 10_000.0, 200.0)),
    "tried": ((0.1,), (0.3,), (0.1, 1.0)),
    "suspicion": (20.0, 1e5),
}


class Figures(NamedTuple):
    """What a variant comes to on a corpus."""

    likelihood: float
    churn: float
    largest: float
    seconds: float


def measure(documents: Documents, n_topics: int, seed: int, settings: Settings) -> Figures:
    """Learn a corpus in blocks, and look at the topics of fixed documents on the way."""
    n = documents.n_docs
    fixed = documents[np.linspace(0, n - 1, 2000).astype(np.int64)]
    how = {"n_words": documents.n_words, "seed": seed}
    learner, before = HedgedLeader(n_topics, settings=settings, **how), None
    churn, seconds, early = [0.0], 0.0, 0.0
    for i, block in enumerate(documents.blocks(BLOCK), start=1):
        begin = perf_counter()
        learner.learn(block)
        seconds += perf_counter() - begin
        early = seconds if i * BLOCK <= AFTER else early
        if i * BLOCK >= AFTER and i * BLOCK % EVERY == 0:
            now = learner.model.posterior(fixed).argmax(axis=1)
            if before is not None:
                churn.append(float((now != before).mean()))
            before = now
    likelihood = float(learner.model.log_prob(documents).mean())
    return Figures(likelihood, float(np.mean(churn[1:] or churn)), max(churn), early)


def load() -> dict[str, Documents]:
    """Return the development corpora that are here."""
    out = {}
    for name, corpus in CORPORA.items():
        folder = data_folder() if find_files(name, data_folder()) else None
        if corpus.role == "development" and find_files(name, folder) is not None:
            counted = count_corpus(name, folder, n_words=N_WORDS, n_docs=120_000, min_words=1)
            out[name] = counted.documents
    return out


def main() -> None:
    """Measure the settings as they are, then every variant."""
    parser = argparse.ArgumentParser("python -m benchmarks.hedged", description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", help="names of settings, with commas")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else list(VARIANTS)
    corpora, console = load(), Console(width=160)
    cells = [(name, n_topics) for name in corpora for n_topics in TOPICS]
    table = Table("setting", *(f"{name}, K = {k}" for name, k in cells), title="likelihood, churn")
    variants = [{}, *({name: value} for name in names for value in VARIANTS[name])]
    for variant in variants:
        settings, row = replace(SETTINGS, **variant), []
        for name, n_topics in cells:
            seeds = range(options.seeds)
            found = np.array([measure(corpora[name], n_topics, seed, settings) for seed in seeds])
            mean, worst = found.mean(axis=0), found[:, 2].max()
            row.append(f"{mean[0]:.3f} {mean[1]:.4f}/{worst:.3f} {mean[3]:.2f}s")
        label = ", ".join(f"{name} = {value}" for name, value in variant.items())
        table.add_row(label or "as it is", *row)
        console.print(f"{label or 'as it is'}: {'; '.join(row)}")
    console.print(table)


if __name__ == "__main__":
    main()
