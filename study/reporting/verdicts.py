"""Verdicts on claims; every difference is paired over seeds.

A difference counts if it is more than 2 standard errors. Baselines are as strong as possible:
"tuned" is the setting with the lowest mean in hindsight, separately for each problem and metric.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from spectralleader.arrays import Floats
from study.reporting.statistics import plus_minus, standard_error
from study.reporting.study import Study

HOLDS, FAILS, UNTESTED = "holds", "does not hold", "not tested here"
COUNTS = 2.0  # a difference counts if it exceeds this many standard errors
MARGIN = 0.01  # "similar" allows a difference of this share
MUCH = 0.5  # "much lower" means at most this share


class Finding(NamedTuple):
    """A measurement, and whether the claim holds."""

    measured: str
    holds: bool


class Claim(NamedTuple):
    """A sentence, the scenarios that test it, and the test: a line of ``claims.toml``."""

    where: str
    text: str
    scenarios: tuple[str, ...]
    test: Callable[..., Finding]  # takes the studies and the label of the learner to judge
    given: Mapping[str, Any]  # its other arguments
    learner: str  # the learner that the verdict is about
    min_seeds: int = 2  # two for a standard error, one for exact computations

    def put_to(self, studies: Sequence[Study], leader: str | None = None) -> Finding:
        """Return the finding for a learner; by default the one with the role that is tested."""
        return self.test(studies, leader, **self.given)


class Verdict(NamedTuple):
    """A claim with its verdict."""

    where: str
    text: str
    learner: str  # the learner that was tested
    measured: str
    verdict: str


class Difference(NamedTuple):
    """The mean of paired differences, and its standard error."""

    mean: float
    error: float

    @property
    def is_lower(self) -> bool:
        """Whether the first is lower by a difference that counts."""
        return self.mean < -COUNTS * self.error

    @property
    def is_higher(self) -> bool:
        """Whether the first is higher by a difference that counts."""
        return self.mean > COUNTS * self.error

    def __str__(self) -> str:
        text, sign = plus_minus(abs(self.mean), self.error), "−" if self.mean < 0 else "+"
        return f"({sign}{text[1:]}" if text.startswith("(") else sign + text


def difference(a: Floats, b: Floats) -> Difference:
    """Return the difference a - b of two learners, paired over seeds."""
    return Difference(float((a - b).mean()), standard_error(a - b))


def judge(claim: Claim, studies: Mapping[str, Study]) -> Verdict:
    """Return the verdict on a claim, or why rows of its scenarios are missing."""
    named = (claim.where, claim.text, claim.learner)
    known = [studies.get(name) for name in claim.scenarios]
    found = [study for study in known if study is not None and study.rows]
    if len(found) < len(known):
        reasons = [s.missing if s else "has not been run" for s in known if not (s and s.rows)]
        return Verdict(*named, "; ".join(dict.fromkeys(reasons)), UNTESTED)
    if min(len(study.seeds) for study in found) < claim.min_seeds:
        return Verdict(*named, f"requires at least {claim.min_seeds} seeds", UNTESTED)
    finding = claim.put_to(found)
    return Verdict(*named, finding.measured, HOLDS if finding.holds else FAILS)


def count(verdicts: Sequence[Verdict]) -> str:
    """Return a sentence with the number of claims that hold."""
    found = [verdict.verdict for verdict in verdicts]
    hold, fail, untested = (found.count(kind) for kind in (HOLDS, FAILS, UNTESTED))
    return (
        f"Of {len(found)} claims, {hold} hold, {fail} do not, and {untested} are not tested here."
    )
