"""The page docs/labels.md, and its tables."""

from __future__ import annotations

from statistics import fmean

from benchmarks.label_verdicts import label_verdicts
from benchmarks.machine import in_words
from benchmarks.reporting.page import as_markdown
from benchmarks.reporting.tables import Table, number
from benchmarks.rows import MICROSECONDS, Results, Row, spread
from benchmarks.sections.labels import ACCURACY, NMI, PREFIX

HEAD = """# Agreement of topics with human labels

This page is written by `make bench ARGS="--only labels --write-docs"`. Headlines have five labels
(business, entertainment, health, sports, technology), Usenet posts twenty (their groups), and
system logs sixteen (their systems). No learner sees a label. K is the number of topics. Each
learner learns the documents in one pass, in order of time, in blocks of 1000. Then each document is
assigned its most probable topic under the last model, and topics are compared with labels.
Constants and defaults are chosen on development corpora only; these three are test corpora.
"""

FOOT = """
## Methodology

- **Documents**: English stop words are removed and the 500 or 5,000 most frequent words kept; then
  the first 100,000 headlines, or all posts and log lines, with at least 3 of these words are used.
- **Accuracy**, with as many topics as labels: topics are matched to labels one to one so that most
  documents agree (Hungarian method). With more topics than labels every topic is mapped to its most
  frequent label, which gives higher values: compare within a table only.
- **NMI**: the mutual information of topics and labels, divided by the mean of their entropies,
  without matching.
- **Time**: learning only, one thread, microseconds per document, the median over seeds, without
  counting words and assigning topics. Other processes may have run at the same time; see
  [performance.md](performance.md) for careful measurements.
- Mean over {n_seeds} seeds, and the worst seed; fewer seeds where the table says so.
- **HedgedLeader** has its defaults; its topics are those of `model`. **BatchEM** is offline: EM
  over all documents until it gains less than 1e-4 nats per document, with its default smoothing.
- **Online peers** are StepwiseEM, both LDAs (also with five passes) and MiniBatchNMF.
- **StepwiseEM** is shown at the power (0.5, 0.6, ... 1.0) and smoothing (1e-5, 1e-4, 1e-3) with the
  best mean accuracy, chosen in hindsight with these labels, which is impossible on a real stream.
  No other learner is tuned.
- **SpectralLeader** remembers 10,000 documents. **scikit-learn LDA** and **MiniBatchNMF** learn
  with `partial_fit`, **gensim** with `update`. The topic of a document is the one with the largest
  share; for NMF, the largest share of its words: coefficients times the sums of the components.
"""


def label_tables(results: Results) -> list[Table]:
    """Return one table a corpus, vocabulary and number of topics."""
    sections = dict.fromkeys(row.section for row in results.rows if row.section.startswith(PREFIX))
    return [label_table(section, results) for section in sections]


def label_table(section: str, results: Results) -> Table:
    """Return how everybody agrees with the labels, best first."""
    found: dict[str, dict[str, Row]] = {}
    for row in results.rows:
        if row.section == section:
            found.setdefault(row.name, {})[row.unit] = row
    ranked = sorted(found.items(), key=lambda item: -fmean(item[1][ACCURACY].values))
    rows = [
        (
            name,
            str(len(of[ACCURACY].values)),
            mean_and_worst(of[ACCURACY]),
            mean_and_worst(of[NMI]),
            number(spread(of[MICROSECONDS].values).middle),
        )
        for name, of in ranked
    ]
    n_docs = next(iter(found.values()))[ACCURACY].n_docs
    title = f"{section.removeprefix(PREFIX).replace('_', ' ')}, {n_docs:,} documents"
    return Table(title, ("learner", "seeds", "accuracy (worst)", "NMI (worst)", MICROSECONDS), rows)


def aims_table(results: Results) -> Table:
    """Return what was to be reached and what was."""
    rows = [
        (one.figure.replace("_", " "), one.target, f"{one.value.middle:.3f}", one.word)
        for one in label_verdicts(results)
        if one.value
    ]
    return Table("Verdicts", ("figure", "target", "measured", "verdict"), rows)


def mean_and_worst(row: Row) -> str:
    """Write the mean over seeds, and the worst if there are several."""
    mean = f"{fmean(row.values):.3f}"
    return mean if len(row.values) == 1 else f"{mean} ({min(row.values):.3f})"


def page(results: Results) -> str:
    """Return the page."""
    tables = label_tables(results)
    of_labels = [row for row in results.rows if row.section.startswith(PREFIX)]
    n_seeds = max((len(row.values) for row in of_labels), default=0)
    judged = [as_markdown(aims_table(results))] if label_verdicts(results) else []
    parts = [
        HEAD,
        *judged,
        *map(as_markdown, tables),
        FOOT.format(n_seeds=n_seeds),
        "## The machine\n",
    ]
    parts.append(in_words(results.machine))
    parts += [f"- not measured: {name} ({reason})" for name, reason in results.left_out.items()]
    return "\n".join(parts) + "\n"
