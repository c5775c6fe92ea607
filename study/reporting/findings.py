"""Findings: the tests of claims, as functions of studies; every difference is paired over seeds.

The first two arguments are the studies of the claim's scenarios and the label of the learner to
test; None stands for the learner with the role "leader". `claims.toml` gives the other arguments by
name. A new test is a function in this module.

A difference counts if a two-sided t-test of its runs is significant at `LEVEL` after Bonferroni's
correction for all claims of the paper. Baselines are as strong as possible: "tuned" is the setting
with the lowest mean in hindsight, separately for each problem and metric.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from spectralleader.arrays import Floats
from study.reporting.study import Study, plus_minus, standard_error

Studies = Sequence[Study]

LEVEL = 0.05  # chance of one false difference or more among all claims, at most
N_CLAIMS = 33  # the paper's in `claims.toml`, which a test counts
MARGIN = 0.01  # "similar" allows a difference of this share
MUCH = 0.5  # "much lower" means at most this share


class Finding(NamedTuple):
    """A measurement, and whether the claim holds."""

    measured: str
    holds: bool


def quantile(n_runs: int) -> float:
    """Return how many standard errors a difference of paired runs must exceed to count.

    Examples
    --------
    >>> [round(quantile(n), 2) for n in (3, 10, 100)]
    [25.66, 4.49, 3.26]
    """
    return float(stdtrit(n_runs - 1, 1.0 - LEVEL / (2 * N_CLAIMS)))


class Difference(NamedTuple):
    """The mean of paired differences, its standard error, and the number of runs."""

    mean: float
    error: float
    n_runs: int

    @property
    def is_lower(self) -> bool:
        """Whether the first is lower by a difference that counts."""
        return self.mean < -quantile(self.n_runs) * self.error

    @property
    def is_higher(self) -> bool:
        """Whether the first is higher by a difference that counts."""
        return self.mean > quantile(self.n_runs) * self.error

    def __str__(self) -> str:
        text, sign = plus_minus(abs(self.mean), self.error), "−" if self.mean < 0 else "+"
        return f"({sign}{text[1:]}" if text.startswith("(") else sign + text


def difference(a: Floats, b: Floats) -> Difference:
    """Return the difference a - b of two learners, paired over the seeds that both have.

    A learner with a single run, on documents that are the same for every seed, is compared with all
    runs of the other.
    """
    n = min(len(a), len(b))
    gaps = a - b if n == 1 else a[:n] - b[:n]
    return Difference(float(gaps.mean()), standard_error(gaps), len(gaps))


def only(study: Study, role: str) -> str:
    """Return the label of the first learner with a role."""
    if labels := study.of_role(role):
        return labels[0]
    raise ValueError(f"{study.name} has no learner with the role {role!r}")


def tuned(study: Study, metric: str) -> str:
    """Return the learner of the grid with the lowest mean at the end: the best in hindsight."""
    if ranked := study.ranked(metric):
        return ranked[0]
    raise ValueError(f"{study.name} has no learners with its axis's parameter to be tuned")


def against(
    study: Study, metric: str, leader: str | None, rival: str = ""
) -> tuple[Difference, str, float]:
    """Return the leader minus a rival, by default the tuned one; in words; and the ratio."""
    leader, rival = leader or only(study, "leader"), rival or tuned(study, metric)
    finals = study.finals(metric)
    own, other = float(finals[leader].mean()), float(finals[rival].mean())
    gap = difference(finals[leader], finals[rival])
    form = ".3f" if metric == "L1" else ".3g"
    return gap, f"{metric} {own:{form}}, {rival} {other:{form}}: {gap}", own / other


def of_value(study: Study, value: float) -> str:
    """Return the learner of the grid that has this value."""
    return next(label for label, own in study.grid.items() if own == value)


def lower(studies: Studies, leader: str | None, metric: str, at: float | None = None) -> Finding:
    """Test that the leader is lower than the tuned rival, or than the one `at` a value."""
    rival = "" if at is None else of_value(studies[0], at)
    gap, words, _ = against(studies[0], metric, leader, rival)
    return Finding(words, gap.is_lower)


def higher(studies: Studies, leader: str | None, metric: str) -> Finding:
    """Test that the leader is higher than the tuned rival."""
    gap, words, _ = against(studies[0], metric, leader)
    return Finding(words, gap.is_higher)


def much_lower(studies: Studies, leader: str | None, metric: str) -> Finding:
    """Test that the leader is lower than the tuned rival, and at most half of it."""
    gap, words, ratio = against(studies[0], metric, leader)
    return Finding(f"{words} ({ratio:.0%} of it)", gap.is_lower and ratio <= MUCH)


def lower_everywhere(
    studies: Studies,
    leader: str | None,
    metric: str,
    own: str = "",
    rival: str = "",
    *,
    finer: bool = False,
) -> Finding:
    """Test that a learner is lower than another in every scenario; by default the tuned ones.

    With `finer` the other is the best of those that have a number of topics of their own.
    """
    bad = []
    for study in studies:
        rival = study.order(study.finer, metric)[0] if finer else rival
        gap, words, _ = against(study, metric, own or tuned(study, metric), rival)
        bad += [] if gap.is_lower else [f"{study.name} {words}"]
    rest = f"; not: {'; '.join(bad)}" if bad else ""
    return Finding(f"lower in {len(studies) - len(bad)} of {len(studies)}{rest}", not bad)


def no_worse(studies: Studies, leader: str | None, metrics: Sequence[str]) -> Finding:
    """Test that the leader is lower than the tuned rival or similar, everywhere."""
    bad = []
    for study in studies:
        for metric in metrics:
            gap, words, ratio = against(study, metric, leader)
            if gap.is_higher and ratio > 1.0 + MARGIN:
                bad.append(f"{study.name} {words}")
    n = len(studies) * len(metrics)
    worst = f"; worse: {'; '.join(bad)}" if bad else ""
    return Finding(f"similar or lower in {n - len(bad)} of {n}{worst}", not bad)


def recovers(
    studies: Studies, leader: str | None, role: str, block_size: int, below: float, within: int
) -> Finding:
    """Test that after the middle of the stream a learner's L1 soon comes near the reference's.

    The loss over the documents between two rows follows from the running averages of both:
    ``n2 L(n2) - n1 L(n1)``. Recovered is a run at the end of the first such span, all of it after
    the middle, in which the loss above the reference's is less than `below` nats per document.
    """
    study = studies[0]
    names = (leader or only(study, role), only(study, "reference"))
    found = [_steps_above(study, names, seed, below) for seed in study.seeds]
    runs = [block_size * steps for steps in found if steps is not None]
    if len(runs) < len(found):
        lost = len(found) - len(runs)
        return Finding(f"{lost} of {len(found)} runs never recover", holds=False)
    words = f"mean {np.mean(runs):,.0f} documents, worst run {max(runs):,}"
    return Finding(words, max(runs) <= within)


def _steps_above(study: Study, names: tuple[str, str], seed: int, below: float) -> int | None:
    """Return the steps after the middle until the loss above the reference's is low, if ever."""
    own, reference = (
        {
            row.step: row.step * row.values["L1"]
            for row in study.rows
            if (row.learner.label, row.seed) == (name, seed)
        }
        for name in names
    )
    middle = max(own) // 2
    for first, last in pairwise(step for step in sorted(own) if step >= middle):
        excess = (own[last] - own[first]) - (reference[last] - reference[first])
        if excess / (last - first) < below:
            return last - middle
    return None


