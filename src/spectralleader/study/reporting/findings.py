"""Findings: the tests that claims are put to, each a function of the rows of its scenarios.

A test of how a learner compares takes the `leader` to judge, the paper's by default: the same test
then judges ours.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from spectralleader.study.reporting.rows import Row, final_values, lowest, settings
from spectralleader.study.reporting.verdicts import (
    LEADER,
    MARGIN,
    MUCH,
    POWER,
    TRUTH,
    Difference,
    Finding,
    Rows,
    difference,
)


def tuned(rows: Rows, metric: str) -> str:
    """Return EM at its best power for a metric, in hindsight."""
    name = lowest(rows, metric, POWER)
    if name is None:
        raise ValueError(f"the rows have no learner with a {POWER} to be tuned")
    return name


def against(
    rows: Rows, metric: str, rival: str | None = None, leader: str = LEADER
) -> tuple[Difference, str]:
    """Return the leader minus a rival (tuned EM if none is named), and both in words."""
    rival = rival or tuned(rows, metric)
    finals = final_values(rows, metric)
    gap = difference(finals[leader], finals[rival])
    means = f"{finals[leader].mean():.3g}, {rival} {finals[rival].mean():.3g}"
    if metric == "L1":
        means = f"{finals[leader].mean():.3f}, {rival} {finals[rival].mean():.3f}"
    return gap, f"{metric} {means}: {gap}"


def lower(metric: str, rival: str | None = None) -> Callable[[Rows], Finding]:
    """Test that the leader is lower."""

    def test(rows: Rows, *, leader: str = LEADER) -> Finding:
        gap, words = against(rows, metric, rival, leader)
        return Finding(words, gap.is_lower)

    return test


def lower_everywhere(metric: str, leader: str) -> Callable[..., Finding]:
    """Test that a learner is lower than tuned EM in every scenario."""

    def test(*scenarios: Rows) -> Finding:
        bad = []
        for rows in scenarios:
            gap, words = against(rows, metric, leader=leader)
            bad += [] if gap.is_lower else [f"{rows[0]['scenario']} {words}"]
        n = len(scenarios)
        rest = f"; not: {'; '.join(bad)}" if bad else ""
        return Finding(f"lower in {n - len(bad)} of {n}{rest}", not bad)

    return test


def recovers(leader: str, *, block_size: int, below: float, within: int) -> Callable[..., Finding]:
    """Test that after the middle of the stream a learner's L1 soon comes near the true model's.

    The loss over the documents between two rows follows from the running averages of both:
    ``n2 L(n2) - n1 L(n1)``. Recovered is a run at the end of the first such span, all of it after
    the middle, in which the loss above the true model's is less than `below` nats a document.
    """

    def test(rows: Rows) -> Finding:
        runs = [
            block_size * n if (n := _steps_above(rows, leader, seed, below)) else None
            for seed in dict.fromkeys(row["seed"] for row in rows)
        ]
        if None in runs:
            return Finding(f"{runs.count(None)} of {len(runs)} runs never recover", holds=False)
        found = [n for n in runs if n is not None]
        words = f"mean {np.mean(found):,.0f} documents, worst run {max(found):,}"
        return Finding(words, max(found) <= within)

    return test


def _steps_above(rows: Rows, leader: str, seed: int, below: float) -> int | None:
    """Return the steps after the middle until the loss above the truth's is low, if ever."""
    totals = {
        name: {r["step"]: r["step"] * r["L1"] for r in rows if _is_run(r, name, seed)}
        for name in (leader, TRUTH)
    }
    steps = sorted(totals[leader])
    middle = steps[-1] // 2
    for first, last in pairwise(step for step in steps if step >= middle):
        own, truth = (totals[name][last] - totals[name][first] for name in (leader, TRUTH))
        if (own - truth) / (last - first) < below:
            return int(last - middle)
    return None


def _is_run(row: Row, learner: str, seed: int) -> bool:
    return bool(row["learner"] == learner and row["seed"] == seed)


def higher(metric: str) -> Callable[[Rows], Finding]:
    """Test that the leader is higher than tuned EM."""

    def test(rows: Rows, *, leader: str = LEADER) -> Finding:
        gap, words = against(rows, metric, leader=leader)
        return Finding(words, gap.is_higher)

    return test


def much_lower(metric: str) -> Callable[[Rows], Finding]:
    """Test that the leader is lower than tuned EM, and at most half of it."""

    def test(rows: Rows, *, leader: str = LEADER) -> Finding:
        gap, words = against(rows, metric, leader=leader)
        finals = final_values(rows, metric)
        ratio = float(finals[leader].mean() / finals[tuned(rows, metric)].mean())
        return Finding(f"{words} ({ratio:.0%} of it)", gap.is_lower and ratio <= MUCH)

    return test


def no_worse(*metrics: str) -> Callable[..., Finding]:
    """Test that the leader is lower than tuned EM or similar, in every scenario and metric."""

    def test(*scenarios: Rows, leader: str = LEADER) -> Finding:
        bad = []
        for rows in scenarios:
            for metric in metrics:
                gap, words = against(rows, metric, leader=leader)
                allowed = MARGIN * float(final_values(rows, metric)[tuned(rows, metric)].mean())
                if gap.is_higher and gap.mean > allowed:
                    bad.append(f"{rows[0]['scenario']} {words}")
        n = len(scenarios) * len(metrics)
        worst = f"; worse: {'; '.join(bad)}" if bad else ""
        return Finding(f"similar or lower in {n - len(bad)} of {n}{worst}", not bad)

    return test


