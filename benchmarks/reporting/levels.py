"""The page docs/level-figures.md, and its tables."""

from __future__ import annotations

from statistics import fmean

from benchmarks.machine import in_words
from benchmarks.reporting.page import as_markdown
from benchmarks.reporting.reading import rows_of
from benchmarks.reporting.tables import Table
from benchmarks.rows import Results
from benchmarks.sections import levels as measured

HEAD = """# Levels: measurements

This page is written by `make bench ARGS="--only levels --write-docs"`. Many topics are learned,
merged by their cost in likelihood and refined by ten EM passes over the remembered documents. For
comparison, the same number of topics is learned directly. Constants were chosen on election
tweets, health tweets and synthetic documents only.
"""
LABELS_NOTE = """
No learner sees a label. **Accuracy** is the share of documents whose most probable topic is their
label, after the best matching of topics to labels. **Nats** is the mean log-probability of a
document. Target: an accuracy of at least that of learning directly minus 0.02, and a worst seed
that is no worse.
"""
CHURN_NOTE = """
**Churn** is the share of 2,000 fixed documents whose most probable topic changes while 2,000 more
documents are learned, after the first 20,000. Target: a mean of at most 0.02, and at most 0.06 at
any time at which no tree was replaced. A replaced tree is reported to the reader.
"""


def page(results: Results) -> str:
    """Return the page."""
    parts = [HEAD, as_markdown(label_table(results)), LABELS_NOTE]
    parts += [as_markdown(churn_table(results)), CHURN_NOTE, "## The machine\n"]
    parts.append(in_words(results.machine))
    return "\n".join(parts) + "\n"


def label_table(results: Results) -> Table:
    """Return agreement with labels, a cut beside learning directly, and whether it is reached."""
    found = rows_of(results, measured.LABELS)
    by_key = {(row.section, row.name, row.unit): row.values for row in found}
    rows = []
    for section, name in dict.fromkeys((row.section, row.name) for row in found):
        accuracy, nmi, nats = (by_key[section, name, unit] for unit in measured.UNITS)
        direct = by_key[section, measured.DIRECT, measured.UNITS[0]]
        is_good = fmean(accuracy) >= fmean(direct) - 0.02 and min(accuracy) >= min(direct)
        verdict = "" if name == measured.DIRECT else "reached" if is_good else "not reached"
        what = section.removeprefix(f"{measured.LABELS}: ").replace("_", " ")
        cells = (f"{fmean(accuracy):.3f} ({min(accuracy):.3f})", f"{fmean(nmi):.3f}")
        rows.append((what, name, str(len(accuracy)), *cells, f"{fmean(nats):.2f}", verdict))
    heading = ("documents", "topics", "seeds", "accuracy (worst)", "NMI", "nats", "verdict")
    return Table("Is a cut as good as learning that number directly?", heading, rows)


def churn_table(results: Results) -> Table:
    """Return mean and largest churn at each level."""
    found = rows_of(results, measured.CHURN)
    replaced = {(row.section, row.name): row.values for row in found if row.unit == "replaced"}
    rows = [
        (
            row.section.removeprefix(f"{measured.CHURN}: ").replace("_", " "),
            row.name,
            f"{fmean(row.values):.4f}" if row.values else "-",
            f"{max(row.values, default=0.0):.3f}",
            "" if row.name.startswith("all") else f"{replaced[row.section, row.name][0]:.0f}",
        )
        for row in found
        if row.unit == "churn"
    ]
    heading = ("corpus", "32 topics read", "churn, mean", "largest", "trees replaced")
    return Table("Stability of a level", heading, rows)
