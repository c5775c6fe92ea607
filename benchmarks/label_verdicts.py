"""Verdicts on Table 2: targets for HedgedLeader's topics, and what was measured."""

from __future__ import annotations

from statistics import fmean

from benchmarks.contenders.registry import HEDGED, LABELLERS
from benchmarks.labelled import LABELLED
from benchmarks.rows import Results, Row, spread
from benchmarks.sections.labels import ACCURACY, PREFIX
from benchmarks.verdicts import Verdict

TO_REACH = {500: (0.75, 0.70), 5_000: (0.85, 0.78)}  # mean and worst on headlines, by vocabulary


def label_verdicts(results: Results) -> list[Verdict]:
    """Return the verdicts on every corpus of Table 2 that was measured."""
    made: list[Verdict] = []
    for problem in LABELLED:
        section = PREFIX + problem.title
        rows = [r for r in results.rows if (r.section, r.unit) == (section, ACCURACY)]
        ours = next((row for row in rows if row.name == HEDGED), None)
        if ours is None:
            continue
        if problem.corpus == "news_headlines":
            made += reached(problem.title, ours, *TO_REACH[problem.n_words])
        made.append(ahead(problem.title, ours, rows))
    return made


def reached(title: str, ours: Row, mean: float, worst: float) -> list[Verdict]:
    """Judge the mean and the worst seed."""
    figure, found = f"{HEDGED}, {title}: accuracy", fmean(ours.values)
    return [
        Verdict(f"{figure}, mean", f"at least {mean:g}", spread([found]), found >= mean),
        Verdict(
            f"{figure}, worst seed",
            f"at least {worst:g}",
            spread([min(ours.values)]),
            min(ours.values) >= worst,
        ),
    ]


def ahead(title: str, ours: Row, rows: list[Row]) -> Verdict:
    """Judge how far ahead of the best online peer the mean is."""
    peers = [r for r in rows if any(r.name.startswith(p.name) for p in LABELLERS if p.is_peer)]
    best = max(peers, key=lambda row: fmean(row.values))
    lead = fmean(ours.values) - fmean(best.values)
    figure = f"{HEDGED}, {title}: accuracy above the best online peer ({best.name})"
    return Verdict(figure, "above 0", spread([lead]), lead > 0)