def sensitive(metric: str) -> Callable[..., Finding]:
    """Test that the best power is better than the worst, in every scenario."""

    def test(*scenarios: Rows) -> Finding:
        gaps = []
        for rows in scenarios:
            finals = final_values(rows, metric)
            powers = sorted(settings(rows, POWER), key=lambda name: float(finals[name].mean()))
            gaps.append(difference(finals[powers[-1]], finals[powers[0]]))
        words = f"{metric}, worst power minus best: {', '.join(map(str, gaps))}"
        return Finding(words, all(gap.is_higher for gap in gaps))

    return test


def best_power(metric: str, power: float) -> Callable[[Rows], Finding]:
    """Test that no power does better than this one."""

    def test(rows: Rows) -> Finding:
        finals, best = final_values(rows, metric), tuned(rows, metric)
        expected = next(name for name, value in settings(rows, POWER).items() if value == power)
        gap = difference(finals[expected], finals[best])
        tie = "" if expected == best else f"; {expected} minus it: {gap}"
        return Finding(f"best is {best}{tie}", not gap.is_higher)

    return test


def best_power_differs(metric: str) -> Callable[..., Finding]:
    """Test that no power is best, or as good as the best, in all scenarios."""

    def test(*scenarios: Rows) -> Finding:
        def loses(name: str, rows: Rows) -> bool:
            finals = final_values(rows, metric)
            return difference(finals[name], finals[tuned(rows, metric)]).is_higher

        bests = [tuned(rows, metric) for rows in scenarios]
        safe = [n for n in settings(scenarios[0], POWER) if not any(loses(n, r) for r in scenarios)]
        also = f"; as good as the best in all: {', '.join(safe)}" if safe else "; none fits all"
        return Finding(f"best are {', '.join(bests)}{also}", not safe)

    return test


def improves(metric: str) -> Callable[[Rows, Rows], Finding]:
    """Test that tuned EM comes closer to the true model in the second scenario.

    Not the metric itself: its average counts the first step as 0, which flatters short runs.
    """

    def test(*scenarios: Rows) -> Finding:
        finals = [final_values(rows, metric) for rows in scenarios]
        names = [tuned(rows, metric) for rows in scenarios]
        first, second = (f[name] - f[TRUTH] for f, name in zip(finals, names, strict=True))
        gap = difference(second, first)
        words = f"{metric} above the true model's: {first.mean():.3f} → {second.mean():.3f}: {gap}"
        return Finding(words, gap.is_lower)

    return test


def vanishes(metric: str) -> Callable[..., Finding]:
    """Test that in every run the leader's error falls by more than half from half to half.

    What is stuck keeps its error, and its share is near 1. With L(n) the average over n steps, the
    second half's is 2 L(n) - L(n/2).
    """

    def share(rows: Rows, name: str) -> list[float]:
        half, whole = (final_values(r, metric)[name] for r in (_first_half(rows), rows))
        return list((2 * whole - half) / half)

    def test(*scenarios: Rows, leader: str = LEADER) -> Finding:
        own = [s for rows in scenarios for s in share(rows, leader)]
        em = [s for rows in scenarios for s in share(rows, tuned(rows, metric))]
        words = f"{metric}, second half of the steps over the first, mean (worst run): "
        words += f"{np.mean(own):.2f} ({max(own):.2f}), tuned EM {np.mean(em):.2f} ({max(em):.2f})"
        return Finding(words, max(own) < MUCH)

    return test


def _first_half(rows: Rows) -> list[Row]:
    last = max(row["step"] for row in rows)
    return [row for row in rows if row["step"] <= last / 2]


def stays_below(metric: str, bound: str, **where: Any) -> Callable[..., Finding]:
    """Test that a metric never exceeds another one of the same row, its bound.

    Only rows that have the bound, and the values of `where`, count.
    """

    def test(*scenarios: Rows) -> Finding:
        rows = [row for rows in scenarios for row in rows if row.get(bound) is not None]
        rows = [row for row in rows if all(row[key] == value for key, value in where.items())]
        over = sorted({row["step"] for row in rows if row[metric] > row[bound]})
        share = max(row[metric] / row[bound] for row in rows if row["step"] not in over)
        found = f"above it at n = {', '.join(map(str, over[:3]))}, else " if over else ""
        return Finding(f"{found}at most {share:.1%} of the bound", not over)

    return test


def falls(metric: str, **where: Any) -> Callable[..., Finding]:
    """Test that a metric's mean over seeds is lower at the last step than at a tenth of it."""

    def test(*scenarios: Rows) -> Finding:
        texts, fallen = [], True
        for rows in scenarios:
            of_kind = [row for row in rows if all(row[k] == v for k, v in where.items())]
            last = max(row["step"] for row in of_kind)
            first = min((row["step"] for row in of_kind), key=lambda n: abs(n - last / 10))
            early, late = (_mean(of_kind, metric, step) for step in (first, last))
            texts.append(f"{early:.2g} → {late:.2g}")
            fallen &= late < early
        return Finding(f"{metric} from n/10 to n: {', '.join(texts)}", fallen)

    return test


def _mean(rows: Rows, metric: str, step: int) -> float:
    values = [row[metric] for row in rows if row["step"] == step]
    return float(np.mean(values))
