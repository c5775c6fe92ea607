"""Claims are data: `claims.toml` has one per line, and names the function that tests it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

from spectralleader.study.reporting import findings
from spectralleader.study.reporting.study import Study
from spectralleader.study.reporting.verdicts import Claim

TABLE1 = "table1"  # the figure of its scenarios, and where its claims stand
LEADER = "SpectralLeader"  # whom claims are about that do not say


def load_claims(studies: Iterable[Study]) -> tuple[list[Claim], list[Claim]]:
    """Return the paper's claims, and ours of Table 1: about those of the studies it has."""
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
