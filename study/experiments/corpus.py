"""Corpora as sources of scenarios: documents in order of time, with a theta* of their own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from spectralleader.documents import Documents
from spectralleader.learners import SpectralMethod
from spectralleader.models import TopicModel
from spectralleader.sources import Block
from spectralleader.sources.files import Reader, read
from study.experiments.keys import check_choice, check_count, check_keys
from study.sources.corpora import CORPORA, open_corpus
from study.sources.counted import BLOCK, count_reader

COLUMNS = ("text", "time", "label")  # keys that name the columns of a corpus file
REQUIRED = ("corpus", "n_words", "n_topics")
OPTIONAL = ("min_words", "n_docs")
KEPT = 4  # corpora cached per process, as scenarios and trials share them


def check_corpus(stream: Mapping[str, Any], where: str) -> None:
    """Raise for an invalid [stream] table of a corpus."""
    check_keys(stream, where, required=REQUIRED, known=OPTIONAL)
    if isinstance(stream["corpus"], Mapping):
        check_file(stream["corpus"], f"{where}: corpus")
    else:
        check_choice(stream["corpus"], "corpus", where, CORPORA)
    for key in stream:
        if key != "corpus":
            check_count(stream[key], key, where)


def check_file(corpus: Mapping[str, Any], where: str) -> None:
    """Raise for an invalid table of a corpus file."""
    check_keys(corpus, where, required=["file"], known=COLUMNS)
    for key, value in corpus.items():
        names = value if isinstance(value, list) and key == "text" else [value]
        if not names or not all(isinstance(name, str) and name for name in names):
            raise ValueError(f"{where}: {key} must be a name, got {value!r}")


def locate_file(corpus: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the table of a corpus file with its absolute path and a digest of its content.

    The digest is part of a run's fingerprint, so that a changed file is run again.
    """
    path = (folder / corpus["file"]).absolute()
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {**corpus, "file": str(path), "sha256": digest}


@dataclass(frozen=True)
class CorpusSource:
    """Documents in order of time, the same for every seed, with the theta* of all of them."""

    name: str
    documents: Documents
    truth: TopicModel
    statics: dict[str, TopicModel] = field(default_factory=dict)  # cache of `best_static`

    @classmethod
    def open(cls, stream: Mapping[str, Any], data: Path | None) -> CorpusSource:
        """Return the source of a [stream] table, cached per process."""
        return _open(json.dumps(stream), data)

    def blocks(self, *, block_size: int, n_steps: int, seed: int) -> Iterator[Block]:
        """Yield the first n_steps blocks."""
        if (n_docs := block_size * n_steps) > self.documents.n_docs:
            raise ValueError(
                f"the corpus {self.name!r} has {self.documents.n_docs} documents with enough "
                f"words, but {n_steps} blocks of {block_size} need {n_docs}; use fewer steps"
            )
        blocks = islice(self.documents.blocks(block_size), n_steps)
        return (Block(documents) for documents in blocks)


@lru_cache(maxsize=KEPT)
def _open(described: str, data: Path | None) -> CorpusSource:
    stream = json.loads(described)
    sizes = {key: stream[key] for key in ("n_words", *OPTIONAL) if key in stream}
    name, reader = _read(stream["corpus"], data)
    with reader:
        documents = count_reader(reader, **sizes).documents
    # On real text, theta* is the offline spectral method's model of all documents, as in section 7
    # of the paper.
    method = SpectralMethod(stream["n_topics"], n_words=documents.n_words, seed=0)
    return CorpusSource(name, documents, method.fit(documents).model)


def _read(corpus: str | Mapping[str, Any], data: Path | None) -> tuple[str, Reader]:
    """Return the name, for messages, and the reader of a corpus or of a corpus file."""
    if isinstance(corpus, str):
        return corpus, open_corpus(corpus, data, block=BLOCK)
    columns: dict[str, Any] = {key: corpus.get(key) for key in COLUMNS}  # None: guessed
    # Documents are sorted if the scenario names the time column.
    return corpus["file"], read(corpus["file"], **columns, block=BLOCK, sort="time" in corpus)
