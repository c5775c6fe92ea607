"""Learning on an engine: Dask or Spark reads the files; the topics are returned."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from spectralleader import storage
from spectralleader.checks.paths import check_target
from spectralleader.engines.shared import MOST_FREQUENT, check_texts
from spectralleader.jobs.checkpointing import back_up
from spectralleader.jobs.options import (
    LearnOptions,
    Progress,
    Source,
    VocabularyRequest,
    parse_vocabulary,
)
from spectralleader.reading.snapshot import list_topics
from spectralleader.sources.files.columns import TEXT_NAMES, list_names
from spectralleader.sources.files.formats import ENDINGS, find_ending
from spectralleader.text.vocabulary import Vocabulary
from spectralleader.topics.text_topics import TextTopics

ENGINES = ("dask", "spark")
READABLE = ("parquet", "csv", "jsonl")
PACKAGES = {"dask": "s3fs, gcsfs or adlfs", "spark": "hadoop-aws (for s3a://)"}
N_POLISH = 10  # default number of EM passes after the spectral method


@dataclass(frozen=True)
class EngineResult:
    """The result of learning on an engine."""

    engine: str
    topics: TextTopics
    seconds: float
    saved: Path | None
    backup: Path | None = None  # backup of the file that existed before

    @property
    def is_useful(self) -> bool:
        """Whether anything was learned: at least one document had a known word."""
        return self.topics.n_docs > self.topics.n_empty

    def summary(self, n_words: int = 10) -> dict[str, Any]:
        """Return everything as plain values, for JSON; topics count from 1."""
        return {
            "engine": self.engine,
            "documents": self.topics.n_docs,
            "documents_without_known_words": self.topics.n_empty,
            "seconds": self.seconds,
            "vocabulary": {"words": self.topics.vocabulary.n_words, "grows": False},
            "topics": list_topics(self.topics.at(), n_words),
            "saved": None if self.saved is None else str(self.saved),
            "backup": None if self.backup is None else str(self.backup),
        }


def learn_on_engine(
    engine: str,
    files: Sequence[str],
    *,
    address: str | None = None,
    n_polish: int = N_POLISH,
    text: Sequence[str] | None = None,
    format: str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> EngineResult:
    """Learn topics on an engine from files, or folders of files, in Parquet, CSV or JSON lines.

    Parameters
    ----------
    engine : str
        "dask" or "spark".
    files : sequence of str
        Files and folders of one format that every worker can access, or URLs such as
        s3://bucket/folder, which are passed to the engine.
    address : str, optional
        Address of Dask's scheduler or Spark's master. Defaults to this machine.
    n_polish : int
        EM passes after the spectral method.
    **options
        Those of `LearnOptions` for the topics, the vocabulary (a number or a file of words), the
        words and the seed; and `save`, whose file must not exist unless `fresh` renames it to a
        backup: engines cannot resume.
    """
    began = perf_counter()
    if engine not in ENGINES:
        raise ValueError(f"unknown engine {engine!r}; choose one of {', '.join(ENGINES)}")
    settings = LearnOptions(Source(()), **options)
    save, is_fresh = settings.save, settings.fresh
    if save is not None and check_target(save, files).exists() and not is_fresh:
        raise ValueError(
            f"{save} already exists, and an engine cannot resume from it: name another file, or "
            "start over with --fresh, which keeps it as a backup"
        )
    paths, kind = list_files(files, format)
    learn = _learn_on_dask if engine == "dask" else _learn_on_spark
    topics = learn(
        paths,
        kind,
        text,
        address,
        n_topics=settings.n_topics,
        vocabulary=choose_vocabulary(settings.vocabulary),
        words=settings.words,
        progress=(progress or Progress()).passed,
        seed=settings.seed,
        n_polish=n_polish,
    )
    saved = backup = None
    # Renamed only now, so that a failure on the cluster leaves the previous model where it is.
    if save is not None:
        backup = back_up(Path(save))
        saved = storage.save(topics, save)
    return EngineResult(engine, topics, perf_counter() - began, saved, backup)


def list_files(files: Sequence[str], format: str | None) -> tuple[list[str], str]:
    """Return all files, including those in folders, and their common format."""
    paths = []
    for name in files:
        if is_address(name):
            paths.append(name)
            continue
        folder = Path(name)
        found = sorted(folder.rglob("*")) if folder.is_dir() else [folder]
        # Engines leave markers beside their parts, such as _SUCCESS, and hidden checksums.
        paths += [str(path) for path in found if path.is_file() and path.name[0] not in "._"]
    if "-" in files:
        raise ValueError("engines read files and folders, not standard input")
    kinds = {format} if format is not None and paths else {find_kind(path) for path in paths}
    if len(kinds) != 1 or not kinds <= set(READABLE):
        raise ValueError(
            f"engines read files of one format, one of {', '.join(READABLE)}, but found "
            f"{', '.join(sorted(kinds)) or 'no files'}: name the files, or set --format"
        )
    return paths, kinds.pop()


def is_address(name: str) -> bool:
    """Return whether a file is a URL for the engine: s3://, hdfs://, ..."""
    return "://" in name