def sensitive(studies: Studies, leader: str | None, metric: str) -> Finding:
    """Test that the best value of the grid is better than the worst, in every scenario."""
    gaps = []
    for study in studies:
        finals, ranked = study.finals(metric), study.ranked(metric)
        gaps.append(difference(finals[ranked[-1]], finals[ranked[0]]))
    words = f"{metric}, worst power minus best: {', '.join(map(str, gaps))}"
    return Finding(words, all(gap.is_higher for gap in gaps))


def best_power(studies: Studies, leader: str | None, metric: str, power: float) -> Finding:
    """Test that no power does better than this one."""
    finals, best = studies[0].finals(metric), tuned(studies[0], metric)
    expected = of_value(studies[0], power)
    gap = difference(finals[expected], finals[best])
    tie = "" if expected == best else f"; {expected} minus it: {gap}"
    return Finding(f"best is {best}{tie}", not gap.is_higher)


def best_power_differs(studies: Studies, leader: str | None, metric: str) -> Finding:
    """Test that no power is best, or as good as the best, in all scenarios."""

    def loses(label: str, study: Study) -> bool:
        finals = study.finals(metric)
        return difference(finals[label], finals[tuned(study, metric)]).is_higher

    bests = [tuned(study, metric) for study in studies]
    safe = [label for label in studies[0].grid if not any(loses(label, s) for s in studies)]
    also = (
        f"; as good as the best in all: {', '.join(safe)}" if safe else "; no power is best in all"
    )
    return Finding(f"best are {', '.join(bests)}{also}", not safe)


