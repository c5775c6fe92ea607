"""One run each, in a process of its own: Dask, Spark, and Spark's LDA."""

from __future__ import annotations

import os
import sys
import time
from functools import partial
from typing import Any

import numpy as np

from benchmarks.scale.stalls import Span, lasted
from benchmarks.scale.workload import (
    HELD_OUT,
    N_PARTS,
    N_POLISH,
    N_TOPICS,
    N_WORDS,
    SEED,
    WARM_UP,
    Recorded,
    draw,
    peak_memory,
    size_of_part,
    watched_children,
)
from spectralleader import TopicModel
from spectralleader.em.columns import Smoothing
from spectralleader.em.statistics import Statistics, read_off
from spectralleader.learners.passes import solve


def run_dask(n_docs: int, n_workers: int) -> dict[str, Any]:
    import dask
    import distributed

    from spectralleader.engines.dask import DaskDocuments, Engine

    with (
        distributed.LocalCluster(
            n_workers=n_workers, threads_per_worker=1, dashboard_address=":0", memory_limit=0
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        some = [dask.delayed(draw)(i, size_of_part(i, WARM_UP)) for i in range(N_PARTS)]
        warm_up(DaskDocuments(Engine(client), some, N_WORDS))
        parts = [dask.delayed(draw)(i, size_of_part(i, n_docs)) for i in range(N_PARTS)]
        began = time.perf_counter()
        documents = DaskDocuments(Engine(client), parts, N_WORDS)
        distributed.wait(documents.parts)
        found = learn(Recorded(documents), began)
        return found | {"worker_mb": max(client.run(peak_memory).values())}


def run_spark(n_docs: int, n_workers: int) -> dict[str, Any]:
    from spectralleader.engines.arrow import from_vectors
    from spectralleader.engines.spark import SparkDocuments

    make = partial(from_vectors, n_words=N_WORDS)
    with spark_session(n_workers) as (spark, peak):
        with SparkDocuments(spark_frame(spark, WARM_UP), make, N_WORDS) as some:
            warm_up(some)
        began = time.perf_counter()
        with SparkDocuments(spark_frame(spark, n_docs), make, N_WORDS) as documents:
            found = learn(Recorded(documents), began)
    return found | {"worker_mb": peak["mb"]}


def run_lda(n_docs: int, n_workers: int, n_iterations: int = 20) -> dict[str, Any]:
    """Spark ML's LDA with its online optimizer; 20 iterations by default.

    Every iteration looks at a twentieth of the documents, as it comes, so 20 at each about once.
    Its own bound on held-out words charges all of the topics' uncertainty to these few documents,
    so its topics are also read as those of a single-topic model, weighted as it expects them.
    """
    from pyspark.ml.clustering import LDA

    with spark_session(n_workers) as (spark, peak):
        lda = LDA(k=N_TOPICS, optimizer="online", seed=SEED, maxIter=n_iterations)
        lda.copy({lda.maxIter: 2}).fit(vectors(spark, WARM_UP))
        began = time.perf_counter()
        frame = vectors(spark, n_docs)
        made = time.perf_counter()
        model = lda.fit(frame)
        ended = time.perf_counter()
        bound = -model.logPerplexity(vectors(spark, None))
        topics = model.topicsMatrix().toArray().T
        weights = model.estimatedDocConcentration().toArray()
    mixture = TopicModel(weights / weights.sum(), topics / topics.sum(axis=1, keepdims=True))
    fit, error = held_out_fit(mixture)
    return {
        "made": (began, made),
        "seconds": (made, ended),
        "bound": bound,
        "subsampling": lda.getSubsamplingRate(),
        "fit": fit,
        "fit_error": error,
        "worker_mb": peak["mb"],
        "driver_mb": peak_memory(),
    }


RUNS = {
    "dask": run_dask,
    "spark": run_spark,
    "spark-lda": run_lda,
    "spark-lda-100": partial(run_lda, n_iterations=100),
}


def warm_up(documents: Any) -> None:
    """Have every kernel loaded, on the workers too: a cluster's workers live long."""
    solve(documents, N_TOPICS, n_polish=1)


def learn(recorded: Recorded, began: float) -> dict[str, Any]:
    """Learn documents that were begun to be made at a time; return the row, spans for seconds."""
    made = time.perf_counter()
    solution = solve(recorded, N_TOPICS, seed=SEED, n_polish=N_POLISH)
    ended = time.perf_counter()
    fit, error = held_out_fit(solution.model)
    points = [((made, at), held_out_fit(before(task))[0]) for at, task in recorded.models]
    return {
        "made": (began, made),
        "seconds": (made, ended),
        "points": [*points, ((made, ended), fit)],
        "fit": fit,
        "fit_error": error,
        "driver_mb": peak_memory(),
        "n_passes": len(recorded.passes),
        "down": sum(one["down"] for one in recorded.passes),
        "up": sum(one["up"] for one in recorded.passes),
        "passes": recorded.passes,
    }


def in_seconds(row: dict[str, Any], stalls: list[Span]) -> dict[str, Any]:
    """Return a row with seconds instead of spans, less those in which the machine stood still."""
    began, ended = row["seconds"]
    return {
        **row,
        "stood_still": ended - began - lasted(row["seconds"], stalls),
        "made": lasted(row["made"], stalls),
        "seconds": lasted(row["seconds"], stalls),
        "points": [(lasted(span, stalls), fit) for span, fit in row.get("points", [])],
        "passes": [
            {**one, "seconds": lasted(one["seconds"], stalls)} for one in row.get("passes", [])
        ],
    }


def before(task: dict[str, Any]) -> TopicModel:
    """Return the model that a pass of EM went on from."""
    statistics = Statistics(task["totals"], task["words"])
    return read_off(statistics.columns, Smoothing(task["background"], 1.0, task["strength"]))


def held_out_fit(model: TopicModel) -> tuple[float, float]:
    """Return the mean log-probability of a held-out word, and its standard error."""
    held_out = draw(-1, HELD_OUT)
    fits, lengths = model.log_prob(held_out), held_out.lengths
    mean = fits.sum() / lengths.sum()
    error = np.std(fits - mean * lengths) / (lengths.mean() * np.sqrt(held_out.n_docs))
    return float(mean), float(error)


def spark_session(n_workers: int) -> Any:
    from contextlib import contextmanager

    from pyspark.sql import SparkSession

    @contextmanager
    def session() -> Any:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        with watched_children() as peak:
            builder = SparkSession.builder.master(f"local[{n_workers}]")
            for name, value in (
                ("spark.ui.enabled", "false"),
                ("spark.ui.showConsoleProgress", "false"),
                ("spark.driver.memory", "6g"),
                ("spark.sql.shuffle.partitions", "4"),
            ):
                builder = builder.config(name, value)
            spark = builder.getOrCreate()
            spark.sparkContext.setLogLevel("ERROR")
            try:
                yield spark, peak
            finally:
                spark.stop()

    return session()


def spark_frame(spark: Any, n_docs: int | None) -> Any:
    """Return counts made on the executors, as structs; the held-out ones if no number is said."""
    import pyarrow as pa

    def make(batches: Any) -> Any:
        for batch in batches:
            for part in batch.column(0).to_pylist():
                n = HELD_OUT if n_docs is None else size_of_part(part, n_docs)
                drawn = draw(part, n)
                offsets = drawn.indptr.astype(np.int32)
                lists = [pa.ListArray.from_arrays(offsets, v) for v in (drawn.words, drawn.counts)]
                rows = pa.StructArray.from_arrays(lists, names=["indices", "values"])
                for start in range(0, len(rows), 10_000):
                    some = rows.slice(start, 10_000)
                    yield pa.RecordBatch.from_arrays([some], names=["counts"])

    first, last = (-1, 0) if n_docs is None else (0, N_PARTS)
    numbers = spark.range(first, last, 1, last - first)
    return numbers.mapInArrow(make, "counts struct<indices: array<int>, values: array<double>>")


def vectors(spark: Any, n_docs: int | None) -> Any:
    """Return the same as vectors of Spark ML, kept."""
    from pyspark.ml.linalg import Vectors, VectorUDT
    from pyspark.sql.functions import udf

    as_vector = udf(lambda row: Vectors.sparse(N_WORDS, row.indices, row.values), VectorUDT())
    frame = spark_frame(spark, n_docs).select(as_vector("counts").alias("features")).cache()
    frame.count()
    return frame
