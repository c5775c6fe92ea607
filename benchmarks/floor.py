"""How near `Unigram` is to the best fixed smoothing in hindsight: prints a table.

    SPECTRALLEADER_DATA=FOLDER python -m benchmarks.floor

Every block is predicted, then counted, as `spectralleader evaluate` does. The estimator was chosen
on election_tweets, health_tweets and synthetic streams; the other corpora are test streams, but a
first version was given up because of its loss on one of them. A corpus that is not in the
folder is skipped.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks.stream import data_folder
from spectralleader import Documents, GrowingVocabulary, Unigram, Vectoriser, Vocabulary, Words
from spectralleader.sources import read
from spectralleader.text.vectoriser import MAX_WORDS
from study.sources.corpora import find_files

CORPORA = ("election_tweets", "health_tweets", "news_headlines", "newsgroups", "system_logs")
SIZES = (1_000, 30_000)  # documents
BLOCK = 100
N_WORDS = 5_000  # most frequent words, if the vocabulary does not grow
FIXED = 2.0 ** np.arange(-14, 8, 0.5)  # finer and wider than the grid of `Unigram`
SHOWN = (1.0, 0.5)  # Laplace's rule and Krichevsky and Trofimov's
COLUMNS = (
    "corpus", "documents", "vocabulary", "best fixed delta", "its L1", "`Unigram`", "delta 1",
    "delta 1/2", "delta 1/d",
)  # fmt: skip


class Losses:
    """Total prequential losses of `Unigram`, of add-delta for every delta in FIXED, and of 1/d."""

    def __init__(self, n_words: int | None) -> None:
        self.learner = Unigram(1, n_words=n_words)
        self.counts = np.zeros(1 if n_words is None else n_words)
        self.ours, self.former, self.n_docs = 0.0, 0.0, 0
        self.fixed = np.zeros(len(FIXED))

    def step(self, block: Documents) -> None:
        self.learner.learn(Documents.empty(block.n_words))  # the new words, as `evaluate` does
        self.counts = np.pad(self.counts, (0, block.n_words - len(self.counts)))
        if self.counts.any():  # the first block is not judged
            self.judge(block)
        self.learner.learn(block)
        np.add.at(self.counts, block.words, block.counts)

    def judge(self, block: Documents) -> None:
        n, d, seen = self.counts.sum(), len(self.counts), self.counts[block.words]
        self.ours -= self.learner.model.log_prob(block).sum()
        log_probs = np.log((seen[:, None] + FIXED) / (n + d * FIXED))
        self.fixed -= block.counts @ log_probs
        self.former -= block.counts @ np.log((seen + 1 / d) / (n + 1))
        self.n_docs += block.n_docs

    def recode(self, new_ids: np.ndarray, n_words: int) -> None:
        self.learner.recode(new_ids, n_words)
        counts = np.zeros(n_words)
        counts[new_ids[new_ids >= 0]] = self.counts[new_ids >= 0]
        self.counts = counts

    def cells(self) -> list[str]:
        """Return the best fixed delta, its L1, and what each of the others loses to it."""
        best = self.fixed.argmin()
        shown = [self.fixed[delta == FIXED].item() for delta in SHOWN]
        lost = [loss - self.fixed[best] for loss in (self.ours, *shown, self.former)]
        told = [f"{FIXED[best]:.2g}", f"{self.fixed[best] / self.n_docs:.2f}"]
        return told + [f"{loss / self.n_docs:+.2f}" for loss in lost]


def judge_all(texts: list[str], *, grows: bool) -> Losses:
    words = Words(stop_words="english")
    vocabulary = (
        GrowingVocabulary(MAX_WORDS)
        if grows
        else Vocabulary.most_frequent(texts, N_WORDS, words=words)
    )
    vectoriser = Vectoriser(vocabulary, words)
    losses = Losses(None if grows else vocabulary.n_words)
    for start in range(0, len(texts), BLOCK):
        counted = vectoriser.count(texts[start : start + BLOCK])
        losses.step(counted[counted.lengths > 0])
        if (new_ids := vectoriser.settle()) is not None:
            losses.recode(new_ids, vocabulary.n_words)
    return losses


def find_corpus(name: str) -> Path | None:
    if name == "system_logs":  # log lines, which are not among the known corpora
        path = data_folder() / "system_logs.jsonl.gz"
        return path if path.is_file() else None
    found = find_files(name, data_folder()) or find_files(name)
    return None if found is None else found[0]


def rows() -> Iterator[list[str]]:
    for name in CORPORA:
        path = find_corpus(name)
        if path is None:
            sys.stderr.write(f"{name} is not here\n")
            continue
        with read(path, text="text", time="", label="", block=1_000) as reader:
            texts = [text for block in islice(reader, SIZES[-1] // 1_000) for text in block.texts]
        for n_docs in SIZES:
            for grows in (False, True):
                losses = judge_all(texts[:n_docs], grows=grows)
                size = f"{'grows to ' if grows else ''}{len(losses.counts):,}"
                yield [name, f"{min(n_docs, len(texts)):,}", size, *losses.cells()]


def main() -> None:
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
    for row in rows():
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