def find_kind(path: str) -> str:
    """Return the format of a file by its extension; an unknown extension is returned as is."""
    ending = find_ending(path) or "no ending"
    return ENDINGS.get(ending, ending)


def choose_vocabulary(request: VocabularyRequest) -> int | Vocabulary:
    """Return the size of the vocabulary, or the vocabulary in a file."""
    wish = MOST_FREQUENT if request is None else parse_vocabulary(request)
    if isinstance(wish, str):
        raise ValueError(
            f"on an engine, the vocabulary must be a number or a file of words, got {request!r}"
        )
    return wish


def choose_text(text: Sequence[str] | None, names: Sequence[str]) -> list[str]:
    """Return the text columns: those named, else the first with a known name."""
    lower = {name.lower(): name for name in reversed(names)}
    wanted = list(text) if text else [lower[name] for name in TEXT_NAMES if name in lower][:1]
    if not wanted or not set(wanted) <= set(names):
        missing = f"no column {wanted}" if wanted else "no obvious text column"
        raise ValueError(f"there is {missing}; name one of {list_names(names)} with --text")
    return wanted


def _learn_on_dask(
    paths: list[str], kind: str, text: Sequence[str] | None, address: str | None, **options: Any
) -> TextTopics:
    from spectralleader.engines.dask import connected, learn_texts

    import dask.dataframe as dd  # isort: skip

    # A quoted CSV field may contain line ends, so files cannot be split: one part per file.
    readers = {
        "parquet": dd.read_parquet,
        "csv": lambda names: dd.read_csv(names, dtype=str, blocksize=None),
        "jsonl": lambda names: dd.read_json(names, lines=True, dtype=False),
    }
    with connected(address) as client:
        with _reading("dask", paths):
            frame = readers[kind](paths if kind == "parquet" else list(map(_in_folder, paths)))
        columns = choose_text(text, list(frame.columns))
        for name in columns:
            check_texts(name, str(frame[name].dtype))
        first, *others = [_as_strings(frame[name], name) for name in columns]
        joined = sum((" " + other for other in others), first)
        return learn_texts(joined, client=client, **options)


def _in_folder(path: str) -> str:
    """Return the pattern of all files in a remote folder; a file is returned unchanged."""
    last = path.rstrip("/").rsplit("/", 1)[-1]
    is_file = not is_address(path) or "." in last or "*" in last
    return path if is_file else path.rstrip("/") + "/*"


def _as_strings(column: Any, name: str) -> Any:
    """Return a Dask column as strings; missing values become empty, lists raise."""
    meta = (name, column.dtype)
    return column.map_partitions(_refuse_lists, name, meta=meta).fillna("").astype(str)


def _refuse_lists(part: Any, name: str) -> Any:
    # Converted to strings, a list of words would be learned with its brackets and quotes.
    for value in part:
        if isinstance(value, list | dict | np.ndarray):
            raise ValueError(f"column {name!r} holds {value!r:.40}, not text: join its words")
    return part


@contextmanager
def _reading(engine: str, paths: Sequence[str]) -> Iterator[None]:
    """Convert any error of a remote file system to a `ValueError` of one line."""
    try:
        yield
    except Exception as error:
        there = [path for path in paths if is_address(path)]
        if not there:
            raise
        lines = [line.strip(" :") for line in str(error).split("\n")]
        useful = [line for line in lines if line and "error occurred while calling" not in line]
        why = (useful or [repr(error)])[0].removeprefix("Original Message: ")
        raise ValueError(
            f"{engine} cannot read {there[0]}: {why} (its workers need the package of a file "
            f"system, such as {PACKAGES[engine]})"
        ) from error


def _learn_on_spark(
    paths: list[str], kind: str, text: Sequence[str] | None, address: str | None, **options: Any
) -> TextTopics:
    from spectralleader.engines.spark import learn_texts

    from pyspark.sql import functions as F  # isort: skip  # noqa: N812

    with _spark_session(address) as spark:
        reader = spark.read.option("header", "true").option("multiLine", str(kind == "csv").lower())
        # A quote within a field is doubled, as in most files; Spark expects a backslash.
        reader = reader.option("escape", '"')
        load = {"parquet": reader.parquet, "csv": reader.csv, "jsonl": reader.json}[kind]
        with _reading("spark", paths):
            frame = load(paths) if kind != "parquet" else load(*paths)
        columns = choose_text(text, frame.columns)
        for name in columns:
            check_texts(name, dict(frame.dtypes)[name])
        joined = F.concat_ws(" ", *[F.col(f"`{name}`").cast("string") for name in columns])
        return learn_texts(frame.select(joined.alias("text")), **options)


@contextmanager
def _spark_session(address: str | None) -> Iterator[Any]:
    """Yield the active session, or a new one that ends with the `with` block."""
    from pyspark.sql import SparkSession

    # A notebook's own session is used, and stays open.
    if (session := SparkSession.getActiveSession()) is not None:
        yield session
        return
    if address is None:  # by default, workers use the first python3 on the PATH
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("spectralleader")
    # Spark Connect has no master: the whole session is elsewhere.
    is_remote = address is not None and address.startswith("sc://")
    builder = builder.remote(address) if is_remote else builder.master(address or "local[*]")
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()