def improves(studies: Studies, leader: str | None, metric: str) -> Finding:
    """Test that the tuned rival comes closer to the true model in the second scenario.

    Not the metric itself: its average counts the first step as 0, which flatters short runs.
    """
    first, second = (
        (finals := study.finals(metric))[tuned(study, metric)] - finals[only(study, "reference")]
        for study in studies
    )
    gap = difference(second, first)
    words = f"{metric} above the true model's: {first.mean():.3f} → {second.mean():.3f}: {gap}"
    return Finding(words, gap.is_lower)


def vanishes(studies: Studies, leader: str | None, metric: str) -> Finding:
    """Test that in every run the leader's error falls by more than half from half to half.

    What is stuck keeps its error, and its share is near 1. With L(n) the average over n steps, the
    second half's is 2 L(n) - L(n/2).
    """

    def shares(study: Study, label: str) -> Floats:
        last = study.last_step
        middle = max(row.step for row in study.rows if row.step <= last / 2)
        half, whole = (study.finals(metric, step)[label] for step in (middle, last))
        return np.asarray((2 * whole - half) / half)

    def describe(own: Floats) -> str:
        return (
            f"{own.mean():.2f} (worst {own.max():.2f}, {(own >= MUCH).sum()} of {len(own)} stuck)"
        )

    texts, converges = [], True
    for study in studies:
        own = shares(study, leader or only(study, "leader"))
        em = shares(study, tuned(study, metric))
        converges &= bool(own.max() < MUCH)
        texts.append(f"{study.name} {describe(own)}, tuned EM {describe(em)}")
    words = f"{metric}, second half of the steps over the first, mean: "
    return Finding(words + "; ".join(texts), converges)


def stays_below(
    studies: Studies, leader: str | None, metric: str, bound: str, *, reservoir: bool
) -> Finding:
    """Test that a metric of the noise-free leader never exceeds the bound in the same row.

    Only rows that have the bound count; without `reservoir`, those where all is remembered.
    """
    rows = [row for study in studies for row in study.rows if row.learner.role == "noise-free"]
    rows = [row for row in rows if reservoir or "epsilon" not in row.learner.parameters]
    pairs = [(r.step, r.values[metric], r.values[bound]) for r in rows if bound in r.values]
    over = sorted({step for step, value, limit in pairs if value > limit})
    most = max(value / limit for step, value, limit in pairs if step not in over)
    found = f"above it at n = {', '.join(map(str, over[:3]))}, else " if over else ""
    return Finding(f"{found}at most {most:.1%} of the bound", not over)


def falls(studies: Studies, leader: str | None, metric: str, epsilon: float) -> Finding:
    """Test that the leader's metric is lower at the last step than at a tenth of it, everywhere."""
    texts, fallen = [], True
    for study in studies:
        [name] = (c.label for c in study.learners.values()
                  if c.role == "leader" and c.parameters.get("epsilon") == epsilon)  # fmt: skip
        last = study.last_step
        first = min((row.step for row in study.rows), key=lambda n: abs(n - last / 10))
        early, late = (study.finals(metric, step)[name] for step in (first, last))
        texts.append(f"{study.title} {early.mean():.2g} → {late.mean():.2g}")
        fallen &= difference(late, early).is_lower
    return Finding(f"{metric} from n/10 to n: {', '.join(texts)}", fallen)
