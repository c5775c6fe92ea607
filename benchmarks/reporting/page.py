"""The page docs/performance.md, written from the results."""

from __future__ import annotations

import os
from pathlib import Path

from benchmarks.reporting.tables import Table, tables
from benchmarks.rows import Results

HEAD = """# Performance

This page is written by `make bench ARGS="--write-docs"`. One run measures ours and the peers on the
same counts, on one thread, in turn, round after round; a number is the median over rounds, with
the least and the most beside it; a ratio is taken within a round, against the peer or setting with
the least median. K = 5 topics.
"""

PEERS = """
## How each is used

- **SpectralLeader** gets blocks of documents and a reservoir of 10,000; **HedgedLeader** gets
  blocks of documents, and has nothing set. «Ours» in the tables is SpectralLeader.
- **scikit-learn** gets sparse blocks of floats: `LatentDirichletAllocation.partial_fit` with
  `total_samples` set; `MiniBatchNMF.partial_fit` with the Kullback-Leibler loss, which is the
  likelihood of a topic model, and with its default, the squared loss, which is cheaper and is not.
- **gensim** gets lists of (word, count): `LdaModel.update` with `chunksize` the block and without
  its perplexity estimate, which would double the time.
- **river** learns document by document, `learn_one`.
- **Vowpal Wabbit** reads ids from a file, in a process of its own; the same command over one
  document is its start-up and is subtracted. Its package from PyPI always parses in a second
  thread: an advantage where a second core is idle, and where none is its times are too long. A
  minibatch of 1000 crashes in version 9.11.9.
- **CountVectorizer.transform** turns the same texts into the same counts: what any pipeline pays
  before it learns. Our **Vectoriser** does the same (that the counts are equal is checked first),
  and with a growing vocabulary counts every word. HashingVectorizer, which cannot say what a word
  was, is there for information.
- **The adapters** get what their library's users have: sparse blocks of counts for scikit-learn's
  `partial_fit`, dictionaries for river's `learn_one`, one document at a time and words numbered as
  they come. The learner alone gets documents that are ready; the lines between say what converting
  alone costs, by plain code around the learner.
- **First use** is in CPU seconds of all processes, and in seconds waiting: a command on 1,000
  made-up lines and a call on 100 texts, with an empty cache of kernels (one run) and with a full
  one (the best of three).
- **Algorithm1** is the paper's algorithm line by line in NumPy, rebuilt at every step from the
  same full reservoir.

What a contender needs its input to be is made before the clock starts, for all of them; only Vowpal
Wabbit parses. Slow ones learn fewer documents, as the tables say. The long run is the stream ten
times over. In the growth of the reservoir the stream is ten times the reservoir, so that the same
share of it is remembered; in that of topics it is as long as the reservoir. Over a hundredfold,
«flat» is a factor of at most 1.25 and «nearly flat» one of at most 2.
"""


def page(results: Results, figures: list[Path], folder: Path) -> str:
    """Return the page, with figures as links from the folder that it is to be in."""
    parts = [HEAD, f"Documents: {results.stream}.", ""]
    parts += [as_markdown(table) for table in tables(results)]
    for figure in figures:
        link = os.path.relpath(figure, folder)
        parts.append(f"![{figure.stem}: microseconds a document]({link})\n")
    parts += [PEERS, "## The machine\n"]
    parts += [f"- {name}: {value}" for name, value in results.machine.items()]
    parts += [f"- left out: {name} ({reason})" for name, reason in results.left_out.items()]
    parts.append(f"- the whole run took {results.seconds:.0f} s")
    return "\n".join(parts) + "\n"


def as_markdown(table: Table) -> str:
    """Return a table under its title."""
    rule = "|".join("---" for _ in table.heading)
    lines = [" | ".join(row) for row in (table.heading, *table.rows)]
    body = "\n".join(f"| {line} |" for line in lines[1:])
    return f"## {table.title}\n\n| {lines[0]} |\n|{rule}|\n{body}\n"
