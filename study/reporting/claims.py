"""Claims as data, in `claims.toml`, and the verdicts on them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from study.reporting import findings
from study.reporting.findings import Finding
from study.reporting.study import Study

TABLE1 = "table1"  # `figure` of its scenarios, and key of its claims
LEADER = "SpectralLeader as printed"  # default learner of a claim: the paper's
HOLDS, FAILS, UNTESTED = "holds", "does not hold", "not tested here"
CLAIMS = Path(__file__).with_name("claims.toml")


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sentence, the scenarios that test it, and the test: a line of `claims.toml`."""

    where: str
    text: str
    test: str  # a function of `findings`
    given: dict[str, Any]  # its arguments
    scenarios: tuple[str, ...] = ()
    learner: str = LEADER  # the learner that the verdict is about
    min_seeds: int = 2  # two for a standard error, one for exact computations
    table1: str = ""  # instead of scenarios: all those of Table 1 with this metric

    def put_to(self, studies: Sequence[Study], leader: str | None = None) -> Finding:
        """Return the finding for a learner; by default the one with the role that is tested."""
        finding: Finding = getattr(findings, self.test)(studies, leader, **self.given)
        return finding


class Verdict(NamedTuple):
    """A claim with its verdict."""

    where: str
    text: str
    learner: str  # the learner that was tested
    measured: str
    verdict: str


def load_claims(studies: Iterable[Study]) -> tuple[list[Claim], list[Claim]]:
    """Return the paper's claims, and our own about the studies of Table 1."""
    lines = tomllib.loads(CLAIMS.read_text(encoding="utf-8"))["claims"]
    claims = msgspec.convert(lines, list[Claim])
    table1 = [study for study in studies if study.figure == TABLE1]
    for i, claim in enumerate(claims):
        if claim.table1:
            streams = tuple(study.name for study in table1 if claim.table1 in study.metrics)
            claims[i] = msgspec.structs.replace(claim, scenarios=streams)
    ours = [claim for claim in claims if claim.where == "Table 1"]
    return [claim for claim in claims if claim not in ours], ours


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
