"""Learn on an engine: Dask or Spark reads folders of files, the topics come back."""

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
from spectralleader.engines.shared import MOST_FREQUENT, Progress, check_texts
from spectralleader.jobs.checkpointing import back_up
from spectralleader.jobs.learning import list_topics
from spectralleader.jobs.source import choose_words
from spectralleader.sources.files.columns import TEXT_NAMES, list_names
from spectralleader.sources.files.formats import COMPRESSED, ENDINGS
from spectralleader.text.topics import TextTopics
from spectralleader.text.vocabulary import Vocabulary

ENGINES = ("dask", "spark")
READABLE = ("parquet", "csv", "jsonl")
PACKAGES = {"dask": "s3fs, gcsfs or adlfs", "spark": "hadoop-aws (for s3a://) or the like"}
N_POLISH = 10  # passes of EM after the spectral method, if nobody says


@dataclass(frozen=True)
class EngineResult:
    """What an engine learned."""

    engine: str
    topics: TextTopics
    seconds: float
    saved: Path | None
    backup: Path | None = None  # where what was there before is kept

    @property
    def is_useful(self) -> bool:
        """Whether anything was learned: some document had a known word."""
        return self.topics.n_docs > self.topics.n_empty

    def summary(self, n_words: int = 10) -> dict[str, Any]:
        """Return all of it as plain values, for machines; topics count from 1."""
        return {
            "engine": self.engine,
            "documents": self.topics.n_docs,
            "documents_without_known_words": self.topics.n_empty,
            "seconds": self.seconds,
            "vocabulary": {"words": self.topics.vocabulary.n_words, "grows": False},
            "topics": list_topics(self.topics, n_words),
            "saved": None if self.saved is None else str(self.saved),
            "backup": None if self.backup is None else str(self.backup),
        }


def learn_on_engine(
    engine: str,
    files: Sequence[str],
    *,
    n_topics: int = 5,
    text: Sequence[str] | None = None,
    format: str | None = None,
    vocabulary: str | int | None = None,
    stop_words: str = "english",
    seed: int = 0,
    n_polish: int = N_POLISH,
    address: str | None = None,
    save: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    progress: Progress | None = None,
) -> EngineResult:
    """Learn topics from Parquet, CSV or JSON lines files or folders of them, on an engine.

    Parameters
    ----------
    engine : str
        "dask" or "spark".
    files : sequence of str
        Files and folders of one format, where every worker finds them, or their addresses such as
        s3://bucket/folder, which go to the engine as they are.
    address : str, optional
        Of Dask's scheduler or Spark's master; left out, this machine.
    save : path, optional
        File to save a `TextTopics` in. One that is there is an error, as it is not gone on with.
    fresh : bool
        Rename a file that is there to a backup instead.
    progress : callable, optional
        Is told the pass, the parts done and the parts there are.

    The rest is as for `learn`; a vocabulary is a number or a file of words.
    """
    began = perf_counter()
    if engine not in ENGINES:
        raise ValueError(f"there is no engine {engine!r}; known are {', '.join(ENGINES)}")
    if save is not None:
        check_free(save, fresh=fresh)
    paths, kind = list_files(files, format)
    options = {
        "vocabulary": choose_vocabulary(vocabulary),
        "words": choose_words(stop_words),
        "progress": progress,
        "seed": seed,
        "n_polish": n_polish,
    }
    learn = _learn_on_dask if engine == "dask" else _learn_on_spark
    topics = learn(paths, kind, text, address, n_topics, options)
    saved = backup = None
    if save is not None:
        backup = back_up(Path(save))
        saved = storage.save(topics, save)
    return EngineResult(engine, topics, perf_counter() - began, saved, backup)


def check_free(save: str | os.PathLike[str], *, fresh: bool) -> None:
    """Raise, before anything is learned, if topics cannot be saved there."""
    if storage.check_target(save).exists() and not fresh:
        raise ValueError(
            f"{save} is there already, and an engine does not go on with it: name another file, or "
            "start over with --fresh, which keeps it as a backup"
        )


def list_files(files: Sequence[str], format: str | None) -> tuple[list[str], str]:
    """Return every file, those of folders too, and the one format that they have."""
    paths = []
    for name in files:
        if is_address(name):
            paths.append(name)
            continue
        folder = Path(name)
        found = sorted(folder.rglob("*")) if folder.is_dir() else [folder]
        paths += [str(path) for path in found if path.is_file() and path.name[0] not in "._"]
    if "-" in files:
        raise ValueError("engines read files and folders, not standard input")
    kinds = {format} if format is not None and paths else {find_kind(path) for path in paths}
    if len(kinds) != 1 or not kinds <= set(READABLE):
        raise ValueError(
            f"engines read files of one format of {', '.join(READABLE)}; found are "
            f"{', '.join(sorted(kinds)) or 'no files'}: name the files, or say --format"
        )
    return paths, kinds.pop()


