"""The table of the streams of the field, with the figures that others published."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from benchmarks.reporting.tables import Table, number
from benchmarks.rows import Row
from benchmarks.streams import AS_LEARNED, AT_END, IN_USE, PREFIX, SECONDS

# NMI (sqrt) on streamclust_news and streamclust_news_t, which the papers call News and News-T.
FILES = ("streamclust_news", "streamclust_news_t")
PUBLISHED = {
    "MStream, as published": (0.834, 0.850),
    "MStream, rerun by others": (0.864, 0.866),
    "MStreamF, as published": (0.797, 0.873),
    "DP-BMM, as published": (0.881, 0.882),
    "DTM, as published": (0.793, 0.806),
}
HEADING = (
    "stream",
    "learner",
    "runs",
    "NMI at the end: worst / mean",
    "NMI as learned: worst / mean",
    "topics in use: worst / mean",
    "seconds",
)


def stream_table(rows: Sequence[Row]) -> Table:
    """Return ours on each stream, then what others published for it."""
    found: dict[str, dict[str, Row]] = {}
    for row in rows:
        if row.section.startswith(PREFIX):
            found.setdefault(row.section, {})[row.unit] = row
    cells = []
    for section, of in found.items():
        stream = section.removeprefix(PREFIX)
        cells.append(ours(stream, of))
        cells += published(stream.split(",")[0])
    return Table("Streams of short texts", HEADING, cells)


def ours(stream: str, of: dict[str, Row]) -> tuple[str, ...]:
    """Return the row of our learner on a stream."""
    used = of[IN_USE].values
    return (
        f"{stream}, {of[AT_END].n_docs:,} texts",
        of[AT_END].name,
        str(len(used)),
        *(
            f"{min(of[unit].values):.3f} / {fmean(of[unit].values):.3f}"
            for unit in (AT_END, AS_LEARNED)
        ),
        f"{min(used):.0f} / {number(fmean(used))}",
        number(fmean(of[SECONDS].values)),
    )


def published(stream: str) -> list[tuple[str, ...]]:
    """Return the rows of others on a stream, if it is one of theirs."""
    if stream not in FILES:
        return []
    which = FILES.index(stream)
    return [
        (stream, name, "", "", f"{values[which]:.3f}", "", "") for name, values in PUBLISHED.items()
    ]
