"""Tables of mean ± standard error, for the terminal and Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import rich.table

from study.reporting.claims import FAILS, HOLDS, LEADER, Claim, Verdict
from study.reporting.findings import against, only, tuned
from study.reporting.study import Study, mean_and_error, metric_label

# Roles that are compared: the paper's learner literally, the fast one, and our additions.
COMPARED = ("literal", "leader", "variant", "predictor")
RIVAL, REFERENCE = "EM, best of 54", "best static model"


class Table(NamedTuple):
    """A table of texts."""

    header: tuple[str, ...]
    rows: list[tuple[str, ...]]


def final_table(study: Study) -> Table:
    """Return every metric at the last step, one row per learner; the best of a grid has a star."""
    columns = []
    for metric in study.metrics:
        best = study.ranked(metric)[:1]
        columns.append(
            {
                name: mean_and_error(values) + (" *" if name in best else "")
                for name, values in study.finals(metric).items()
            }
        )
    rows = [(name, *(column[name] for column in columns)) for name in columns[0]]
    return Table(("learner", *map(metric_label, study.metrics)), rows)


def tuning_table(studies: Iterable[Study]) -> Table:
    """Return the best and the worst of the grid, beside the untuned leader."""
    rows: list[tuple[str, ...]] = []
    for study in studies:
        leader = study.of_role("leader")[:1]
        for metric in study.metrics if leader and study.grid else ():
            finals, ranked = study.finals(metric), study.ranked(metric)
            names = (*leader, ranked[0], ranked[-1])
            own, best, worst = (mean_and_error(finals[name]) for name in names)
            best, worst = f"{best} at {study.grid[names[1]]}", f"{worst} at {study.grid[names[2]]}"
            rows.append((study.title, study.group, metric, own, best, worst))
    header = ("problem", "group", "metric", f"{LEADER}, untuned", "EM, best power", "worst power")
    return Table(header, rows)


def verdict_table(verdicts: Sequence[Verdict]) -> Table:
    """Return the verdicts, one row per claim."""
    return Table(("where", "claim", "learner", "measured", "verdict"), [tuple(v) for v in verdicts])


def compared_table(claims: Iterable[Claim], studies: Mapping[str, Study]) -> Table:
    """Return the claims about the leader, with the verdict for each of our learners.

    A dash means that the learner was not run in all scenarios of the claim.
    """
    roles = {c.label: c.role for study in studies.values() if study.grid
             for c in study.learners.values() if c.role in COMPARED}  # fmt: skip
    names = sorted(roles, key=lambda name: COMPARED.index(roles[name]))
    rows = []
    for claim in claims:
        own = [studies[name] for name in claim.scenarios if name in studies]
        tested = len(own) == len(claim.scenarios) and all(study.grid for study in own)
        if claim.learner == LEADER and tested:
            verdicts = (_verdict_on(name, claim, own) for name in names)
            rows.append((claim.where, claim.text, *verdicts))
    return Table(("where", "claim", *names), rows)


def _verdict_on(label: str, claim: Claim, studies: Sequence[Study]) -> str:
    if any(label not in study.learners for study in studies):
        return "–"
    return HOLDS if claim.put_to(studies, label).holds else FAILS


def as_rich(table: Table, title: str) -> rich.table.Table:
    """Return a table for the terminal."""
    made = rich.table.Table(*table.header, title=title, title_justify="left")
    for row in table.rows:
        made.add_row(*row)
    return made


def as_markdown(table: Table) -> str:
    """Return a table in Markdown."""
    lines = [table.header, ("---",) * len(table.header), *table.rows]
    return "\n".join(f"| {' | '.join(c.replace('|', '/') for c in line)} |" for line in lines)


def table1_tables(studies: Iterable[Study]) -> dict[str, Table]:
    """Return the table of each metric by title; development streams come first."""
    ordered = sorted((s for s in studies if s.rows), key=lambda study: study.group)
    tables = {
        "L1, negative log-likelihood: HedgedLeader": _table(ordered, "L1", "predictor", "leader"),
        "L2, recovery error: SpectralLeader": _table(ordered, "L2", "leader", "predictor"),
    }
    return {title: table for title, table in tables.items() if table.rows}


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
        "ours is": "lower" if gap.is_lower else "HIGHER" if gap.is_higher else "similar",
        REFERENCE: cells[only(study, "reference")],
        "runs": str(len(study.seeds)),
    }
    return tuple(shown.get(name) or cells[name] for name in header)
