"""What a contender is asked to do: learn a stream in blocks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.sizes import N_TOPICS, SEED, Sizes
from benchmarks.stream import Stream
from spectralleader import Documents


@dataclass(frozen=True)
class Task:
    """A stream to learn from, block by block."""

    documents: Documents
    texts: list[str]
    vectorizer: CountVectorizer | None  # where there are texts
    block_size: int
    reads: bool  # the model after every block, or only at the end
    reservoir_size: int
    scratch: Path  # a folder for files that contenders read
    n_topics: int = N_TOPICS
    seed: int = SEED

    @property
    def n_docs(self) -> int:
        return self.documents.n_docs

    @property
    def n_words(self) -> int:
        return self.documents.n_words

    def head(self, n_docs: int | None) -> Task:
        """Return the same task over the first documents only."""
        return replace(self, documents=self.documents[:n_docs], texts=self.texts[:n_docs])

    def blocks(self) -> list[Documents]:
        """Return the documents block by block, in objects that no contender has used before."""
        return list(self.documents.blocks(self.block_size))

    def matrix(self) -> sp.csr_matrix:
        """Return the counts as SciPy users hold them: our own memory, floats, 32-bit indices."""
        words, counts = self.documents.words.copy(), self.documents.counts.copy()
        indptr = self.documents.indptr.astype(np.int32)
        return sp.csr_matrix((counts, words, indptr), shape=(self.n_docs, self.n_words))


@dataclass(frozen=True)
class Race:
    """A task that several contenders get, round by round."""

    name: str
    title: str
    block_size: int
    reads: bool
    is_long: bool = False  # the stream `n_copies` times over
    repeats: int = 1  # where everybody is quick, every round is run so many times

    def task(self, stream: Stream, sizes: Sizes, scratch: Path) -> Task:
        """Return what the contenders of this race are asked to do."""
        n_copies = sizes.n_copies if self.is_long else 1
        return Task(
            documents=Documents.concatenate([stream.documents] * n_copies),
            texts=stream.texts * n_copies,
            vectorizer=stream.vectorizer,
            block_size=self.block_size,
            reads=self.reads,
            reservoir_size=sizes.reservoir_size,
            scratch=scratch,
        )


TENS = Race("blocks of 10", "Blocks of 10, the model read after every block", 10, reads=True)
THOUSANDS = Race(
    "blocks of 1000", "Blocks of 1000, the model read after every block", 1000, reads=True
)
ALONE = Race(
    "learning alone", "Learning alone, the model read at the end", 1000, reads=False, repeats=3
)
LONG = Race(
    "long learning alone",
    "Learning alone over the stream ten times, the model read at the end",
    1000,
    reads=False,
    is_long=True,
)
RACES = (TENS, THOUSANDS, ALONE, LONG)
