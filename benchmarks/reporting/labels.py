"""The page docs/labels.md, and its tables."""

from __future__ import annotations

from statistics import fmean

from benchmarks.label_verdicts import label_verdicts
from benchmarks.reporting.page import as_markdown
from benchmarks.reporting.tables import Table, number
from benchmarks.rows import MICROSECONDS, Results, Row, spread
from benchmarks.sections.labels import ACCURACY, NMI, PREFIX

HEAD = """# Topics and the labels that people gave

This page is written by `make bench ARGS="--only labels --write-docs"`. Headlines have five labels
(business, entertainment, health, sports, technology), Usenet posts twenty (their groups). No
learner sees a label. K is the number of topics asked for. Each learns the documents in one pass, in
order of time, in blocks of 1000; then each document gets its likeliest topic under the last model,
and topics are compared with labels. Each table names the group of its corpus: constants and
defaults may be chosen on development corpora, never on test corpora. Headlines and Usenet posts are
test corpora.
"""

FOOT = """
## How it is measured

- **Documents**: English stop words removed, the 500 or 5,000 most frequent words kept, then the
  first 100,000 headlines, or all Usenet posts, with at least 3 of these words.
- **Accuracy**, where there are as many topics as labels: topics are matched to labels one to one so
  that most documents agree (Hungarian method). With more topics than labels (K = 10, five labels)
  every topic stands for its most frequent label, which is kinder: compare within a table only.
- **NMI**: mutual information of topics and labels, over the mean of their entropies. No matching.
- **Time**: learning alone, one thread, in microseconds a document, the median over seeds; counting
  words and naming topics afterwards are not in it. Taken in passing, maybe beside other work: speed
  is measured with care in [performance.md](performance.md).
- Mean over {n_seeds} seeds, and the worst of them; over fewer where the table says so.
- **HedgedLeader** has nothing set; its topics are those of its `model`. **BatchEM** is offline: EM
  over all documents until it gains less than 1e-4 nats a document, with its default smoothing.
- **Online peers** are StepwiseEM, both LDAs (also with five passes) and MiniBatchNMF.
- **StepwiseEM** is shown at the power (0.5, 0.6, ... 1.0) and smoothing (1e-5, 1e-4, 1e-3) with the
  best mean accuracy, chosen in hindsight from these labels, a choice that no stream offers. Nobody
  else is tuned.
- **SpectralLeader** remembers 10,000 documents. **scikit-learn LDA** and **MiniBatchNMF** learn by
  `partial_fit`, **gensim** by `update`. A document's topic is the one with the largest share of it;
  for NMF, of its words: coefficients times the sums of the components.
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
    return Table("Verdicts", ("figure", "to reach", "measured", "verdict"), rows)


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
    parts += [f"- {name}: {value}" for name, value in results.machine.items()]
    parts += [f"- left out: {name} ({reason})" for name, reason in results.left_out.items()]
    return "\n".join(parts) + "\n"
