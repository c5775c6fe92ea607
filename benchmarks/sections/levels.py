"""Levels: is a cut of many topics as good as learning that number, and do its topics stay?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.bench import Bench
from benchmarks.labelled import MADE, Labelled
from benchmarks.rows import Row
from benchmarks.sections.labels import QUICK_BELOW
from benchmarks.sections.reading import AFTER, EVERY, FIXED, N_WORDS, churn, find_corpus_files
from benchmarks.stream import data_folder
from spectralleader import Documents, HedgedLeader, TopicModel
from spectralleader.arrays import Ints
from spectralleader.em.statistics import refine
from spectralleader.evaluation.metrics import matched_accuracy, nmi
from spectralleader.reading.levels import N_PASSES, Levels
from study.sources.corpora import find_files
from study.sources.counted import count_corpus

LABELS, CHURN = "levels: labels", "levels: churn"
UNITS = ("accuracy", "NMI", "nats")
DIRECT = "learned directly"
CUTS = (  # documents, the topics wanted, and those that are cut to them
    (Labelled("news_headlines", 5_000, 5), (32, 64)),
    (Labelled("newsgroups", 5_000, 20), (64,)),
    (Labelled("system_logs", 5_000, 16), (64,)),
)
QUICK = ((Labelled(MADE, 50, 3), (9,)),)
WATCHED, N_FINE, READ = ("election_tweets", "health_tweets"), 32, (5, 8, 16)
BLOCK = 1000


def run(bench: Bench) -> None:
    """Measure both on the corpora that are here."""
    is_quick = bench.sizes.n_docs < QUICK_BELOW
    cuts = QUICK if is_quick else CUTS
    there = [cut for cut in cuts if not cut[0].why_missing()]
    watched = () if is_quick else tuple(name for name in WATCHED if find_corpus_files(name))
    n_runs = sum(bench.sizes.label_seeds * (1 + len(fine)) for _, fine in there)
    advance = bench.bar("levels", n_runs + len(watched))
    for problem, fine in there:
        documents, labels = problem.load(bench.sizes.n_docs)
        for n_learned in (problem.n_topics, *fine):
            found = []
            for seed in range(bench.sizes.label_seeds):
                model = read_at(problem.n_topics, *learn(documents, n_learned, seed))
                found.append(judge(model, documents, labels))
                advance()
            name = DIRECT if n_learned == problem.n_topics else f"cut from {n_learned}"
            for unit, values in zip(UNITS, zip(*found, strict=True), strict=True):
                section = f"{LABELS}: {problem.title}"
                bench.results.rows.append(Row(section, name, values, documents.n_docs, unit))
    for name in watched:
        watch(bench, name)
        advance()


def learn(documents: Documents, n_topics: int, seed: int) -> tuple[HedgedLeader, Levels]:
    """Learn documents in one pass; the tree is kept as `TextTopics` keeps it."""
    learner, levels = HedgedLeader(n_topics, n_words=documents.n_words, seed=seed), Levels()
    for block in documents.blocks(BLOCK):
        learner.learn(block)
        if learner.n_docs >= levels.due:
            levels.renew(learner.model, learner.n_docs)
    return learner, levels


def read_at(n: int, learner: HedgedLeader, levels: Levels) -> TopicModel:
    """Return the model at a level, as `TextTopics.at` does."""
    if n == learner.n_topics:
        return learner.model
    cut = levels.tree(learner.model).cut(n).model
    return refine(cut, learner.sample.documents, N_PASSES)


def judge(model: TopicModel, documents: Documents, labels: np.ndarray) -> tuple[float, ...]:
    """Return agreement with the labels, and the mean log-probability of a document."""
    guessed = model.posterior(documents).argmax(axis=1)
    likelihood = float(model.log_prob(documents).mean())
    return matched_accuracy(guessed, labels), nmi(guessed, labels), likelihood


def watch(bench: Bench, name: str) -> None:
    """Add the churn of fixed documents at several levels, and with all topics."""
    folder = data_folder() if find_files(name, data_folder()) else None
    counted = count_corpus(name, folder, n_words=N_WORDS, n_docs=120_000, min_words=1)
    documents = counted.documents
    fixed = documents[np.linspace(0, documents.n_docs - 1, FIXED).astype(np.int64)]
    levels = Levels()
    looks = list(assignments(documents, fixed, levels))
    n_replaced = (float(len(levels.replaced)),)
    for i, n in enumerate((N_FINE, *READ)):
        moved = churn(iter([look[i] for look in looks]))
        what = f"all {n}" if n == N_FINE else f"at {n}"
        section, rows = f"{CHURN}: {name}", bench.results.rows
        rows.append(Row(section, what, tuple(moved), documents.n_docs, unit="churn"))
        rows.append(Row(section, what, n_replaced, documents.n_docs, unit="replaced"))


def assignments(documents: Documents, fixed: Documents, levels: Levels) -> Iterator[list[Ints]]:
    """Learn documents; yield the likeliest topic of the fixed ones, with all topics and at levels.

    Trees are kept as `TextTopics` keeps them.
    """
    learner = HedgedLeader(N_FINE, n_words=documents.n_words)
    for block in documents.blocks(BLOCK):
        learner.learn(block)
        n = learner.n_docs
        if n >= levels.due:
            levels.renew(learner.model, n)
        if n >= AFTER and n % EVERY == 0:
            model, sample = learner.model, learner.sample.documents
            tree = levels.tree(model)
            views = [model, *(refine(tree.cut(k).model, sample, N_PASSES) for k in READ)]
            yield [view.posterior(fixed).argmax(axis=1) for view in views]
