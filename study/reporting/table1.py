"""Table 1: our untuned learners against the best of a large grid of EMs in hindsight."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from study.reporting.findings import against, only, tuned
from study.reporting.statistics import mean_and_error
from study.reporting.study import Study
from study.reporting.tables import Table
from study.reporting.verdicts import Difference

RIVAL, REFERENCE = "EM, best of 54", "best static model"


def table1_tables(studies: Iterable[Study]) -> dict[str, Table]:
    """Return the table of each metric by title; development streams come first."""
    ordered = sorted((s for s in studies if s.rows), key=lambda study: study.group)
    return {
        "L1, negative log-likelihood: HedgedLeader": _table(ordered, "L1", "predictor", "leader"),
        "L2, recovery error: SpectralLeader": _table(ordered, "L2", "leader", "predictor"),
    }


def _table(studies: Sequence[Study], metric: str, role: str, also: str) -> Table:
    """Return one row per stream: ours, the best EM, their difference, and other learners."""
    measured = [study for study in studies if metric in study.metrics]
    if not measured:
        return Table((), [])
    first = measured[0]
    ours, *beside = (n for n in first.of_role(role, also, "other") if n not in first.grid)
    beside += [REFERENCE] if metric == "L1" else first.of_role("variant")
    header = ("stream", "group", ours, RIVAL, "difference", "ours is", *beside, "runs")
    return Table(header, [_row(study, metric, ours, header) for study in measured])


def _row(study: Study, metric: str, ours: str, header: tuple[str, ...]) -> tuple[str, ...]:
    cells = {n: mean_and_error(v) for n, v in study.finals(metric).items() if len(v)}
    best = tuned(study, metric)
    gap, _, _ = against(study, metric, ours)
    shown = {
        "stream": study.title,
        "group": study.group,
        RIVAL: f"{cells[best]} ({best})",
        "difference": str(gap),
        "ours is": _word(gap),
        REFERENCE: cells[only(study, "reference")],
        "runs": str(len(study.seeds)),
    }
    return tuple(shown.get(name) or cells[name] for name in header)


def _word(gap: Difference) -> str:
    return "lower" if gap.is_lower else "HIGHER" if gap.is_higher else "similar"
