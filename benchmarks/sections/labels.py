"""Labels: do the topics agree with what people called the documents?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from statistics import fmean
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from benchmarks.bench import Bench
from benchmarks.contenders.registry import LABELLERS, Labeller
from benchmarks.labelled import LABELLED, MORE, QUICK, Labelled, task_of
from benchmarks.rows import MICROSECONDS, Row
from benchmarks.sections.races import WARM_UP
from benchmarks.task import Task
from benchmarks.timing import Trial, measure, why_not
from spectralleader.evaluation.metrics import contingency, matched_accuracy, nmi

PREFIX = "labels: "
UNITS = ACCURACY, NMI, _ = ("accuracy", "NMI", MICROSECONDS)  # of a score's fields
QUICK_BELOW = 10_000  # documents: a smoke run makes its own


class Score(NamedTuple):
    """How one run of a contender agreed, and how long it took to learn."""

    accuracy: float
    nmi: float
    time: float  # microseconds per document


def run(bench: Bench) -> None:
    """Ask every contender for the topics of every labelled corpus, from every seed."""
    run_problems(LABELLED if bench.sizes.n_docs >= QUICK_BELOW else QUICK, bench)


def run_more(bench: Bench) -> None:
    """Ask the same of other numbers of topics and words."""
    run_problems(MORE if bench.sizes.n_docs >= QUICK_BELOW else (), bench)


def run_problems(problems: tuple[Labelled, ...], bench: Bench) -> None:
    """Add the rows of every corpus that is here."""
    missing = {p.corpus: reason for p in problems if (reason := p.why_missing())}
    bench.results.left_out |= missing
    there = [problem for problem in problems if problem.corpus not in missing]
    n_runs = sum(len(one.settings) * seeds_of(one, bench) for one in LABELLERS)
    advance = bench.bar("labels", total=len(there) * n_runs)
    for problem in there:
        run_problem(problem, bench, advance)


def seeds_of(labeller: Labeller, bench: Bench) -> int:
    """Return how many runs a contender gets."""
    return min(labeller.most_seeds, bench.sizes.label_seeds)


def run_problem(problem: Labelled, bench: Bench, advance: Callable[[], None]) -> None:
    """Add the rows of one corpus."""
    documents, labels = problem.load(bench.sizes.n_docs)
    task = task_of(documents, problem.n_topics, bench.sizes.reservoir_size, bench.scratch)
    for labeller in LABELLERS:
        first = next(iter(labeller.settings.values()))
        if reason := why_not(lambda start=first: start(task.head(WARM_UP))):
            bench.results.left_out[labeller.name] = reason
            continue
        name, scores = best_setting(labeller, task, labels, seeds_of(labeller, bench), advance)
        section = PREFIX + problem.title
        for unit, values in zip(UNITS, zip(*scores, strict=True), strict=True):
            bench.results.rows.append(Row(section, name, values, documents.n_docs, unit))


def best_setting(
    labeller: Labeller, task: Task, labels: np.ndarray, n_seeds: int, advance: Callable[[], None]
) -> tuple[str, list[Score]]:
    """Return the setting with the best mean accuracy, in hindsight, by its full name."""
    found: dict[str, list[Score]] = {}
    for name, start in labeller.settings.items():
        full = f"{labeller.name}, {name}" if name else labeller.name
        found[full] = []
        for seed in range(n_seeds):
            found[full].append(score(start, replace(task, seed=seed), labels))
            advance()
    best = max(found, key=lambda name: fmean(one.accuracy for one in found[name]))
    return best, found[best]


def score(start: Callable[[Task], Trial], task: Task, labels: np.ndarray) -> Score:
    """Time a trial, then compare the topics that it guesses with the labels.

    With more topics than labels, every topic stands for its most frequent label.
    """
    trial = start(task)
    time = measure(trial)
    guessed = trial.guess()
    has_more = task.n_topics > len(np.unique(labels))
    accuracy = (majority_accuracy if has_more else matched_accuracy)(guessed, labels)
    return Score(accuracy, nmi(guessed, labels), time)


def majority_accuracy(predicted: ArrayLike, labels: ArrayLike) -> float:
    """Return the accuracy (purity) if every topic stands for its most frequent label.

    Several topics may stand for one label. Splitting a topic never lowers it, so only compare
    models with equal numbers of topics.

    Examples
    --------
    >>> majority_accuracy([0, 0, 1, 2], ["b", "b", "a", "a"])
    1.0
    """
    table = contingency(predicted, labels)
    return float(table.max(axis=1).sum() / table.sum())
