"""The spectral method on a Spark DataFrame with a column of texts or counts.

Texts or counts are converted to documents once and persisted. Every pass maps Arrow batches to one
summary per partition, in pieces. Up to `TO_DRIVER` bytes are summed on the driver; above that,
pieces are first summed by key. Their size depends on the vocabulary and K, not on the number of
documents.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path
from typing import Any

from spectralleader.errors import missing_extra

try:
    import pyarrow  # noqa: F401  # fail here, with a message that names the extra
    from pyspark import StorageLevel, TaskContext
    from pyspark.sql import DataFrame
    from pyspark.sql import functions as F  # noqa: N812  # its usual name
    from pyspark.sql.types import UserDefinedType
except ImportError as error:
    raise ImportError(missing_extra("spectralleader.engines.spark", "spark")) from error

import numpy as np

from spectralleader.documents import Documents
from spectralleader.engines import arrow, shared
from spectralleader.engines.arrow import PIECE, PIECES, Batches
from spectralleader.engines.shared import Progress, VocabularyRequest
from spectralleader.engines.spark_worker import settle
from spectralleader.learners.passes import Solution, solve
from spectralleader.learners.summaries import Summary, Task
from spectralleader.storage import load_topics, save
from spectralleader.text.vocabulary import Vocabulary
from spectralleader.text.words import Tokenizer, as_words
from spectralleader.topics.text_topics import TextTopics

FAN_IN = 64  # summaries summed by one task
TO_DRIVER = 2**25  # up to this many bytes the driver sums itself: faster than one more stage
POLL = 0.2  # seconds between updates of the progress


def learn_texts(
    frame: DataFrame,
    n_topics: int,
    *,
    column: str = "text",
    vocabulary: VocabularyRequest = shared.MOST_FREQUENT,
    words: Tokenizer | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> TextTopics:
    """Learn topics from a text column; return the model that `SpectralMethod` fits to all texts.

    Parameters
    ----------
    frame : DataFrame
        The texts; rows with a missing text are ignored.
    n_topics : int
        Number of topics, K.
    column : str
        The text column.
    vocabulary : int, Vocabulary or iterable of str
        The vocabulary, or its size: the most frequent words are then found in a first pass.
    words : Words or callable, optional
        The tokenizer. Defaults to `Words` without English stop words.
    progress : callable, optional
        Called with the name of the pass, the parts done and the total number of parts.
    **settings
        Passed to `spectralleader.learners.passes`: `seed`, `n_polish`, ...
    """
    words = as_words(words)
    texts = frame.select(F.col(column).alias("text")).dropna()
    shared.check_texts(column, texts.dtypes[0][1])

    def count_most(n_words: int) -> Vocabulary:
        counted = texts.mapInArrow(partial(arrow.tally_batches, words=words), "word string, n long")
        total = counted.groupBy("word").agg(F.sum("n").alias("n"))
        rows = total.orderBy(F.desc("n"), "word").limit(n_words).collect()
        return Vocabulary.ranked({row.word: row.n for row in rows}, n_words)

    known = shared.choose_vocabulary(vocabulary, count_most)
    make = partial(known.count_known, words=words)
    with SparkDocuments(texts, make, known.n_words, progress) as documents:
        return shared.as_text_topics(solve(documents, n_topics, **settings), known, words)


def learn_counts(
    frame: DataFrame,
    n_topics: int,
    *,
    column: str = "features",
    n_words: int | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Solution:
    """Learn topics from a column of counts; return the solution of `SpectralMethod` on all rows.

    The column holds Spark ML vectors, or structs with `indices`, `values` and `size`; `n_words`
    replaces a missing `size`. See `learn_texts` for the rest.
    """
    is_vector = isinstance(frame.schema[column].dataType, UserDefinedType)
    counts = F.unwrap_udt(column) if is_vector else F.col(column)
    rows = frame.select(counts.alias("counts")).dropna()
    if n_words is None:
        first = rows.select("counts.size").first()
        n_words = 1 if first is None else int(first[0])
    with SparkDocuments(
        rows, partial(arrow.from_vectors, n_words=n_words), n_words, progress
    ) as documents:
        return solve(documents, n_topics, **settings)


def learn_batches(
    path: str | os.PathLike[str], begin: Callable[[], TextTopics], *, column: str = "text"
) -> Callable[[DataFrame, int], None]:
    """Return a function for ``foreachBatch`` that learns each micro-batch exactly once.

    The model and the number of the batch are saved in one file, which is replaced atomically: a
    restarted query may repeat its last batch, and the repetition is not learned. The file belongs
    to the query's checkpoint: a query with a new checkpoint numbers its batches from 0 again.

    Parameters
    ----------
    path : path
        The model file, for `spectralleader.load`; created if it does not exist.
    begin : callable
        Returns a new `TextTopics`, used if the file does not exist.
    column : str
        The text column; rows with a missing text are ignored.
    """

    def learn(frame: DataFrame, batch: int) -> None:
        topics = load_topics(path) if Path(path).exists() else begin()
        # After a crash Spark repeats its last batch, which may have been saved.
        if batch >= (topics.position or {}).get("batch", 0):
            texts = frame.select(F.col(column).alias("text")).dropna()
            topics.learn(row.text for row in texts.toLocalIterator())
            topics.position = {"kind": "spark", "batch": batch + 1}
            save(topics, path)

    return learn


class SparkDocuments:
    """Documents in the partitions of a DataFrame, persisted inside a `with` block."""

    def __init__(
        self,
        rows: DataFrame,
        make: Callable[[Any], Documents],
        n_words: int,
        progress: Progress | None = None,
    ) -> None:
        self.n_words, self._progress = n_words, progress
        self._frame = rows.mapInArrow(partial(arrow.make_documents, make=make), arrow.DOCUMENTS)

    def __enter__(self) -> SparkDocuments:
        self._frame = self._frame.persist(StorageLevel.MEMORY_AND_DISK)
        last = self._frame.select(F.spark_partition_id().alias("part")).agg(F.max("part")).first()
        self._n_parts = 1 + int((last and last[0]) or 0)
        return self

    def __exit__(self, *error: object) -> None:
        self._frame.unpersist()

    def total(self, task: Task) -> Summary:
        """Return the sum of the task's summaries over all partitions."""
        zero = task(Documents.empty(self.n_words))
        summarise = partial(_summarise, task=task, n_words=self.n_words)
        pieces, n_parts = self._frame.mapInArrow(summarise, PIECES), self._n_parts
        while n_parts > 1 and n_parts * sum(array.nbytes for array in zero) > TO_DRIVER:
            # Each round leaves fewer summaries, until the driver can take the rest.
            grouped = pieces.withColumn("group", (F.col("part") / FAN_IN).cast("int"))
            pieces = grouped.groupBy("group", "piece").applyInArrow(arrow.add_pieces, PIECES)
            n_parts = -(-n_parts // FAN_IN)
        flat = np.zeros(sum(array.size for array in zero))
        for row in self._collect(pieces, shared.name_of(task)):
            numbers = np.frombuffer(row.numbers)
            flat[row.piece * PIECE : row.piece * PIECE + len(numbers)] += numbers
        ends = np.cumsum([array.size for array in zero])[:-1]
        return tuple(
            part.reshape(array.shape)
            for part, array in zip(np.split(flat, ends), zero, strict=True)
        )

    def _collect(self, pieces: DataFrame, name: str) -> list[Any]:
        """Return the rows of a pass, reporting progress meanwhile."""
        if self._progress is None:
            return list(pieces.collect())
        # Spark has no callbacks: progress is asked for while another thread waits.
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(pieces.collect)
            while not wait([running], POLL).done:
                for n_done in _partitions_done(pieces, self._n_parts):
                    self._progress(name, n_done, self._n_parts)
        self._progress(name, self._n_parts, self._n_parts)
        return list(running.result())


def _partitions_done(frame: DataFrame, n_parts: int) -> list[int]:
    """Return the numbers of completed tasks of the running stages over all partitions."""
    if "connect" in type(frame).__module__:  # Spark Connect has no status tracker
        return []
    tracker = frame.sparkSession.sparkContext.statusTracker()
    stages = filter(None, map(tracker.getStageInfo, tracker.getActiveStageIds()))
    # Stages over fewer parts sum pieces, not documents.
    return [stage.numCompletedTasks for stage in stages if stage.numTasks == n_parts]


def _summarise(batches: Batches, task: Task, n_words: int) -> Batches:
    """Yield the summary of a partition's documents in pieces; nothing for an empty partition."""
    if (documents := arrow.read_documents(batches, n_words)) is not None:
        flat = np.concatenate([array.ravel() for array in task(documents)])
        yield from arrow.in_pieces(TaskContext.get().partitionId(), flat)
    settle(shared.name_of(task))
