"""Real text as a scenario's source: a corpus in order of time, judged against its own theta*."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from spectralleader.documents import Documents
from spectralleader.experiments.keys import check_choice, check_count, check_keys
from spectralleader.learners import SpectralMethod
from spectralleader.model import TopicModel
from spectralleader.streams import CORPORA, Block
from spectralleader.streams.counted import MIN_WORDS, count_corpus

REQUIRED = ("corpus", "n_words", "n_topics")
OPTIONAL = ("min_words", "n_docs")
KEPT = 4  # corpora that a process keeps counted: scenarios and trials share them


def check_corpus(stream: Mapping[str, Any], where: str) -> None:
    """Raise for a [stream] table of a corpus that is not right."""
    check_keys(stream, where, required=REQUIRED, known=OPTIONAL)
    check_choice(stream["corpus"], "corpus", where, CORPORA)
    for key in stream:
        if key != "corpus":
            check_count(stream[key], key, where)


@dataclass(frozen=True)
class CorpusSource:
    """Documents in order of time, the same for every seed, and theta* of them all."""

    name: str
    documents: Documents
    truth: TopicModel

    @classmethod
    def open(cls, stream: Mapping[str, Any], data: Path | None) -> CorpusSource:
        """Read and count what a [stream] table describes; once in a process."""
        return _open(
            stream["corpus"],
            data,
            stream["n_topics"],
            stream["n_words"],
            stream.get("min_words", MIN_WORDS),
            stream.get("n_docs"),
        )

    def blocks(self, *, block_size: int, n_steps: int, seed: int) -> Iterator[Block]:
        """Yield the first n_steps blocks."""
        if (n_docs := block_size * n_steps) > self.documents.n_docs:
            raise ValueError(
                f"the corpus {self.name!r} has {self.documents.n_docs} documents of enough words, "
                f"{n_steps} blocks of {block_size} need {n_docs}; ask for fewer steps"
            )
        blocks = islice(self.documents.blocks(block_size), n_steps)
        return (Block(documents) for documents in blocks)


@lru_cache(maxsize=KEPT)
def _open(
    name: str, data: Path | None, n_topics: int, n_words: int, min_words: int, n_docs: int | None
) -> CorpusSource:
    documents = count_corpus(
        name, data, n_words=n_words, min_words=min_words, n_docs=n_docs
    ).documents
    # theta* on real text: the offline spectral method on all documents, as in the paper
    method = SpectralMethod(n_topics, n_words=documents.n_words, seed=0)
    return CorpusSource(name, documents, method.fit(documents).model)
