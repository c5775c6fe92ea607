"""The benchmark of the field of short text streams: topics of labelled texts in stream order.

    python -m benchmarks.streams FILE [FILE ...] [--topics 170] [--parts 16] [--seeds 3]

A file is a CSV, which may be compressed, with the columns `label` and `text` in stream order.
`TextTopics` learns it once with its defaults. Its topics are compared with the labels in two ways:
every text gets a topic from the final model; and every text gets one from the model right after its
part of the stream was learned. Agreement is NMI, normalised by the root of the entropies, over all
texts together.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import threads

threads.use_one()  # before NumPy is imported

import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from benchmarks.quality.measures import count_in_use, nmi_sqrt  # noqa: E402
from benchmarks.rows import Row  # noqa: E402
from benchmarks.timing import seconds_of  # noqa: E402
from spectralleader import TextTopics  # noqa: E402
from spectralleader.arrays import Ints  # noqa: E402
from spectralleader.sources import read  # noqa: E402

N_TOPICS, N_PARTS, N_SEEDS = 170, 16, 3
PREFIX = "streams: "
OURS = "TextTopics, growing"
UNITS = AT_END, AS_LEARNED, IN_USE, SECONDS = (
    "NMI at the end",
    "NMI as learned",
    "topics in use",
    "seconds",
)


class Settings(NamedTuple):
    """How a stream is learned."""

    n_topics: int = N_TOPICS
    n_parts: int = N_PARTS
    n_seeds: int = N_SEEDS


def load(path: Path) -> tuple[list[str], NDArray[Any]]:
    """Return texts and labels of a CSV file, in stream order.

    Raises `ValueError` if the file cannot be read, lacks a column, or has a text without a label.
    """
    with read(path, format="csv", text="text", label="label", time="", tokens="", empty=True) as it:
        blocks = list(it)
    texts = [text for block in blocks for text in block.texts]
    labels = [label for block in blocks for label in block.labels or ()]
    if not_labelled := sum(not label for label in labels):
        raise ValueError(
            f"{path.name}: {not_labelled:,} of {len(texts):,} texts have no label; "
            "remove these rows or label them"
        )
    return texts, np.array(labels)


def measure(
    path: Path, settings: Settings, advance: Callable[[], object] = lambda: None
) -> list[Row]:
    """Return one row a unit, with one value a seed."""
    texts, labels = load(path)
    if not texts:
        raise ValueError(f"{path.name} has no rows below its header")
    if len(texts) < settings.n_parts:
        raise ValueError(
            f"{path.name}: {len(texts):,} texts cannot be cut into {settings.n_parts} parts; "
            "use fewer --parts"
        )
    found = []
    for seed in range(settings.n_seeds):
        found.append(learn(texts, labels, settings, seed))
        advance()
    name = path.name.split(".")[0]
    section = f"{PREFIX}{name}, K = {settings.n_topics}, {settings.n_parts} parts"
    return [
        Row(section, OURS, values, len(texts), unit)
        for unit, values in zip(UNITS, zip(*found, strict=True), strict=True)
    ]


def learn(
    texts: list[str], labels: NDArray[Any], settings: Settings, seed: int
) -> tuple[float, float, float, float]:
    """Learn a stream part by part; return a value for each unit."""
    topics = TextTopics(settings.n_topics, seed=seed)
    as_learned: list[Ints] = []
    seconds = 0.0
    ends = np.linspace(0, len(texts), settings.n_parts + 1).astype(np.int64)
    for start, end in pairwise(ends.tolist()):
        part = texts[start:end]
        seconds += seconds_of(partial(topics.learn, part))
        as_learned.append(topics.posterior(part).argmax(axis=1))
    at_end = topics.posterior(texts).argmax(axis=1)
    agreed = nmi_sqrt(at_end, labels), nmi_sqrt(np.concatenate(as_learned), labels)
    return *agreed, float(count_in_use(at_end, settings.n_topics)), seconds


def main(arguments: list[str]) -> int:
    """Measure the files and print a table of Markdown."""
    # imports every section of the benchmarks, which import this module
    from benchmarks.reporting.page import as_markdown
    from benchmarks.reporting.streams import stream_table

    parser = argparse.ArgumentParser(
        "python -m benchmarks.streams",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="CSV: label, text")
    parser.add_argument("--topics", type=int, default=N_TOPICS, help=f"topics ({N_TOPICS})")
    parser.add_argument("--parts", type=int, default=N_PARTS, help=f"equal parts ({N_PARTS})")
    parser.add_argument("--seeds", type=int, default=N_SEEDS, help=f"runs ({N_SEEDS})")
    options = parser.parse_args(arguments)
    for name in ("topics", "parts", "seeds"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} must be at least 1, got {getattr(options, name)}")
    settings = Settings(options.topics, options.parts, options.seeds)
    try:
        rows = [row for path in options.files for row in measure(path, settings)]
    except (OSError, ValueError) as error:
        sys.stderr.write(f"streams: {error}\n")
        return 1
    print(as_markdown(stream_table(rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
