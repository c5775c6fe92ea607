"""Tables of mean ± standard error, for the terminal and Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import rich.table

from spectralleader.arrays import Floats
from study.reporting.claims import HOLDS, LEADER, Claim, Verdict
from study.reporting.findings import difference, only, tuned
from study.reporting.study import Study, mean_and_error, metric_label

# Roles that are compared: the paper's learner literally, the fast one, and our additions.
COMPARED = ("literal", "leader", "variant", "predictor")
BEST, FREE, STATIC = "EM, best of 54", "EM, best of all mini-batches", "best static model"
FINER = "EM, best with 64 topics"
POOL, GAP = "pool of 54 EMs", "the pool minus ours"
# Of Table 1: ours, then the learners that it is compared with.
COLUMNS = {
    "L1": (
        "HedgedLeader", POOL, GAP, BEST, FREE, FINER, "HedgedLeader.model",
        "IncrementalEM", "SpectralLeader", "Unigram", STATIC,
    ),
    "L2": ("SpectralLeader", BEST, FREE, "IncrementalEM", "HedgedLeader", "Unigram"),
}  # fmt: skip


class Table(NamedTuple):
    """A table of texts."""

    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def final_table(study: Study) -> Table:
    """Return every metric at the last step, one row per learner; the best of a grid has a star."""
    columns = []
    for metric in study.metrics:
        best = study.ranked(metric)[:1]
        columns.append(
            {
                name: _shown(metric, values) + (" *" if name in best else "")
                for name, values in study.finals(metric).items()
            }
        )
    n_runs = {name: str(len(own)) for name, own in study.finals(study.metrics[0]).items()}
    rows = [(name, *(column[name] for column in columns), n_runs[name]) for name in n_runs]
    return Table(("learner", *map(metric_label, study.metrics), "runs"), rows)


def _shown(metric: str, values: Floats) -> str:
    return f"{values[0]:.0f}" if metric == "components" else mean_and_error(values)


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
            rows.append((f"{study.title}, {metric}", own, best, worst))
    header = ("problem, metric", f"{LEADER}, untuned", "EM, best power", "worst power")
    return Table(header, rows)


def verdict_table(verdicts: Sequence[Verdict]) -> Table:
    """Return the verdicts, one row per claim."""
    return Table(("where", "claim", "learner", "measured", "verdict"), [tuple(v) for v in verdicts])


def short_verdicts(verdicts: Sequence[Verdict]) -> Table:
    """Return the verdicts in two columns, for a terminal of 80."""
    told = ((v.verdict, f"{v.where}  {v.text}\n{v.learner}: {v.measured}") for v in verdicts)
    return Table(("verdict", "claim, and what was measured"), list(told))


def compared_table(claims: Iterable[Claim], studies: Mapping[str, Study]) -> Table:
    """Return the claims about the leader, with the verdict for each of our learners.

    A dash means that the learner was not run in all scenarios of the claim.
    """
    roles = {c.label: c.role for study in studies.values() if study.paper and study.grid
             for c in study.learners.values() if c.role in COMPARED}  # fmt: skip
    names = sorted(roles, key=lambda name: COMPARED.index(roles[name]))
    rows = []
    for claim in claims:
        own = [studies[name] for name in claim.scenarios if name in studies]
        tested = len(own) == len(claim.scenarios) and all(study.grid for study in own)
        if claim.learner == LEADER and tested:
            verdicts = (_verdict_on(name, claim, own) for name in names)
            rows.append((f"{claim.where}: {claim.text}", *verdicts))
    return Table(("claim", *names), rows)


def _verdict_on(label: str, claim: Claim, studies: Sequence[Study]) -> str:
    if any(label not in study.learners for study in studies):
        return "–"
    return HOLDS if claim.put_to(studies, label).holds else "no"


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


def table1_tables(studies: Iterable[Study], costs: Iterable[Study] = ()) -> dict[str, Table]:
    """Return the table of each metric by title; development streams come first."""
    ordered = sorted((s for s in studies if s.rows), key=lambda study: study.group)
    sizes = [components(study) for study in costs if study.rows]
    titles = {"L1": "L1, negative log-likelihood", "L2": "L2, recovery error"}
    tables = {title: _table1(ordered, metric, sizes) for metric, title in titles.items()}
    return {title: table for title, table in tables.items() if table.rows}


def components(study: Study) -> tuple[str, ...]:
    """Return the first row of a table: word distributions in each learner's prediction."""
    sizes = {name: f"{values[0]:.0f}" for name, values in study.finals("components").items()}
    em = sizes.get("StepwiseEM", "–")
    known = sizes | {BEST: em, FREE: em, STATIC: em, FINER: sizes.get("StepwiseEM, 64 topics", "–")}
    title = f"components ({study.title})"
    return (title, "", *(known.get(name, "–") for name in COLUMNS["L1"]), "")


