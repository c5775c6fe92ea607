"""The page docs/quality.md, and its tables."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median

from benchmarks.machine import in_words
from benchmarks.quality.corpora import CORPORA, MADE_CORPORA
from benchmarks.quality.learners import (
    BATCH,
    BATCH_ITERATIONS,
    BOUND_ITERATIONS,
    COUNTED,
    GROWING,
    LDA_BLOCK,
    NMF_ITERATIONS,
    STEPWISE,
)
from benchmarks.quality.measures import least_in_use
from benchmarks.reporting.page import as_markdown
from benchmarks.reporting.streams import stream_table
from benchmarks.reporting.tables import Table, number
from benchmarks.rows import MICROSECONDS, Results, Row
from benchmarks.sections import quality as measured
from benchmarks.sections.quality import ABOUT, ACCURACY, IN_USE, NATS, NMI, PREFIX

WITHIN = 0.03  # of NMI: how far the default may be below the other vocabulary and our others
OURS = (GROWING, COUNTED)
SHARED = 4  # runs of every contender that has several: the given order and one shuffle, two seeds

HEAD = """# Quality on every corpus

This page is written by `make bench ARGS="--only quality --write-docs"`; do not edit it. It shows
the topics of `TextTopics` with its defaults on every corpus at hand, in several orders and from
several seeds, with the worst run beside the mean. No learner sees a label. Constants and defaults
are chosen on development corpora only.

**The law of topics in use**: of K topics asked for, or of as many as the documents can fill (one
for every 50 documents) if that is less, at least 0.8 are in use. A topic is in use if more than a
tenth of an even share of the documents prefer it.

**The law of agreement**: with the default, a growing vocabulary, the NMI is at most 0.03 below that
with a counted vocabulary, as the command has it, and at most 0.03 below that of the best of our
other learners on the same counts.
"""

AHEAD_NOTE = """
In brackets: TextTopics in the same orders and from the same seeds. Where a cell is empty, nobody is
ahead, or the corpus has no labels.
"""

FOOT = f"""
## Methodology

- **Documents**: the first {measured.FULL.most_docs:,} of each corpus in the given order. Figures
  are of those with at least one counted word. A random tenth of them, the same in all runs, is held
  out; the others are learned in one pass, in the given order or in one of
  {measured.FULL.n_shuffles} shuffles.
- **Growing vocabulary**: `TextTopics(n_topics=K, seed=...)` and nothing else; sessions of items
  have `words="tokens"`. **Counted vocabulary**: the same with the 5,000 most frequent words of all
  documents, English stop words removed.
- **Runs**: ours in the given order and {measured.FULL.n_shuffles} shuffles, from
  {measured.FULL.n_seeds} seeds. Peers are slow: StepwiseEM and MiniBatchKMeans get the given order
  and the first shuffle, LDA and GSDMM the given order only, from as many seeds. BatchEM and NMF do
  not depend on the order: they get the given one, NMF from one seed, as its start is that of a
  singular value decomposition.
- **Topics in use, accuracy and NMI** are of all documents, held out or not, each with its most
  probable topic under the last model. **Accuracy**: topics are matched to labels one to one
  (Hungarian method), so that with K far from the number of labels it is low for everybody.
  **NMI**: the mutual information divided by the root of the product of the entropies. In
  [labels](labels.md) it is divided by their mean, which gives lower values.
- **Nats per word**: the log-probability of the held-out documents, divided by their words that the
  vocabulary has at the end. A growing vocabulary has other words than a counted one: compare
  within a vocabulary only. For LDA it is the variational lower bound of each document, the topics
  being at their mean, after {BOUND_ITERATIONS} iterations of our own: scikit-learn's drop words
  with 100 topics. NMF and MiniBatchKMeans have none.
- **Time**: learning only, one thread, microseconds of processor time per document, the median over
  runs. Ours
  includes splitting texts into words; the others get counts.
- **Worst / mean / best** are over all runs of a learner. The law of topics in use holds if it holds
  in every run; otherwise the table says in how many runs it does not.
- **StepwiseEM** has its defaults, in blocks of 100 documents like TextTopics. **BatchEM** has one
  start and at most {BATCH_ITERATIONS} iterations, instead of 3 and 200: its defaults take minutes
  with 100 topics. **GSDMM** (Yin & Wang 2014) was written for this page: alpha 0.1, beta 0.1, K as
  asked for, 10 iterations over all documents; the topics of documents are read from its model.
