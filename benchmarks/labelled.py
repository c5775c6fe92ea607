"""Documents that people have labelled: headlines by section, Usenet posts by group."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.stream import data_folder
from benchmarks.task import Task
from spectralleader import Documents
from study.sources.corpora import role_of, why_missing
from study.sources.counted import count_corpus
from study.sources.synthetic import random_problem

BLOCK_SIZE = 1000


@dataclass(frozen=True)
class Labelled:
    """A corpus, the words to keep and the topics to ask for."""

    corpus: str
    n_words: int
    n_topics: int

    @property
    def title(self) -> str:
        return f"{self.corpus} ({self.role}), {self.n_words:,} words, K = {self.n_topics}"

    @property
    def role(self) -> str:
        """Whether the documents are for development or for testing."""
        return role_of(None if self.corpus == MADE else self.corpus)

    def why_missing(self) -> str:
        """Return why the corpus is not here, without naming folders; nothing if it is."""
        if self.corpus == MADE or why_missing(self.corpus, data_folder()) is None:
            return ""
        return "the corpus is not here"

    def load(self, n_docs: int) -> tuple[Documents, np.ndarray]:
        """Return the first documents in time order, and their labels."""
        if self.corpus == MADE:
            return make_documents(n_docs, self.n_words, self.n_topics)
        counted = count_corpus(self.corpus, data_folder(), n_words=self.n_words, n_docs=n_docs)
        return counted.documents, np.array(counted.labels)


MADE = "synthetic documents"
LABELLED = (
    Labelled("news_headlines", 500, 5),
    Labelled("news_headlines", 5_000, 5),
    Labelled("newsgroups", 5_000, 20),
    Labelled("system_logs", 5_000, 16),
)
MORE = (  # more topics than labels, and a vocabulary too small for twenty groups
    Labelled("news_headlines", 500, 10),
    Labelled("news_headlines", 5_000, 10),
    Labelled("newsgroups", 500, 20),
)
QUICK = (Labelled(MADE, 50, 3),)


def make_documents(n_docs: int, n_words: int, n_topics: int) -> tuple[Documents, np.ndarray]:
    """Return documents of 8 words from known topics: for the smoke run."""
    problem = random_problem(n_topics, n_words, lengths=8)
    block = next(problem.blocks(block_size=n_docs, n_steps=1))
    return block.documents, block.labels


def task_of(documents: Documents, n_topics: int, reservoir_size: int, scratch: Path) -> Task:
    """Return what every contender is asked: one pass in blocks, the model read at the end."""
    return Task(
        documents=documents,
        texts=[],
        vectorizer=None,
        block_size=BLOCK_SIZE,
        reads=False,
        reservoir_size=reservoir_size,
        scratch=scratch,
        n_topics=n_topics,
    )
