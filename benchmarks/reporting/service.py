"""The page docs/service-figures.md: the service measured, and its verdicts."""

from __future__ import annotations

from benchmarks.machine import in_words
from benchmarks.reporting.page import as_markdown
from benchmarks.reporting.tables import Table, show
from benchmarks.rows import Results, Row, ratio, spread
from benchmarks.sections import serve as measured
from benchmarks.verdicts import Verdict

HEAD = """# The service: measurements

This page is written by `make bench ARGS="--only serve --write-docs"`. `spectralleader serve` learns
a file at full speed, 20 topics over 5,000 words, while four connections request the topic of one
text each from `/predict`, as fast as they are answered. For comparison, scikit-learn's LDA with the
same numbers of topics and words answers behind a plain FastAPI endpoint and does not learn; the
verdicts are relative to that one. A third row has the same endpoint while a thread calls
`partial_fit` at full speed. All three run under uvicorn with uvloop and httptools. The client runs
on the same machine and takes about 20 us of CPU time per request; servers that are not being
measured are stopped. `make test-serve` runs ten minutes of mixed load and checks the memory.
"""


def page(results: Results) -> str:
    """Return the page."""
    parts = [HEAD, f"Documents: {results.stream}.", "", as_markdown(verdict_table(results))]
    parts += [as_markdown(figure_table(results)), "## The machine\n"]
    parts.append(in_words(results.machine))
    return "\n".join(parts) + "\n"


def find(results: Results, name: str, unit: str) -> Row | None:
    """Return a row of the section."""
    key = (measured.SECTION, name, unit)
    return next((row for row in results.rows if (row.section, row.name, row.unit) == key), None)


def verdicts(results: Results) -> list[Verdict]:
    """Return what was to be reached, and what was."""
    made = []
    ours, peer = (
        find(results, name, measured.PER_SECOND) for name in (measured.OURS, measured.PEER)
    )
    if ours and peer:
        times = ratio([ours], peer)
        target = f"at least {measured.TIMES} times as many"
        made.append(
            Verdict("requests per second, relative to the peer", target, times,
                    times.middle >= measured.TIMES)
        )  # fmt: skip
    ours, peer = (find(results, name, measured.P99) for name in (measured.OURS, measured.PEER))
    if ours and peer:
        part = ratio([ours], peer)
        made.append(Verdict("p99, relative to the peer", "below 1", part, part.middle < 1))
    alone, asked = (find(results, name, measured.DOCS) for name in (measured.ALONE, measured.ASKED))
    if alone and asked:
        kept = ratio([asked], alone)
        target = f"at least {measured.SLOWED:g}"
        figure = (
            f"speed of learning under {measured.RATE} requests per second, relative to that without"
        )
        made.append(Verdict(figure, target, kept, kept.middle >= measured.SLOWED))
    if grew := find(results, measured.GREW, measured.MEMORY):
        value = spread(grew.values)
        target = f"at most {measured.GROWTH:g} MB"
        made.append(Verdict(measured.GREW, target, value, value.high <= measured.GROWTH))
    return made


def verdict_table(results: Results) -> Table:
    """Return the verdicts."""
    rows = [(one.figure, one.target, show(one.value), one.word) for one in verdicts(results)]
    return Table("Verdicts", ("figure", "target", "measured (min to max)", "verdict"), rows)


def figure_table(results: Results) -> Table:
    """Return all figures."""
    rows = [
        (row.name, show(spread(row.values)), row.unit)
        for row in results.rows
        if row.section == measured.SECTION
    ]
    return Table("Figures", ("what", "measured (min to max)", "unit"), rows)
