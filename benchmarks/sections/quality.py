"""Quality: are the topics in use, do they agree with labels, do they predict? On every corpus."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks import streams
from benchmarks.bench import Bench
from benchmarks.quality.corpora import CORPORA, MADE_CORPORA, Corpus, make_texts
from benchmarks.quality.learners import CONTENDERS, Contender, Fit, Run
from benchmarks.quality.measures import count_in_use, nmi_sqrt
from benchmarks.quality.problem import Problem, prepare
from benchmarks.rows import MICROSECONDS, Row
from benchmarks.sections.labels import QUICK_BELOW
from benchmarks.timing import cpu_seconds_of
from spectralleader import Documents
from spectralleader.evaluation.metrics import matched_accuracy

PREFIX, ABOUT = "quality: ", "quality of corpora: "
IN_USE, ACCURACY, NMI, NATS = "in use", "accuracy", "NMI (sqrt)", "nats per word"
UNITS = (IN_USE, ACCURACY, NMI, NATS, MICROSECONDS)
FACTS = READ, JUDGED, DISTINCT, LENGTH, N_WORDS, N_LABELS = (
    "read",
    "with a counted word",
    "distinct",
    "words per document",
    "words counted",
    "labels",
)
STREAMS = ("streamclust_news", "streamclust_news_t")


@dataclass(frozen=True)
class Plan:
    """How much is measured."""

    corpora: tuple[Corpus, ...]
    streamed: tuple[Corpus, ...]  # those that are streams of the field
    most_docs: int  # the first so many of a corpus
    topics: tuple[int, ...]  # numbers of topics
    n_shuffles: int
    n_seeds: int
    n_stream_topics: int = streams.N_TOPICS
    n_parts: int = streams.N_PARTS
    n_stream_seeds: int = streams.N_SEEDS

    def only(self, names: tuple[str, ...]) -> Plan:
        """Return the same of some corpora only; of all if none is named."""
        kept, streamed = (
            tuple(one for one in given if not names or one.name in names)
            for given in (self.corpora, self.streamed)
        )
        return replace(self, corpora=kept, streamed=streamed)

    def runs_of(self, contender: Contender) -> tuple[int, int]:
        """Return in how many orders and from how many seeds a contender is run."""
        n_orders = min(1 + self.n_shuffles, contender.most_orders)
        return n_orders, min(self.n_seeds, contender.most_seeds)


FULL = Plan(
    CORPORA,
    tuple(one for one in CORPORA if one.name in STREAMS),
    most_docs=5_000,
    topics=(5, 20, 100),
    n_shuffles=4,
    n_seeds=2,
)
QUICK = Plan(
    MADE_CORPORA,
    MADE_CORPORA[:1],
    most_docs=300,
    topics=(2, 3),
    n_shuffles=1,
    n_seeds=1,
    n_stream_topics=3,
    n_parts=4,
    n_stream_seeds=2,
)


def run(bench: Bench) -> None:
    """Measure every corpus that is here; list the others."""
    plan = (FULL if bench.sizes.n_docs >= QUICK_BELOW else QUICK).only(bench.corpora)
    missing = {one.name: reason for one in plan.corpora if (reason := one.why_missing())}
    bench.results.left_out |= {PREFIX + name: reason for name, reason in missing.items()}
    there = [one for one in plan.corpora if one.name not in missing]
    streamed = [one for one in plan.streamed if one.name not in missing]
    of_one = sum(orders * seeds for orders, seeds in map(plan.runs_of, CONTENDERS))
    n_runs = len(there) * len(plan.topics) * of_one + len(streamed) * plan.n_stream_seeds
    advance = bench.bar("quality", n_runs)
    warm_up()
    for corpus in there:
        run_corpus(corpus, plan, bench, advance)
    for corpus in streamed:
        run_stream(corpus, plan, bench, advance)


def warm_up() -> None:
    """Run everything once on synthetic documents: no timed run compiles or loads anything."""
    for corpus in MADE_CORPORA:
        problem = prepare(corpus, QUICK.most_docs)
        for contender in CONTENDERS:
            judge(contender.start(Run(problem, problem.learned, 3, seed=0)), problem, 3)


def run_corpus(corpus: Corpus, plan: Plan, bench: Bench, advance: Callable[[], None]) -> None:
    """Add the rows of one corpus: what it is, and every contender with every number of topics."""
    problem = prepare(corpus, plan.most_docs)
    n_docs = len(problem.judged)
    for unit, value in facts_of(problem).items():
        bench.results.rows.append(Row(ABOUT + corpus.name, corpus.name, (value,), n_docs, unit))
    orders = problem.orders(plan.n_shuffles)
    for n_topics in plan.topics:
        section = f"{PREFIX}{corpus.name}, K = {n_topics}"
        for contender in CONTENDERS:
            n_orders, n_seeds = plan.runs_of(contender)
            found: dict[str, list[float]] = {}
            # The given order comes first, so that those with fewer runs had the same ones.
            for order in orders[:n_orders]:
                for seed in range(n_seeds):
                    fit = contender.start(Run(problem, order, n_topics, seed))
                    for unit, value in judge(fit, problem, n_topics).items():
                        found.setdefault(unit, []).append(value)
                    advance()
            for unit, values in found.items():
                row = Row(section, contender.name, tuple(values), n_docs, unit)
                bench.results.rows.append(row)


def judge(fit: Fit, problem: Problem, n_topics: int) -> dict[str, float]:
    """Time a fit, then return its figures by unit; only those that there are."""
    seconds = cpu_seconds_of(fit.learn)
    topics = fit.topics()
    figures = {IN_USE: float(count_in_use(topics, n_topics))}
    if problem.labels is not None:
        labels = problem.labels[problem.judged]
        figures[ACCURACY] = matched_accuracy(topics, labels)
        figures[NMI] = nmi_sqrt(topics, labels)
    if fit.nats is not None:
        figures[NATS] = fit.nats()
    return {**figures, MICROSECONDS: 1e6 * seconds / len(problem.learned)}


def facts_of(problem: Problem) -> dict[str, float]:
    """Return what a reader must know of a corpus, by unit; no number of labels without labels."""
    judged = problem.documents[problem.judged]
    facts = {
        READ: float(len(problem.texts)),
        JUDGED: float(judged.n_docs),
        DISTINCT: float(count_distinct(judged)),
        LENGTH: float(judged.lengths.mean()),
        N_WORDS: float(problem.vocabulary.n_words),
    }
    if problem.labels is not None:
        facts[N_LABELS] = float(len(np.unique(problem.labels[problem.judged])))
    return facts


def count_distinct(documents: Documents) -> int:
    """Return how many documents differ in their counts: no more topics can be told apart."""
    words, counts = documents.words.tobytes(), documents.counts.tobytes()
    ends = documents.indptr.tolist()
    return len({(words[4 * a : 4 * b], counts[8 * a : 8 * b]) for a, b in pairwise(ends)})


def run_stream(corpus: Corpus, plan: Plan, bench: Bench, advance: Callable[[], None]) -> None:
    """Add the rows of one stream of the field."""
    path = corpus.path
    if path is None:  # synthetic documents
        path = bench.scratch / f"{corpus.name}.csv.gz"
        write_made(path, plan.most_docs)
    settings = streams.Settings(plan.n_stream_topics, plan.n_parts, plan.n_stream_seeds)
    bench.results.rows += streams.measure(path, settings, advance)


def write_made(path: Path, n_docs: int) -> None:
    """Write labelled synthetic documents as a stream of the field is."""
    texts, labels = make_texts(n_docs, tokens=False)
    with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["label", "text"])
        writer.writerows(zip([] if labels is None else labels, texts, strict=True))
