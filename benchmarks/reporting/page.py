"""The page docs/performance.md, written from the results."""

from __future__ import annotations

import os
from pathlib import Path

from benchmarks.machine import in_words
from benchmarks.reporting.tables import Table, tables
from benchmarks.rows import Results

HEAD = """# Performance

This page is written by `make bench ARGS="--write-docs"`. One run measures this library and its
peers on the same counts, on one thread, alternating between them in every round. A number is the
median over rounds, with the minimum and the maximum. A ratio is taken within a round, against the
peer or setting with the lowest median. K = 5 topics unless stated. A block is a mini-batch.
"""

PEERS = """
## How each contender is used

- **SpectralLeader** learns blocks of documents with a reservoir of 10,000. **HedgedLeader** learns
  blocks of documents with its defaults. "Ours" in the tables is SpectralLeader.
- **scikit-learn** learns sparse blocks of floats: `LatentDirichletAllocation.partial_fit` with
  `total_samples` set, and `MiniBatchNMF.partial_fit` with the Kullback-Leibler loss, which is the
  likelihood of a topic model, and with its default, the cheaper squared loss, which is not.
- **gensim** learns lists of (word, count): `LdaModel.update` with `chunksize` equal to the block
  and without its perplexity estimate, which would double the time.
- **river** learns one document at a time with `learn_one`.
- **Vowpal Wabbit** reads ids from a file, in its own process. The time of the same command on one
  document is its start-up time and is subtracted. The PyPI package always parses in a second
  thread: an advantage if a second core is idle, a disadvantage otherwise. A minibatch of 1000
  crashes in version 9.11.9.
- **CountVectorizer.transform** converts the same texts to the same counts, a cost of every
  pipeline. Our **Vectoriser** does the same (the run first checks that the counts are equal); with
  a growing vocabulary it counts every word. HashingVectorizer, which does not store the words, is
  shown for reference.
- **The adapters** receive the input of their library's users: sparse blocks of counts for
  scikit-learn's `partial_fit`; dictionaries for river's `learn_one`, one document at a time, with
  words numbered in order of appearance. The learner alone receives converted documents; the rows in
  between show the cost of conversion by plain code around the learner.
- **First use** is measured in CPU seconds of all processes and in seconds of waiting: a command on
  1,000 synthetic lines and a call on 100 texts, with an empty kernel cache (one run) and with a
  full one (the best of three).
- **Algorithm1** is the paper's algorithm line by line in NumPy, recomputed at every step from the
  same full reservoir.

Input is converted before the clock starts, for all contenders; only Vowpal Wabbit parses. Slow
contenders learn fewer documents, as the tables show. The long run repeats the stream ten times. In
the growth of the reservoir the stream is ten times the reservoir, so that the same share of it is
remembered; in the growth of topics it is as long as the reservoir. Over a factor of 100 in size,
"flat" is a factor of at most 1.25 in time, and "nearly flat" of at most 2.
"""


def page(results: Results, figures: list[Path], folder: Path) -> str:
    """Return the page, with figures as links from the folder that it is to be in."""
    parts = [HEAD, f"Documents: {results.stream}.", ""]
    parts += [as_markdown(table) for table in tables(results)]
    for figure in figures:
        link = os.path.relpath(figure, folder)
        parts.append(f"![{figure.stem}: microseconds per document]({link})\n")
    parts += [PEERS, "## The machine\n"]
    parts.append(in_words(results.machine))
    parts += [f"- not measured: {name} ({reason})" for name, reason in results.left_out.items()]
    parts.append(f"- the whole run took {results.seconds:.0f} s")
    return "\n".join(parts) + "\n"


def as_markdown(table: Table) -> str:
    """Return a table under its title."""
    rule = "|".join("---" for _ in table.heading)
    lines = [" | ".join(row) for row in (table.heading, *table.rows)]
    body = "\n".join(f"| {line} |" for line in lines[1:])
    return f"## {table.title}\n\n| {lines[0]} |\n|{rule}|\n{body}\n"
