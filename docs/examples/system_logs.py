"""Learn the log lines of 16 systems online, as text and as events: print figures and draw one.

SPECTRALLEADER_DATA=... python docs/examples/system_logs.py [FOLDER FOR THE FIGURE]
"""

import gzip
import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from spectralleader import TextTopics, Tokens
from spectralleader.evaluation.matching import mutual_information, table_accuracy
from spectralleader.sources.corpora import find_files, why_missing

N_SYSTEMS, BLOCK, LINES = 16, 100, 10  # lines together are one document of events


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
    """Return the events of ten lines after each other, and the system of most of them."""
    groups = [lines[start : start + LINES] for start in range(0, len(lines), LINES)]
    documents = [[line["event"] for line in group] for group in groups]
    labels = [Counter(line["label"] for line in group).most_common(1)[0][0] for group in groups]
    return documents, labels


def learn(documents, labels, words):
    """Predict every block, then learn it; return the topics, and topics met with labels."""
    topics, met, n_words = TextTopics(N_SYSTEMS, words=words, block_size=BLOCK), [], []
    for start in range(0, len(documents), BLOCK):
        block = documents[start : start + BLOCK]
        predicted = topics.posterior(block).argmax(axis=1).tolist()
        met += zip(predicted, labels[start : start + BLOCK], strict=True)
        topics.learn(block)
        n_words.append(topics.vocabulary.n_words)
    return topics, met, n_words


def agreement(met):
    """Return the accuracy of topics after the best matching to labels, and their NMI."""
    names = {label: i for i, label in enumerate(sorted({label for _, label in met}))}
    table = np.zeros((N_SYSTEMS, len(names)), np.int64)
    for topic, label in met:
        table[topic, names[label]] += 1
    return table_accuracy(table), mutual_information(table)


def main(folder):
    """Learn in both ways, report, draw."""
    lines, curves = read_lines(), {}
    ways = {
        "words of a line": (by_text, None),
        "tokens of a line, split at whitespace": (by_text, Tokens(split="whitespace")),
        "events of ten lines": (by_events, Tokens()),
    }
    print(f"{len(lines):,} lines; predicted before they are learned, second half:")
    for way, (read, words) in ways.items():
        documents, labels = read(lines)
        topics, met, n_words = learn(documents, labels, words)
        accuracy, nmi = agreement(met[len(met) // 2 :])
        print(f"  {way:38} {n_words[-1]:6,} tokens, accuracy {accuracy:.2f}, NMI {nmi:.2f}")
        curves[way] = np.array(n_words)
    for k, words in enumerate(topics.top_words(3)[:4]):  # those of events
        print(f"topic {k + 1}  {topics.model.weights[k]:.2f}  {' '.join(words)}")
    draw(curves, len(lines), folder / "logs.svg")


def draw(curves, n_lines, path):
    """Draw how many tokens are known as lines come in."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "spectralleader"  # the same figure, the same bytes
    figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
    for way, curve in curves.items():
        axes.plot(n_lines * np.arange(1, len(curve) + 1) / len(curve), curve, label=way)
    axes.set(xlabel="lines learned", ylabel="tokens known", yscale="log")
    axes.legend()
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