def is_address(name: str) -> bool:
    """Return whether a file is elsewhere, for the engine to find: s3://, hdfs://, ..."""
    return "://" in name


def find_kind(path: str) -> str:
    """Return the format that a file's name tells; its last part where it tells none."""
    endings = Path(path).name.lower().split(".")[1:]
    while endings and endings[-1] in COMPRESSED:
        endings.pop()
    last = endings[-1] if endings else "no ending"
    return ENDINGS.get(last, last)


def choose_vocabulary(wish: str | int | None) -> int | Vocabulary:
    """Return how many words to count, or the words of a file."""
    if wish is None or str(wish).isdecimal():
        return MOST_FREQUENT if wish is None else int(wish)
    if not Path(str(wish)).is_file():
        raise ValueError(f"on an engine a vocabulary is a number or a file of words, not {wish!r}")
    return Vocabulary.from_file(str(wish))


def choose_text(text: Sequence[str] | None, names: Sequence[str]) -> list[str]:
    """Return the columns of the text: those that were named, or the first with a telling name."""
    lower = {name.lower(): name for name in reversed(names)}
    wanted = list(text) if text else [lower[name] for name in TEXT_NAMES if name in lower][:1]
    if not wanted or not set(wanted) <= set(names):
        missing = f"no column {wanted}" if wanted else "no obvious column of text"
        raise ValueError(f"there is {missing}; name one of {list_names(names)} by --text")
    return wanted


def _learn_on_dask(
    paths: list[str],
    kind: str,
    text: Sequence[str] | None,
    address: str | None,
    n_topics: int,
    options: dict[str, Any],
) -> TextTopics:
    from spectralleader.engines.dask import connected, learn_texts

    import dask.dataframe as dd  # isort: skip

    # a quoted field of CSV may have line ends in it: a file is a part
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
        return learn_texts(joined, n_topics, client=client, **options)


def _in_folder(path: str) -> str:
    """Return the pattern of all files in a folder that is elsewhere; a file as it is."""
    last = path.rstrip("/").rsplit("/", 1)[-1]
    is_file = not is_address(path) or "." in last or "*" in last
    return path if is_file else path.rstrip("/") + "/*"


def _as_strings(column: Any, name: str) -> Any:
    """Return a column of Dask as strings; no text is an empty one, a list is an error."""
    meta = (name, column.dtype)
    return column.map_partitions(_refuse_lists, name, meta=meta).fillna("").astype(str)


def _refuse_lists(part: Any, name: str) -> Any:
    for value in part:
        if isinstance(value, list | dict | np.ndarray):
            raise ValueError(f"column {name!r} holds {value!r:.40}, not a text: join its words")
    return part


@contextmanager
def _reading(engine: str, paths: Sequence[str]) -> Iterator[None]:
    """Say in one line that an engine cannot read an address, whatever its file system raises."""
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
            f"{engine} cannot read {there[0]}: {why} (it needs the package of a file system where "
            f"it runs, such as {PACKAGES[engine]})"
        ) from error


def _learn_on_spark(
    paths: list[str],
    kind: str,
    text: Sequence[str] | None,
    address: str | None,
    n_topics: int,
    options: dict[str, Any],
) -> TextTopics:
    from spectralleader.engines.spark import learn_texts

    from pyspark.sql import functions as F  # isort: skip  # noqa: N812

    with _spark_session(address) as spark:
        reader = spark.read.option("header", "true").option("multiLine", str(kind == "csv").lower())
        reader = reader.option("escape", '"')
        load = {"parquet": reader.parquet, "csv": reader.csv, "jsonl": reader.json}[kind]
        with _reading("spark", paths):
            frame = load(paths) if kind != "parquet" else load(*paths)
        columns = choose_text(text, frame.columns)
        for name in columns:
            check_texts(name, dict(frame.dtypes)[name])
        joined = F.concat_ws(" ", *[F.col(f"`{name}`").cast("string") for name in columns])
        return learn_texts(frame.select(joined.alias("text")), n_topics, **options)


@contextmanager
def _spark_session(address: str | None) -> Iterator[Any]:
    """Give the session of this process, or one that ends with the block."""
    from pyspark.sql import SparkSession

    if (session := SparkSession.getActiveSession()) is not None:
        yield session
        return
    if address is None:  # else workers are those of the first python3 there is
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("spectralleader")
    is_remote = address is not None and address.startswith("sc://")
    builder = builder.remote(address) if is_remote else builder.master(address or "local[*]")
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()