- **scikit-learn LDA** learns by `partial_fit` in blocks of {LDA_BLOCK:,}. **NMF** has its defaults
  and at most {NMF_ITERATIONS} iterations instead of 200; a document's topic is the one with most of
  its words. **MiniBatchKMeans** has its defaults and gets the plain counts.
"""

STREAM_NOTE = """
Topics of labelled texts in stream order, with a growing vocabulary; `python -m benchmarks.streams
FILE ...` prints the same for any file. **At the end**: every text gets its topic from the final
model. **As learned**: from the model right after its part of the stream was learned. NMI
(normalised by the root of the entropies) is over all texts together. The published figures are
those of the papers, which we did not rerun. They stand beside ours as learned, because MStream
labels a text when its part of the stream is processed; of the others we assume the same. These
methods also find the number of topics themselves.
"""


def page(results: Results) -> str:
    """Return the page."""
    tables = law_table(results), agreement_table(results), ahead_table(results)
    parts = [HEAD, *map(as_markdown, tables), AHEAD_NOTE]
    parts += [as_markdown(about_table(results)), *map(as_markdown, corpus_tables(results))]
    parts += [as_markdown(stream_table(results.rows)), STREAM_NOTE, FOOT, "## The machine\n"]
    parts.append(in_words(results.machine))
    parts += [f"- not measured: {name} ({why})" for name, why in results.left_out.items()]
    parts.append(f"- the whole run took {results.seconds / 60:.0f} minutes")
    return "\n".join(parts) + "\n"


def quality_tables(results: Results) -> list[Table]:
    """Return all tables of the page that have rows."""
    made = [about_table(results), *corpus_tables(results), stream_table(results.rows)]
    made += [law_table(results), agreement_table(results), ahead_table(results)]
    return [table for table in made if table.rows]


Found = dict[str, dict[int, dict[str, dict[str, Row]]]]  # by corpus, K, learner and unit


def find(results: Results) -> Found:
    """Return the rows by corpus, number of topics, learner and unit."""
    found: Found = {}
    for row in results.rows:
        if row.section.startswith(PREFIX):
            corpus, n_topics = row.section.removeprefix(PREFIX).split(", K = ")
            by_name = found.setdefault(corpus, {}).setdefault(int(n_topics), {})
            by_name.setdefault(row.name, {})[row.unit] = row
    return found


def law_table(results: Results) -> Table:
    """Return in how many runs each learner keeps the law of topics in use, by K."""
    counts: dict[str, dict[int, list[int]]] = {}
    for by_topics in find(results).values():
        for n_topics, by_name in by_topics.items():
            for name, of in by_name.items():
                values = of[IN_USE].values
                total = counts.setdefault(name, {}).setdefault(n_topics, [0, 0])
                total[0] += len(values) - n_broken(of[IN_USE], n_topics)
                total[1] += len(values)
    topics = sorted({n_topics for of in counts.values() for n_topics in of})
    rows = [
        (name, *("{} of {}".format(*of[n]) if n in of else "" for n in topics))
        for name, of in counts.items()
    ]
    heading = ("learner", *(f"K = {n_topics}" for n_topics in topics))
    return Table("Topics in use: runs that keep the law", heading, rows)


def n_broken(in_use: Row, n_topics: int) -> int:
    """Return how many runs break the law of topics in use."""
    least = least_in_use(n_topics, in_use.n_docs)
    return sum(value < least for value in in_use.values)


def agreement_table(results: Results) -> Table:
    """Return the NMI of the default beside what it is to reach, over the runs that all made."""
    rows = []
    for corpus, by_topics in find(results).items():
        for n_topics, by_name in by_topics.items():
            if GROWING in by_name and NMI in by_name[GROWING]:
                means = [fmean(by_name[name][NMI].values[:SHARED]) for name in (GROWING, COUNTED)]
                best = max(fmean(by_name[name][NMI].values) for name in (STEPWISE, BATCH))
                holds = means[0] >= max(means[1], best) - WITHIN
                cells = (f"{value:.3f}" for value in (*means, best))
                rows.append((title_of(corpus), str(n_topics), *cells, "yes" if holds else "no"))
    heading = ("corpus", "K", "growing", "counted", "best of our others", f"within {WITHIN}")
    return Table("Agreement: mean NMI in the given order and one shuffle", heading, rows)


def ahead_table(results: Results) -> Table:
    """Return who is ahead of TextTopics on average, over the runs that both made."""
    rows = []
    for corpus, by_topics in find(results).items():
        for n_topics, by_name in by_topics.items():
            # In nats, a learner can only be compared with others on the same words.
            cells = [
                better_than(own, by_name, unit) for own, unit in ((GROWING, NMI), (COUNTED, NATS))
            ]
            if any(cells):
                rows.append((title_of(corpus), str(n_topics), *cells))
    heading = ("corpus", "K", "higher NMI than growing", "higher nats per word than counted")
    return Table("Where others are ahead", heading, rows)


def better_than(own: str, by_name: dict[str, dict[str, Row]], unit: str) -> str:
    """Write the figures of all peers that are ahead, and ours of the same runs; "" if none is."""
    if unit not in by_name.get(own, {}):
        return ""
    ours, ahead = by_name[own][unit].values, []
    for name, of in by_name.items():
        if name not in OURS and unit in of:
            theirs = of[unit].values
            # The runs of all start with the same orders and seeds.
            mean, same = (round(fmean(one), 3) for one in (theirs, ours[: len(theirs)]))
            if mean > same:
                ahead.append(f"{name} {mean:.3f} ({same:.3f})")
    return ", ".join(ahead)


def about_table(results: Results) -> Table:
    """Return what the corpora are; those that are missing as well."""
    rows = []
    for corpus in (*CORPORA, *MADE_CORPORA):
        found = {r.unit: r.values[0] for r in results.rows if r.section == ABOUT + corpus.name}
        reason = results.left_out.get(PREFIX + corpus.name)
        name = title_of(corpus.name)
        if found:
            figures = [number(found[unit]) for unit in measured.FACTS[:-1]]
            n_labels = found.get(measured.N_LABELS)
            labels = f"{n_labels:.0f} {corpus.label}" if n_labels else "none"
            rows.append((name, corpus.role, corpus.what, *figures, labels))
        elif reason:
            rows.append((name, corpus.role, f"MISSING: {reason}", *["" for _ in measured.FACTS]))
    return Table("The corpora", ("corpus", "group", "what", *measured.FACTS), rows)


def corpus_tables(results: Results) -> list[Table]:
    """Return one table a corpus: every learner with every number of topics."""
    return [corpus_table(corpus, by_topics) for corpus, by_topics in find(results).items()]


def corpus_table(corpus: str, by_topics: dict[int, dict[str, dict[str, Row]]]) -> Table:
    """Return the figures of all learners on a corpus; no columns of labels if it has none."""
    units = {unit for by_name in by_topics.values() for of in by_name.values() for unit in of}
    shown = [unit for unit in (ACCURACY, NMI, NATS) if unit in units]
    rows = [
        (
            str(n_topics),
            name,
            str(len(of[IN_USE].values)),
            three(of[IN_USE].values, digits=0),
            law(of[IN_USE], n_topics),
            *(three(of[unit].values, digits=3) if unit in of else "" for unit in shown),
            number(median(of[MICROSECONDS].values)),
        )
        for n_topics, by_name in by_topics.items()
        for name, of in by_name.items()
    ]
    wide = (f"{unit}: worst / mean / best" for unit in (IN_USE, *shown))
    first, *others = wide
    heading = ("K", "learner", "runs", first, "law", *others, MICROSECONDS)
    return Table(title_of(corpus), heading, rows)


def law(in_use: Row, n_topics: int) -> str:
    """Write whether the law of topics in use holds in every run, or in how many it does not."""
    n_bad, n_runs = n_broken(in_use, n_topics), len(in_use.values)
    return f"no ({n_bad} of {n_runs})" if n_bad else "yes"


def three(values: Sequence[float], *, digits: int) -> str:
    """Write the worst, the mean and the best; one number if all are the same run."""
    if len(values) == 1:
        return f"{values[0]:.{digits}f}"
    mean = f"{fmean(values):.{max(1, digits)}f}"
    return f"{min(values):.{digits}f} / {mean} / {max(values):.{digits}f}"


def title_of(corpus: str) -> str:
    """Write the name of a corpus."""
    return corpus.replace("_", " ")
