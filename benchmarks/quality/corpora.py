"""The corpora of the table of quality, and how their files are read."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.stream import data_folder
from spectralleader.sources import read
from study.sources.corpora import DEVELOPMENT, TEST, cache_folder
from study.sources.synthetic import random_problem

BLOCK = 1000  # texts read at once
MADE = "synthetic"  # where the file of a corpus would be named
N_MADE_TOPICS, N_MADE_WORDS, MADE_LENGTH = 3, 50, 8
TRAINING = "train "  # how a line of a session begins; those for testing repeat parts of sessions


class Texts(NamedTuple):
    """The documents of a corpus in the given order."""

    texts: list[Any]  # strings, or lists of tokens
    labels: NDArray[Any] | None  # one per text; None if the corpus has none


@dataclass(frozen=True)
class Corpus:
    """A corpus: its file, what its documents are and what its labels mean."""

    name: str
    file: str  # in the data folder or the cache; MADE for synthetic documents
    role: str  # constants are only chosen on development corpora
    what: str
    label: str = ""  # what the labels are; "" if there are none that are topics
    tokens: bool = False  # documents are sessions of items instead of texts
    how: str = ""  # how to obtain it, if there is a command for that

    @property
    def path(self) -> Path | None:
        """The file of the corpus, if it is here."""
        places = (data_folder() / self.file, cache_folder() / self.file)
        return next((path for path in places if path.is_file()), None)

    def why_missing(self) -> str:
        """Return why the corpus cannot be read, without naming folders; "" if it can."""
        if self.file == MADE or self.path is not None:
            return ""
        return f"{self.file} is missing" + (f"; to obtain it: {self.how}" if self.how else "")

    def load(self, most: int) -> Texts:
        """Return the first documents in the given order, at most so many."""
        path = self.path
        if path is None:
            return make_texts(most, tokens=self.tokens)
        if self.tokens:
            return Texts(list(islice(sessions(path), most)), None)
        label = "label" if self.label else ""
        with read(path, text="text", time="", label=label, tokens="", block=BLOCK) as reader:
            blocks = list(islice(reader, -(-most // BLOCK)))
        texts = [text for block in blocks for text in block.texts][:most]
        labels = [label for block in blocks for label in block.labels or ()][:most]
        return Texts(texts, np.array(labels) if self.label else None)


def sessions(path: Path) -> Iterator[list[str]]:
    """Yield the items of each session."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith(TRAINING):
                yield line.split()[1:]


def make_texts(n_docs: int, *, tokens: bool) -> Texts:
    """Return documents from three known topics, for the smoke run."""
    problem = random_problem(N_MADE_TOPICS, N_MADE_WORDS, lengths=MADE_LENGTH)
    block = next(problem.blocks(block_size=n_docs, n_steps=1))
    items = [
        [f"word{word}" for word, count in bag for _ in range(count)]
        for bag in block.documents.to_bow()
    ]
    return Texts(items, None) if tokens else Texts([" ".join(one) for one in items], block.labels)


CORPORA = (
    Corpus("news_headlines", "news_headlines.csv.gz", TEST, "headlines and blurbs", "sections"),
    Corpus("newsgroups", "newsgroups.csv.gz", TEST, "Usenet posts", "groups"),
    Corpus("system_logs", "system_logs.jsonl.gz", TEST, "log lines, in bursts", "systems"),
    Corpus(
        "stackoverflow_titles",
        "stackoverflow_titles.csv.gz",
        DEVELOPMENT,
        "titles of questions; the given order is not time",
        "tags",
    ),
    Corpus("streamclust_news", "streamclust_news.csv.gz", DEVELOPMENT, "titles of news", "stories"),
    Corpus(
        "streamclust_news_t",
        "streamclust_news_t.csv.gz",
        DEVELOPMENT,
        "the same titles; stories appear and vanish",
        "stories",
    ),
    Corpus("election_tweets", "election_tweets.csv.gz", DEVELOPMENT, "tweets of the US Congress"),
    Corpus(
        "health_tweets",
        "health_tweets.csv.gz",
        DEVELOPMENT,
        "tweets of health news",
        how="python -m study corpora get health_tweets",
    ),
    Corpus("hdfs_2percent", "hdfs_2percent.csv.gz", TEST, "log lines of one system"),
    Corpus(
        "sessions_diginetica",
        "sessions_diginetica.txt.gz",
        DEVELOPMENT,
        "sessions of items",
        tokens=True,
    ),
    Corpus("sessions_tmall", "sessions_tmall.txt.gz", TEST, "sessions of items", tokens=True),
)
MADE_CORPORA = (
    Corpus("synthetic_texts", MADE, DEVELOPMENT, "texts from three topics", "topics"),
    Corpus("synthetic_sessions", MADE, DEVELOPMENT, "the same as sessions", tokens=True),
)