def _table1(studies: Sequence[Study], metric: str, sizes: Sequence[tuple[str, ...]]) -> Table:
    """Return one row per stream: ours, then every other learner, marked where it differs."""
    measured = [study for study in studies if metric in study.metrics]
    header = ("stream", "group", *COLUMNS[metric], "runs")
    first = list(sizes) if metric == "L1" and measured else []
    return Table(header, first + [_row(study, metric, header) for study in measured])


def _row(study: Study, metric: str, header: tuple[str, ...]) -> tuple[str, ...]:
    finals, ours = study.finals(metric), COLUMNS[metric][0]
    best = tuned(study, metric)
    labels = {
        GAP: POOL,
        BEST: best,
        FREE: study.order(study.tried, metric)[0],
        FINER: next(iter(study.order(study.finer, metric)), FINER),
        STATIC: only(study, "reference"),
    }

    def cell(column: str) -> str:
        label = labels.get(column, column)
        if label not in finals:
            return "–"
        gap = difference(finals[label], finals[ours]) if ours in finals else None
        mark = "" if gap is None else " ▲" if gap.is_higher else " ▼" if gap.is_lower else ""
        if column == GAP:
            return f"{gap}{mark}"
        name = f" ({label})" if column in (BEST, FREE, FINER) else ""
        return f"{mean_and_error(finals[label])}{mark}{name}"

    return (study.title, study.group, *map(cell, COLUMNS[metric]), str(len(study.seeds)))


def narrow(table: Table) -> Table:
    """Return stream, ours and the first two rivals of a table, which a terminal can show."""
    header, *rows = ((line[0], *line[2:5]) for line in (table.header, *table.rows))
    return Table(header, rows)


def above(studies: Iterable[Study], metric: str, own: str, rival: str) -> str:
    """Return a sentence with the streams on which a learner is above another."""
    tested = [s for s in studies if metric in s.metrics and {own, rival} <= set(s.learners)]
    gaps = {s.title: difference(s.finals(metric)[own], s.finals(metric)[rival]) for s in tested}
    over = [title for title, gap in gaps.items() if gap.is_higher]
    names = f": {'; '.join(over)}" if over else ""
    count = f"{len(over)} of {len(gaps)} streams"
    return f"The {metric} of {own} is above that of {rival} on {count}{names}."


def changes_table(studies: Sequence[Study], metric: str) -> Table:
    """Return the effect of every variant on a metric: variant minus predictor, paired."""
    variants = list(dict.fromkeys(name for s in studies for name in s.of_role("variant")))
    rows = []
    for study in studies:
        finals, whole = study.finals(metric), only(study, "predictor")
        gaps = (difference(finals[name], finals[whole]) for name in variants)
        cells = (f"{gap}{' ▲' if gap.is_higher else ' ▼' if gap.is_lower else ''}" for gap in gaps)
        rows.append((study.title, mean_and_error(finals[whole]), *cells, str(len(study.seeds))))
    return Table(("stream", "HedgedLeader", *variants, "runs"), rows)
