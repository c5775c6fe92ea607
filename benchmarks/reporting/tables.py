"""Tables of plain cells, which the terminal and the page show each in its own way."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.contenders.registry import SPECTRAL
from benchmarks.rows import Results, Row, Spread, ratio, spread
from benchmarks.sections import (
    adapters,
    demo,
    end_to_end,
    first_use,
    fresh,
    growth,
    live,
    steps,
    text,
)
from benchmarks.task import RACES
from benchmarks.verdicts import verdicts


@dataclass(frozen=True)
class Table:
    """A title, a heading and rows of text."""

    title: str
    heading: tuple[str, ...]
    rows: list[tuple[str, ...]]


def tables(results: Results) -> list[Table]:
    """Return all tables that have rows, verdicts first."""
    sections = [(race.title, race.name) for race in RACES]
    sections += [(name.capitalize(), name) for name in (steps.CHANGED, steps.ALL)]
    made = [verdict_table(results), end_to_end_table(results)]
    made += [comparison(title, name, results) for title, name in sections]
    made += [comparison("Text to counts", text.SECTION, results, ours=text.OURS)]
    made += [
        comparison(title, section, results, ours=live.FILE, times="speed-up of a file")
        for title, section in (
            ("Live sources: reading alone, blocks of 100", live.READING),
            *(
                (f"Live sources: reading and learning, TextTopics, K = {n}, blocks of 100", name)
                for n, name in live.LEARNING.items()
            ),
        )
    ]
    made += [adapter_table(results, library) for library in ("scikit-learn", "river")]
    made += [growth_table(results), fresh_table(results)]
    return [table for table in made if table.rows]


def verdict_table(results: Results) -> Table:
    """Return what was to be reached and what was measured."""
    heading = ("figure", "target", "measured (min to max)", "verdict")
    rows = [(one.figure, one.target, show(one.value), one.word) for one in verdicts(results)]
    return Table("Verdicts", heading, rows)


def end_to_end_table(results: Results) -> Table:
    """Return the seconds from text to topics of both pipelines, and their ratio."""
    rows = []
    for ours in [row for row in results.rows if row.name == end_to_end.OURS]:
        theirs = next(
            (r for r in results.rows if r.section == ours.section and r.n_docs == ours.n_docs), None
        )
        if theirs is not None and theirs is not ours:
            seconds = [row.values[0] * row.n_docs / 1e6 for row in (ours, theirs)]
            where = ours.section.removeprefix(f"{end_to_end.PREFIX}: ")
            times = number(seconds[1] / seconds[0])
            rows.append((where, f"{ours.n_docs:,}", *map(number, seconds), times))
    heading = ("corpus, topics", "documents", "ours, s", "scikit-learn, s", "times faster")
    title = "End to end: text to topics, 5,000 words, blocks of 100, kernels warm"
    return Table(title, heading, rows)


def comparison(
    title: str,
    section: str,
    results: Results,
    ours: str = SPECTRAL,
    times: str = "speed-up of ours",
) -> Table:
    """Return the contenders of a section, each with the times that ours is faster."""
    own = results.of(section, ours)
    heading = ("contender", "µs per document (min to max)", times, "documents")
    rows = [
        (
            row.name,
            show(spread(row.values)),
            show(ratio([row], own)) if own and row is not own else "",
            f"{row.n_docs:,}",
        )
        for row in results.rows
        if row.section == section
    ]
    return Table(title, heading, rows)


def adapter_table(results: Results, library: str) -> Table:
    """Return the time a document of each learner alone and in the clothes of a library."""
    rows = []
    for learner in adapters.NAMES:
        section = adapters.section_name(library, learner)
        core = results.of(section, adapters.CORE)
        for row in [row for row in results.rows if row.section == section and core]:
            times, share = show(spread(row.values)), show(ratio([row], core))
            rows.append((learner, row.name, times, share, f"{row.n_docs:,}"))
    heading = (
        "learner",
        "how",
        "µs per document (min to max)",
        "relative to the learner alone",
        "documents",
    )
    how = "blocks of 1000" if library == "scikit-learn" else "one document at a time"
    return Table(f"The adapter for {library}, {how}", heading, rows)


def growth_table(results: Results) -> Table:
    """Return the time a document at every size of every sweep, one column a mode."""
    cells: dict[tuple[str, int], dict[str, Row]] = {}
    for row in results.rows:
        if row.size is not None:
            cells.setdefault((row.section, row.size), {})[row.name] = row
    rows = [
        (
            section.removeprefix("growth: "),
            f"{size:,}",
            *(show(spread(modes[mode].values)) for mode in growth.MODES),
        )
        for (section, size), modes in cells.items()
    ]
    heading = ("what grows", "size", *(f"µs per document, {mode}" for mode in growth.MODES))
    return Table("Growth, synthetic documents of 12 words", heading, rows)


def fresh_table(results: Results) -> Table:
    """Return memory and first use."""
    rows = [
        (row.section, row.name, f"{number(row.values[0])} {row.unit}")
        for row in results.rows
        if row.section in (fresh.MEMORY, first_use.SECTION, demo.SECTION)
    ]
    return Table("In a fresh interpreter", ("what", "", "measured"), rows)


def show(value: Spread | None) -> str:
    """Write a spread as its middle, with the least and the most if they differ."""
    if value is None:
        return "–"
    if value.low == value.high:
        return number(value.middle)
    return f"{number(value.middle)} ({number(value.low)} to {number(value.high)})"


def number(value: float) -> str:
    """Write a number with three digits that count."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"
