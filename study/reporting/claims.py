"""Claims as data: `claims.toml` lists them, with the function that tests each."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

from study.reporting import findings
from study.reporting.study import Study
from study.reporting.verdicts import Claim

TABLE1 = "table1"  # `figure` of its scenarios, and key of its claims
LEADER = "SpectralLeader"  # default learner of a claim


def load_claims(studies: Iterable[Study]) -> tuple[list[Claim], list[Claim]]:
    """Return the paper's claims, and our own about the studies of Table 1."""
    table1 = [study for study in studies if study.figure == TABLE1]
    paper: list[Claim] = []
    ours: list[Claim] = []
    file = Path(__file__).with_name("claims.toml")
    for line in tomllib.loads(file.read_text(encoding="utf-8"))["claims"]:
        test = getattr(findings, line.pop("test"))
        metric = line.pop("table1", None)
        scenarios = line.pop("scenarios", [s.name for s in table1 if metric in s.metrics])
        claim = Claim(**{"learner": LEADER, **line}, scenarios=tuple(scenarios), test=test)
        (ours if claim.where == "Table 1" else paper).append(claim)
    return paper, ours
