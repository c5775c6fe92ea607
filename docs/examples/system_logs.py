"""Cluster log lines of 16 systems online, as text and as events: print a report, draw a figure.

SPECTRALLEADER_DATA=... python -m docs.examples.system_logs [FOLDER FOR THE FIGURE]
"""

import gzip
import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from spectralleader import TextTopics, Tokens
from spectralleader.evaluation.metrics import mutual_information, table_accuracy
from study.sources.corpora import find_files, why_missing

N_SYSTEMS, BLOCK, LINES = 16, 100, 10  # log lines per document of events


def read_lines():
    """Return the log lines in order."""
    found = find_files("system_logs")
    if found is None:
        sys.exit(why_missing("system_logs"))
    opened = gzip.open if found[0].suffix == ".gz" else open
    with opened(found[0], "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def by_text(lines):
    """Return the message of each line, and its system."""
    return [line["text"] for line in lines], [line["label"] for line in lines]


def by_events(lines):
    """Return the events of ten consecutive lines, and the most frequent system among them."""
    groups = [lines[start : start + LINES] for start in range(0, len(lines), LINES)]
    documents = [[line["event"] for line in group] for group in groups]
    labels = [Counter(line["label"] for line in group).most_common(1)[0][0] for group in groups]
    return documents, labels


def learn(documents, labels, words):
    """Predict every block, then learn it; return topics, predictions and vocabulary sizes."""
    topics, predictions, n_words = TextTopics(N_SYSTEMS, words=words, block_size=BLOCK), [], []
    for start in range(0, len(documents), BLOCK):
        block = documents[start : start + BLOCK]
        predicted = topics.posterior(block).argmax(axis=1).tolist()
        predictions += zip(predicted, labels[start : start + BLOCK], strict=True)
        topics.learn(block)
        n_words.append(topics.vocabulary.n_words)
    return topics, predictions, n_words


def agreement(predictions):
    """Return the accuracy under the best matching of topics to systems, and the NMI."""
    names = {label: i for i, label in enumerate(sorted({label for _, label in predictions}))}
    table = np.zeros((N_SYSTEMS, len(names)), np.int64)
    for topic, label in predictions:
        table[topic, names[label]] += 1
    return table_accuracy(table), mutual_information(table)


def main(folder):
    """Learn three representations of the lines, report, draw."""
    lines, curves = read_lines(), {}
    representations = {
        "words": (by_text, None),
        "tokens, split at whitespace": (by_text, Tokens(split="whitespace")),
        "events of ten lines": (by_events, Tokens()),
    }
    print(f"{len(lines):,} lines; predictions before learning, second half of the stream")
    for name, (read, words) in representations.items():
        documents, labels = read(lines)
        topics, predictions, n_words = learn(documents, labels, words)
        accuracy, nmi = agreement(predictions[len(predictions) // 2 :])
        print(f"  {name:28} {n_words[-1]:6,} tokens, accuracy {accuracy:.2f}, NMI {nmi:.2f}")
        curves[name] = np.array(n_words)
    for k, words in enumerate(topics.top_words(3)[:4]):  # of the events
        print(f"topic {k + 1}  {topics.model.weights[k]:.2f}  {' '.join(words)}")
    draw(curves, len(lines), folder / "logs.svg")


def draw(curves, n_lines, path):
    """Draw the growth of the vocabulary."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "spectralleader"  # the same figure, the same bytes
    figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
    for name, curve in curves.items():
        axes.plot(n_lines * np.arange(1, len(curve) + 1) / len(curve), curve, label=name)
    axes.set(xlabel="lines learned", ylabel="tokens in the vocabulary", yscale="log")
    axes.legend()
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
