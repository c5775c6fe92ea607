"""The streams of scenarios: documents of a synthetic problem or of a corpus, with a theta*."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import msgspec

from spectralleader.documents import Documents
from spectralleader.learners import SpectralMethod
from spectralleader.models import TopicModel
from spectralleader.sources import read
from study.judging import Block
from study.sources import corpora, synthetic
from study.sources.counted import BLOCK, count_reader

Count = Annotated[int, msgspec.Meta(ge=1)]
Column = Annotated[str, msgspec.Meta(min_length=1)]

KNOWN_PROBLEMS = synthetic.PROBLEMS | synthetic.REGRET_PROBLEMS
RANDOM = ("random", "replaced")  # "replaced": halfway, by topics of the next seed
KEPT = 4  # corpora cached per process, as scenarios and trials share them


class CorpusFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A corpus file of the user; columns that are not named are guessed."""

    file: Column
    text: Column | tuple[Column, ...] | None = None
    time: Column | None = None
    label: Column | None = None
    sha256: str = ""  # of its content, filled in by `locate`


class CorpusStream(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A [stream] table of real text."""

    corpus: str | CorpusFile
    n_words: Count
    n_topics: Count
    min_words: Count = 3  # shorter documents have no triple
    n_docs: Count | None = None


class ProblemStream(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A [stream] table of a known problem."""

    problem: str


class RandomStream(ProblemStream, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A [stream] table of a random problem, see `random_problem`."""

    n_topics: Count
    n_words: Count
    weights: tuple[float, ...] | None = None
    concentration: float = 0.1
    lengths: Count | dict[int, float] = 3
    seed: int = 0


def parse_stream(stream: Mapping[str, Any]) -> CorpusStream | ProblemStream:
    """Return a [stream] table, checked."""
    # Chosen by hand: msgspec tells structures apart only by a tag, which the files do not have.
    kind: type[CorpusStream | ProblemStream] = ProblemStream
    if "corpus" in stream:
        kind = CorpusStream
    elif stream.get("problem") in RANDOM:
        kind = RandomStream
    try:
        # The keys of `lengths` are integers, and those of a TOML table are strings.
        return msgspec.convert(stream, kind, str_keys=True)
    except msgspec.ValidationError as error:
        raise ValueError(f"[stream]: {error}") from error


def locate(stream: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return a [stream] table with the absolute path of its corpus file and a digest of it.

    The digest is part of a run's fingerprint, so that a changed file is run again.
    """
    corpus = stream.get("corpus")
    if not isinstance(corpus, dict):
        return stream
    path = (folder / corpus["file"]).absolute()
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {**stream, "corpus": {**corpus, "file": str(path), "sha256": digest}}


def portable(stream: dict[str, Any]) -> dict[str, Any]:
    """Return a [stream] table without the folder of its corpus file, for fingerprints."""
    corpus = stream.get("corpus")
    if not isinstance(corpus, dict):
        return stream
    return {**stream, "corpus": {**corpus, "file": Path(corpus["file"]).name}}


def why_missing(stream: Mapping[str, Any], data: Path | None) -> str | None:
    """Return why a stream is not available, or None if it is."""
    corpus = stream.get("corpus")  # a file of the user was found when the scenario was loaded
    return corpora.why_missing(corpus, data) if isinstance(corpus, str) else None


@dataclasses.dataclass(frozen=True)
class CorpusSource:
    """Documents in order of time, the same for every seed, with the theta* of all of them."""

    name: str
    documents: Documents
    truth: TopicModel
    statics: dict[str, TopicModel] = dataclasses.field(default_factory=dict)  # best static models

    def blocks(self, *, block_size: int, n_steps: int, seed: int) -> Iterator[Block]:
        """Yield the first n_steps blocks."""
        if (n_docs := block_size * n_steps) > self.documents.n_docs:
            raise ValueError(
                f"the corpus {self.name!r} has {self.documents.n_docs} documents with enough "
                f"words, but {n_steps} blocks of {block_size} need {n_docs}; use fewer steps"
            )
        return map(Block, islice(self.documents.blocks(block_size), n_steps))


# Blocks of documents, and the model to compare with: theta*.
Source = synthetic.Problem | synthetic.Replaced | CorpusSource


def open_source(stream: Mapping[str, Any], data: Path | None = None) -> Source:
    """Return the source that a [stream] table describes."""
    table = parse_stream(stream)
    if isinstance(table, CorpusStream):
        return open_counted(table, data)
    problem = make_problem(table)
    if isinstance(table, RandomStream) and table.problem == "replaced":
        later = msgspec.structs.replace(table, seed=table.seed + 1)
        return synthetic.Replaced(problem, make_problem(later))
    return problem


def stand_in(stream: Mapping[str, Any]) -> TopicModel:
    """Return a model of the size of the stream's truth, without reading a corpus."""
    table = parse_stream(stream)
    if isinstance(table, CorpusStream):
        return TopicModel.uniform(table.n_topics, table.n_words)
    return make_problem(table).truth


def make_problem(stream: ProblemStream) -> synthetic.Problem:
    """Return the synthetic problem of a [stream] table; for "replaced", the first one."""
    parameters = msgspec.structs.asdict(stream)
    name = parameters.pop("problem")
    if name not in (*KNOWN_PROBLEMS, *RANDOM):
        known = ", ".join([*KNOWN_PROBLEMS, *RANDOM])
        raise ValueError(f"problem must be one of {known}, got {name!r}")
    make = synthetic.random_problem if name in RANDOM else KNOWN_PROBLEMS[name]
    return make(**parameters)


@lru_cache(maxsize=KEPT)
def open_counted(stream: CorpusStream, data: Path | None) -> CorpusSource:
    """Return the source of a corpus, with the offline spectral method's model as its theta*."""
    if isinstance(corpus := stream.corpus, str):
        name, reader = corpus, corpora.open_corpus(corpus, data, block=BLOCK)
    else:
        # Documents are sorted if the scenario names the time column.
        columns: dict[str, Any] = {"text": corpus.text, "time": corpus.time, "label": corpus.label}
        sort = corpus.time is not None
        name, reader = corpus.file, read(corpus.file, **columns, block=BLOCK, sort=sort)
    sizes = {"n_words": stream.n_words, "min_words": stream.min_words}
    with reader:
        documents = count_reader(reader, **sizes, n_docs=stream.n_docs).documents
    # Real text has no truth: as in section 7 of the paper, the offline method stands for it.
    method = SpectralMethod(stream.n_topics, n_words=documents.n_words, seed=0)
    return CorpusSource(name, documents, method.fit(documents).model)
