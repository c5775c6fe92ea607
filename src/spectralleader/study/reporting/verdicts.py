"""Verdicts: what rows say about a claim. Every difference is paired over seeds.

A difference counts when it is more than 2 standard errors. Nobody's baseline is weakened: "tuned"
is the setting with the lowest mean in hindsight, chosen for each problem and metric anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spectralleader.study.reporting.rows import Row, plus_minus, standard_error

Rows = Sequence[Row]

HOLDS, FAILS, UNTESTED = "holds", "does not hold", "not tested here"
COUNTS = 2.0  # standard errors
MARGIN = 0.01  # "similar": worse by at most this share
MUCH = 0.5  # "much lower": at most this share
RULE = (
    "A difference (mean ± standard error, paired over seeds) counts when it is more than "
    f"{COUNTS:g} standard errors. Tuned: the best power in hindsight, for each problem and metric. "
    f"Similar: the difference does not count, or is at most {MARGIN:.0%}. Much lower: at most "
    f"{MUCH:.0%}. A best power: no other is better by a difference that counts."
)
LEADER, TRUTH, POWER = "SpectralLeader", "true model", "step_power"
LITERAL, SHRUNK, SCALED = "Algorithm 1", f"{LEADER}, shrunk", f"{LEADER}, scaled"
HEDGED = "HedgedLeader"
EM, NOISE_FREE = "stepwise EM", "noise-free leader"
# The paper's learner line by line, the same one fast, and what we add.
COMPARED = (LITERAL, LEADER, SHRUNK, SCALED, HEDGED)
COMPARED_HEADING = "The same claims, with other learners"
COMPARED_NOTE = (
    f"The verdicts on the paper are those of {LEADER}, the paper's learner made fast. {LITERAL} is "
    "the same learner line by line, in NumPy, without the Newton steps, warm starts and anchors of "
    "the fast one: where the two agree, none of these decides a verdict. Both make line 5's "
    "estimates a valid model in the same way (method.md), and are judged by that. Algorithm 1 is "
    "too slow for the corpora, so verdicts there are not checked against it; nor is the regret, "
    "which has a study of its own. Each column puts a claim to its own learner, whatever the text "
    'calls it. Ours: shrunk is shrinkage="cross-validated", scaled is scaling=0.5.'
)


class Finding(NamedTuple):
    """What was measured, and whether the claim holds by it."""

    measured: str
    holds: bool


class Claim(NamedTuple):
    """A sentence of the paper, the scenarios that test it, and the test of their rows."""

    where: str
    text: str
    scenarios: tuple[str, ...]
    test: Callable[..., Finding]  # takes the rows of each of the scenarios
    learner: str = "SpectralLeader"  # whom the verdict is about
    min_seeds: int = 2  # a standard error needs two; what is computed exactly, none


class Verdict(NamedTuple):
    """A claim with what became of it."""

    where: str
    text: str
    learner: str  # under which it was reached
    measured: str
    verdict: str


class Difference(NamedTuple):
    """The mean of paired differences, and its standard error."""

    mean: float
    error: float

    @property
    def is_lower(self) -> bool:
        """Whether the first is lower by so much that it counts."""
        return self.mean < -COUNTS * self.error

    @property
    def is_higher(self) -> bool:
        """Whether the first is higher by so much that it counts."""
        return self.mean > COUNTS * self.error

    def __str__(self) -> str:
        text, sign = plus_minus(abs(self.mean), self.error), "−" if self.mean < 0 else "+"
        return f"({sign}{text[1:]}" if text.startswith("(") else sign + text


def judge_claims(
    claims: Iterable[Claim], rows: Mapping[str, Rows], skipped: Mapping[str, str]
) -> list[Verdict]:
    """Return the verdict on each claim; without rows of its scenarios, say why they are missing."""
    return [_judge(claim, rows, skipped) for claim in claims]


def _judge(claim: Claim, rows: Mapping[str, Rows], skipped: Mapping[str, str]) -> Verdict:
    missing = [name for name in claim.scenarios if not rows.get(name)]
    named = (claim.where, claim.text, claim.learner)
    if missing:
        reasons = dict.fromkeys(skipped.get(name, "has not been run") for name in missing)
        return Verdict(*named, "; ".join(reasons), UNTESTED)
    seeds = min(len({row["seed"] for row in rows[name]}) for name in claim.scenarios)
    if seeds < claim.min_seeds:
        return Verdict(*named, f"needs at least {claim.min_seeds} seeds", UNTESTED)
    finding = claim.test(*(rows[name] for name in claim.scenarios))
    return Verdict(*named, finding.measured, HOLDS if finding.holds else FAILS)


def judge_others(
    claims: Iterable[Claim], rows: Mapping[str, Rows], learners: Sequence[str]
) -> list[tuple[str, ...]]:
    """Return the claims about `LEADER` with the verdict that each of some learners would get.

    A learner that was not run in all of a claim's scenarios gets a dash.
    """
    return [
        (claim.where, claim.text, *(_verdict_on(name, claim, rows) for name in learners))
        for claim in claims
        if claim.learner == LEADER and all(_has_powers(rows.get(s, ())) for s in claim.scenarios)
    ]


def _has_powers(rows: Rows) -> bool:
    return any(POWER in row for row in rows)


def _verdict_on(learner: str, claim: Claim, rows: Mapping[str, Rows]) -> str:
    scenarios = [rows[name] for name in claim.scenarios]
    if any(all(row["learner"] != learner for row in own) for own in scenarios):
        return "–"
    return HOLDS if claim.test(*scenarios, leader=learner).holds else FAILS


def difference(a: NDArray[np.float64], b: NDArray[np.float64]) -> Difference:
    """Return the difference a - b of two learners, paired over seeds."""
    return Difference(float((a - b).mean()), standard_error(a - b))
