"""One run each, in a process of its own: Dask, Spark, and Spark's LDA."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from benchmarks.scale.workload import (
    HELD_OUT,
    N_PARTS,
    N_POLISH,
    N_TOPICS,
    N_WORDS,
    SEED,
    Recorded,
    draw,
    peak_memory,
    size_of_part,
    watched_children,
)
from spectralleader import TopicModel
from spectralleader.learners.passes import Solution, solve


def run_dask(n_docs: int, n_workers: int) -> dict[str, Any]:
    import dask
    import distributed

    from spectralleader.dask import DaskDocuments, Engine

    with (
        distributed.LocalCluster(
            n_workers=n_workers, threads_per_worker=1, dashboard_address=":0", memory_limit=0
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        warm_up(DaskDocuments(Engine(client), [dask.delayed(draw)(0, 50)] * 2, N_WORDS))
        parts = [dask.delayed(draw)(i, size_of_part(i, n_docs)) for i in range(N_PARTS)]
        began = time.perf_counter()
        documents = DaskDocuments(Engine(client), parts, N_WORDS)
        distributed.wait(documents.parts)
        made, recorded = time.perf_counter() - began, Recorded(documents)
        began = time.perf_counter()
        solution = solve(recorded, N_TOPICS, seed=SEED, n_polish=N_POLISH)
        seconds = time.perf_counter() - began
        workers = max(client.run(peak_memory).values())
    return {"made": made, "seconds": seconds, "worker_mb": workers} | figures(solution, recorded)


def run_spark(n_docs: int, n_workers: int) -> dict[str, Any]:
    from spectralleader.spark import SparkDocuments

    with spark_session(n_workers) as (spark, peak):
        frame = spark_frame(spark, n_docs)
        began = time.perf_counter()
        from spectralleader.arrow import from_vectors

        make = partial(from_vectors, n_words=N_WORDS)
        with SparkDocuments(frame, make, N_WORDS) as documents:
            recorded = Recorded(documents)
            solution = solve(recorded, N_TOPICS, seed=SEED, n_polish=N_POLISH)
        seconds = time.perf_counter() - began
    return {"seconds": seconds, "worker_mb": peak["mb"]} | figures(solution, recorded)


def run_lda(n_docs: int, n_workers: int, n_iterations: int = 20) -> dict[str, Any]:
    """Spark ML's LDA with its online optimizer; 20 iterations if nobody says, as it comes.

    Its own bound on held-out words charges all of the topics' uncertainty to these few documents,
    so its topics are also read as those of a single-topic model, weighted as it expects them.
    """
    from pyspark.ml.clustering import LDA
    from pyspark.ml.linalg import Vectors, VectorUDT
    from pyspark.sql.functions import udf

    as_vector = udf(lambda row: Vectors.sparse(N_WORDS, row.indices, row.values), VectorUDT())
    with spark_session(n_workers) as (spark, peak):
        frame = spark_frame(spark, n_docs).select(as_vector("counts").alias("features")).cache()
        held_out = spark_frame(spark, None).select(as_vector("counts").alias("features")).cache()
        frame.count(), held_out.count()
        began = time.perf_counter()
        lda = LDA(k=N_TOPICS, optimizer="online", seed=SEED, maxIter=n_iterations)
        model = lda.fit(frame)
        seconds = time.perf_counter() - began
        bound = -model.logPerplexity(held_out)
        topics = model.topicsMatrix().toArray().T
        weights = model.estimatedDocConcentration().toArray()
    mixture = TopicModel(weights / weights.sum(), topics / topics.sum(axis=1, keepdims=True))
    memory = {"worker_mb": peak["mb"], "driver_mb": peak_memory()}
    return {"seconds": seconds, "bound": bound, "fit": held_out_fit(mixture), **memory}


RUNS = {
    "dask": run_dask,
    "spark": run_spark,
    "spark-lda": run_lda,
    "spark-lda-100": partial(run_lda, n_iterations=100),
}


def warm_up(documents: Any) -> None:
    """Have every kernel loaded, on the workers too: a cluster's workers live long."""
    solve(documents, N_TOPICS, n_polish=1)


def figures(solution: Solution, recorded: Recorded) -> dict[str, Any]:
    return {
        "driver_mb": peak_memory(),
        "fit": held_out_fit(solution.model),
        "n_passes": len(recorded.passes),
        "down": sum(one["down"] for one in recorded.passes),
        "up": sum(one["up"] for one in recorded.passes),
        "passes": recorded.passes,
    }


def held_out_fit(model: TopicModel) -> float:
    """Return the mean log-probability of a word in documents that nobody learned."""
    held_out = draw(-1, HELD_OUT)
    return float(model.log_prob(held_out).sum() / held_out.lengths.sum())


def spark_session(n_workers: int) -> Any:
    from contextlib import contextmanager

    from pyspark.sql import SparkSession

    @contextmanager
    def session() -> Any:
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
    frame = numbers.mapInArrow(make, "counts struct<indices: array<int>, values: array<double>>")
    return frame.cache()
