"""Races: contenders learn the same stream in the same blocks."""

from __future__ import annotations

from functools import partial

from benchmarks.bench import Bench
from benchmarks.contenders.registry import Contender, contenders_of
from benchmarks.rows import Row
from benchmarks.task import Race, Task
from benchmarks.timing import interleave, why_not

WARM_UP = 50  # documents


def run(race: Race, bench: Bench) -> None:
    """Run one race and add its rows; leave out who cannot run here, and say why."""
    task = race.task(bench.stream, bench.sizes, bench.scratch)
    fit = [one for one in contenders_of(race) if can_run(one, task, bench)]
    rounds = race.repeats * bench.sizes.rounds
    advance = bench.bar(race.name, total=len(fit) * rounds)
    starters = [(one.name, partial(one.start, task.head(one.most_docs))) for one in fit]
    for name, (values, n_docs) in interleave(starters, rounds, advance).items():
        bench.results.rows.append(Row(race.name, name, tuple(values), n_docs))


def can_run(contender: Contender, task: Task, bench: Bench) -> bool:
    """Try a contender on a few documents; note why it is left out, if it is."""
    reason = why_not(partial(contender.start, task.head(WARM_UP)))
    if reason:
        bench.results.left_out[contender.name] = reason
    return not reason
