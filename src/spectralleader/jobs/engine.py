"""Learning on an engine: Dask or Spark reads the files; the topics are returned."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from spectralleader import storage
from spectralleader.checks.paths import check_target
from spectralleader.engines.shared import MOST_FREQUENT, check_texts
from spectralleader.jobs.checkpointing import back_up
from spectralleader.jobs.learning import LearnedTopics
from spectralleader.jobs.options import LearnOptions, Progress, parse_vocabulary
from spectralleader.jobs.settings import VocabularyRequest
from spectralleader.sources.files.columns import TEXT_NAMES, list_names
from spectralleader.sources.files.formats import ENDINGS, find_ending
from spectralleader.text.vocabulary import Vocabulary
from spectralleader.topics.text_topics import TextTopics

LearnTexts = Callable[..., TextTopics]
READABLE = ("parquet", "csv", "jsonl")
PACKAGES = {"dask": "s3fs, gcsfs or adlfs", "spark": "hadoop-aws (for s3a://)"}
N_POLISH = 10  # EM passes after the spectral method


def learn_on_engine(
    engine: str,
    options: LearnOptions,
    address: str | None = None,
    progress: Progress | None = None,
) -> LearnedTopics:
    """Learn topics on an engine from files, or folders of files, in Parquet, CSV or JSON lines.

    Parameters
    ----------
    engine : str
        "dask" or "spark".
    options : LearnOptions
        Those for the topics, the vocabulary (a number or a file of words), the words and the seed
        have a meaning here; and `save`, whose file must not exist unless `fresh` renames it to a
        backup: engines cannot resume. Its source has files and folders of one format that every
        worker can access, or URLs such as s3://bucket/folder, which are passed to the engine.
    address : str, optional
        Address of Dask's scheduler or Spark's master. Defaults to this machine.
    """
    began, source, save = perf_counter(), options.source, options.save
    if engine not in ENGINES:
        raise ValueError(f"unknown engine {engine!r}; choose one of {', '.join(ENGINES)}")
    if save is not None and check_target(save, source.files).exists() and not options.fresh:
        raise ValueError(
            f"{save} already exists, and an engine cannot resume from it: name another "
            "file, or start over with --fresh, which keeps it as a backup"
        )
    vocabulary = choose_vocabulary(options.vocabulary)
    paths, kind = list_files(source.files, source.format)
    with ENGINES[engine](paths, kind, source.named, address) as (learn_texts, texts):
        topics = learn_texts(
            texts,
            options.n_topics,
            vocabulary=vocabulary,
            words=options.words,
            progress=(progress or Progress()).passed,
            seed=options.seed,
            n_polish=N_POLISH,
        )
    saved = backup = None
    # Renamed only now, so that a failure on the cluster leaves the previous model where it is.
    if save is not None:
        backup = back_up(Path(save))
        saved = storage.save(topics, save)
    seconds = perf_counter() - began
    return LearnedTopics(engine=engine, topics=topics, seconds=seconds, saved=saved, backup=backup)


def list_files(files: Sequence[str], format: str | None) -> tuple[list[str], str]:
    """Return all files, including those in folders, and their common format."""
    if "-" in files:
        raise ValueError("engines read files and folders, not standard input")
    paths = []
    for name in files:
        inside = sorted(Path(name).rglob("*")) if Path(name).is_dir() else [Path(name)]
        # Engines leave markers beside their parts, such as _SUCCESS, and hidden checksums.
        local = [str(path) for path in inside if path.is_file() and path.name[0] not in "._"]
        paths += [name] if is_url(name) else local
    kinds = {format} if format is not None and paths else {find_kind(path) for path in paths}
    if len(kinds) != 1 or not kinds <= set(READABLE):
        raise ValueError(
            f"engines read files of one format, one of {', '.join(READABLE)}, but found "
            f"{', '.join(sorted(kinds)) or 'no files'}: name the files, or set --format"
        )
    return paths, kinds.pop()


def is_url(name: str) -> bool:
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


def choose_text(text: Sequence[str], kinds: Mapping[str, str]) -> list[str]:
    """Return the text columns, of those with their types: those named, else the first known."""
    lower = {name.lower(): name for name in reversed(list(kinds))}
    wanted = list(text) if text else [lower[name] for name in TEXT_NAMES if name in lower][:1]
    if not wanted or not set(wanted) <= set(kinds):
        missing = f"no column {wanted}" if wanted else "no obvious text column"
        raise ValueError(f"there is {missing}; name one of {list_names(list(kinds))} with --text")
    for name in wanted:
        check_texts(name, kinds[name])
    return wanted


@contextmanager
def _read_with_dask(
    paths: list[str], kind: str, text: Sequence[str], address: str | None
) -> Iterator[tuple[LearnTexts, Any]]:
    """Yield how Dask learns, and the column of texts."""
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
        columns = choose_text(text, {name: str(frame[name].dtype) for name in frame.columns})
        first, *others = [_as_strings(frame[name], name) for name in columns]
        joined = sum((" " + other for other in others), first)
        yield partial(learn_texts, client=client), joined


def _in_folder(path: str) -> str:
    """Return the pattern of all files in a remote folder; a file is returned unchanged."""
    last = path.rstrip("/").rsplit("/", 1)[-1]
    is_file = not is_url(path) or "." in last or "*" in last
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
        there = [path for path in paths if is_url(path)]
        if not there:
            raise
        lines = [line.strip(" :") for line in str(error).split("\n")]
        useful = [line for line in lines if line and "error occurred while calling" not in line]
        why = (useful or [repr(error)])[0].removeprefix("Original Message: ")
        raise ValueError(
            f"{engine} cannot read {there[0]}: {why} (its workers need the package of a file "
            f"system, such as {PACKAGES[engine]})"
        ) from error


@contextmanager
def _read_with_spark(
    paths: list[str], kind: str, text: Sequence[str], address: str | None
) -> Iterator[tuple[LearnTexts, Any]]:
    """Yield how Spark learns, and a frame with the column of texts."""
    from spectralleader.engines.spark import learn_texts

    from pyspark.sql import SparkSession  # isort: skip
    from pyspark.sql import functions as F  # isort: skip  # noqa: N812

    with ExitStack() as ended:
        # A notebook's own session is used, and stays open.
        if (spark := SparkSession.getActiveSession()) is None:
            spark = _new_session(address)
            ended.callback(spark.stop)
        reader = spark.read.option("header", "true").option("multiLine", str(kind == "csv").lower())
        # A quote within a field is doubled, as in most files; Spark expects a backslash.
        reader = reader.option("escape", '"')
        load = {"parquet": reader.parquet, "csv": reader.csv, "jsonl": reader.json}[kind]
        with _reading("spark", paths):
            frame = load(paths) if kind != "parquet" else load(*paths)
        columns = choose_text(text, dict(frame.dtypes))
        joined = F.concat_ws(" ", *[F.col(f"`{name}`").cast("string") for name in columns])
        yield learn_texts, frame.select(joined.alias("text"))


def _new_session(address: str | None) -> Any:
    """Return a new session, which ends with its `with` block."""
    from pyspark.sql import SparkSession

    if address is None:  # by default, workers use the first python3 on the PATH
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("spectralleader")
    # Spark Connect has no master: the whole session is elsewhere.
    is_remote = address is not None and address.startswith("sc://")
    builder = builder.remote(address) if is_remote else builder.master(address or "local[*]")
    return builder.getOrCreate()


# The engines: each is a context in which files can be learned, see `_read_with_dask`.
ENGINES = {"dask": _read_with_dask, "spark": _read_with_spark}
