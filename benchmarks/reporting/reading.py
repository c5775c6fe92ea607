"""The page docs/reading.md, and its tables."""

from __future__ import annotations

from benchmarks.machine import in_words
from benchmarks.reporting.page import as_markdown
from benchmarks.reporting.tables import Table, number
from benchmarks.rows import Results, Row
from benchmarks.sections import reading as measured
from study.sources.corpora import CORPORA

HEAD = """# Stability of topics

This page is written by `make bench ARGS="--only reading --write-docs"`. `HedgedLeader`, the default
learner, is used with its defaults. Constants were chosen on development corpora only; the tables
name the group of each corpus.
"""
CHURN_NOTE = """
**Churn** is the share of 2,000 fixed documents whose most probable topic changes while 2,000 more
documents are learned, after the first 20,000 (5,000 words, blocks of 100). Events are topics that
were replaced or restarted in the second half of the stream.
"""
LIKELIHOOD_NOTE = """
**Likelihood** is the mean log-probability of all documents of the corpus under the last `model`.
Batch EM iterates over all documents until it gains less than 1e-3 nats per document, from five
starts.
"""
WORDS_NOTE = """
**Words**: the mean NPMI of all pairs of the ten words shown for a topic, measured on the documents
of the corpus.
"""
GROWTH_NOTE = """
**Growth**: 20,000 synthetic documents of 12 words in blocks of 100. Memory is the peak above the
interpreter with its imports, for 20,000 documents, 50,000 words and 100 topics.
"""


def page(results: Results) -> str:
    """Return the page."""
    parts = [HEAD, as_markdown(churn_table(results)), CHURN_NOTE]
    parts += [as_markdown(likelihood_table(results)), LIKELIHOOD_NOTE]
    parts += [as_markdown(words_table(results)), WORDS_NOTE]
    parts += [as_markdown(growth_table(results)), GROWTH_NOTE, "## The machine\n"]
    parts.append(in_words(results.machine))
    parts += [f"- not measured: {name} ({reason})" for name, reason in results.left_out.items()]
    return "\n".join(parts) + "\n"


def rows_of(results: Results, section: str) -> list[Row]:
    """Return the rows of all sections that begin so."""
    return [row for row in results.rows if row.section.startswith(section)]


def where(row: Row, section: str) -> str:
    """Return corpus with its group, and number of topics."""
    name, topics = row.section.removeprefix(f"{section}: ").split(", ")
    return f"{name.replace('_', ' ')} ({CORPORA[name].role}), {topics}"


def churn_table(results: Results) -> Table:
    """Return mean and largest churn, ours beside scikit-learn's."""
    rows = []
    found = rows_of(results, measured.CHURN)
    events = {row.section: row.values[0] for row in found if row.unit == "events"}
    for row in found:
        if row.unit == "churn":
            n_events = f"{events[row.section]:.0f}" if row.name == measured.OURS else ""
            mean = sum(row.values) / max(1, len(row.values))
            cells = (f"{mean:.4f}", f"{max(row.values, default=0.0):.3f}", n_events)
            rows.append((where(row, measured.CHURN), row.name, *cells))
    heading = ("corpus", "learner", "churn, mean", "largest", "events")
    return Table("Do documents keep their topic?", heading, rows)


def likelihood_table(results: Results) -> Table:
    """Return the likelihood of whole corpora."""
    rows = [
        (where(row, measured.LIKELIHOOD), row.name, f"{row.values[0]:.3f}", f"{row.n_docs:,}")
        for row in rows_of(results, measured.LIKELIHOOD)
    ]
    heading = ("corpus", "learner", "nats per document", "documents")
    return Table("Likelihood of the corpus", heading, rows)


def words_table(results: Results) -> Table:
    """Return the coherence of the words shown, in each order."""
    cells: dict[str, dict[str, str]] = {}
    for row in rows_of(results, measured.WORDS):
        cells.setdefault(where(row, measured.WORDS), {})[row.name] = f"{row.values[0]:.3f}"
    rows = [(name, *(found[order] for order in measured.ORDERS)) for name, found in cells.items()]
    return Table("Which words are shown?", ("corpus", *measured.ORDERS), rows)


def growth_table(results: Results) -> Table:
    """Return what many topics and words cost."""
    found = rows_of(results, measured.GROWTH)
    rows = []
    for row in found:
        if row.unit != "s":
            first = next(r for r in found if r.section == row.section and r.unit == "s")
            what = row.section.removeprefix(f"{measured.GROWTH}: ")
            rows.append((what, number(row.values[0]), number(first.values[0])))
    for row in rows_of(results, measured.MEMORY):
        rows.append(("memory, MB", number(row.values[0]), ""))
    heading = ("topics and words", "µs per document", "first 1,000 documents, s")
    return Table("Cost of many topics", heading, rows)
