"""Learn on an engine: Dask or Spark reads folders of files, the topics come back."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from spectralleader import storage
from spectralleader.engines import MOST_FREQUENT, Progress
from spectralleader.jobs.keeping import back_up
from spectralleader.jobs.learning import list_topics
from spectralleader.jobs.source import choose_words
from spectralleader.streams.files.columns import TEXT_NAMES, list_names
from spectralleader.streams.files.formats import COMPRESSED, ENDINGS
from spectralleader.streams.text.vocabulary import Vocabulary
from spectralleader.text_topics import TextTopics

ENGINES = ("dask", "spark")
READABLE = ("parquet", "csv", "jsonl")
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
        Files and folders of one format, where every worker finds them.
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
            "start anew with --fresh, which keeps it as a backup"
        )


def list_files(files: Sequence[str], format: str | None) -> tuple[list[str], str]:
    """Return every file, those of folders too, and the one format that they have."""
    paths = []
    for name in files:
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
    from spectralleader.dask import connected, learn_texts

    import dask.dataframe as dd  # isort: skip

    # a quoted field of CSV may have line ends in it: a file is a part
    readers = {
        "parquet": dd.read_parquet,
        "csv": lambda names: dd.read_csv(names, dtype=str, blocksize=None),
        "jsonl": lambda names: dd.read_json(names, lines=True, dtype=False),
    }
    with connected(address) as client:
        frame = readers[kind](paths)
        first, *others = choose_text(text, list(frame.columns))
        joined = frame[first].fillna("").astype(str)
        for name in others:
            joined = joined + " " + frame[name].fillna("").astype(str)
        return learn_texts(joined, n_topics, client=client, **options)


def _learn_on_spark(
    paths: list[str],
    kind: str,
    text: Sequence[str] | None,
    address: str | None,
    n_topics: int,
    options: dict[str, Any],
) -> TextTopics:
    from spectralleader.spark import learn_texts

    from pyspark.sql import functions as F  # isort: skip  # noqa: N812

    with _spark_session(address) as spark:
        reader = spark.read.option("header", "true").option("multiLine", str(kind == "csv").lower())
        reader = reader.option("escape", '"')
        load = {"parquet": reader.parquet, "csv": reader.csv, "jsonl": reader.json}[kind]
        frame = load(paths) if kind != "parquet" else load(*paths)
        columns = choose_text(text, frame.columns)
        joined = F.concat_ws(" ", *[F.col(f"`{name}`").cast("string") for name in columns])
        return learn_texts(frame.select(joined.alias("text")), n_topics, **options)


@contextmanager
def _spark_session(address: str | None) -> Iterator[Any]:
    """Give the session of this process, or one that ends with the block."""
    from pyspark.sql import SparkSession

    if (session := SparkSession.getActiveSession()) is not None:
        yield session
        return
    builder = SparkSession.builder.appName("spectralleader")
    is_remote = address is not None and address.startswith("sc://")
    builder = builder.remote(address) if is_remote else builder.master(address or "local[*]")
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()
