"""Verdicts: what studies say about a claim. Every difference is paired over seeds.

A difference counts when it is more than 2 standard errors. No baseline is weakened: "tuned" is the
setting with the lowest mean in hindsight, chosen for each problem and metric anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from spectralleader.arrays import Floats
from spectralleader.study.reporting.statistics import plus_minus, standard_error
from spectralleader.study.reporting.study import Study

HOLDS, FAILS, UNTESTED = "holds", "does not hold", "not tested here"
COUNTS = 2.0  # standard errors
MARGIN = 0.01  # "similar": worse by at most this share
MUCH = 0.5  # "much lower": at most this share


class Finding(NamedTuple):
    """What was measured, and whether the claim holds by it."""

    measured: str
    holds: bool


class Claim(NamedTuple):
    """A sentence, the scenarios that test it, and the test: a line of ``claims.toml``."""

    where: str
    text: str
    scenarios: tuple[str, ...]
    test: Callable[..., Finding]  # takes the studies and the label of the learner to judge
    given: Mapping[str, Any]  # its other arguments
    learner: str  # whom the verdict is about
    min_seeds: int = 2  # a standard error needs two; what is computed exactly, one

    def put_to(self, studies: Sequence[Study], leader: str | None = None) -> Finding:
        """Return what a learner's rows say, by default the one whose role the test is about."""
        return self.test(studies, leader, **self.given)


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


def difference(a: Floats, b: Floats) -> Difference:
    """Return the difference a - b of two learners, paired over seeds."""
    return Difference(float((a - b).mean()), standard_error(a - b))


def judge(claim: Claim, studies: Mapping[str, Study]) -> Verdict:
    """Return the verdict on a claim; without rows of its scenarios, say why they are missing."""
    named = (claim.where, claim.text, claim.learner)
    known = [studies.get(name) for name in claim.scenarios]
    found = [study for study in known if study is not None and study.rows]
    if len(found) < len(known):
        reasons = [s.missing if s else "has not been run" for s in known if not (s and s.rows)]
        return Verdict(*named, "; ".join(dict.fromkeys(reasons)), UNTESTED)
    if min(len(study.seeds) for study in found) < claim.min_seeds:
        return Verdict(*named, f"needs at least {claim.min_seeds} seeds", UNTESTED)
    finding = claim.put_to(found)
    return Verdict(*named, finding.measured, HOLDS if finding.holds else FAILS)


def count(verdicts: Sequence[Verdict]) -> str:
    """Return how many claims hold, in a sentence."""
    found = [verdict.verdict for verdict in verdicts]
    hold, fail, untested = (found.count(kind) for kind in (HOLDS, FAILS, UNTESTED))
    return (
        f"Of {len(found)} claims, {hold} hold, {fail} do not, and {untested} are not tested here."
    )
