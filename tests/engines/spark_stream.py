"""A streaming query over a folder of files, for a test that kills it: FOLDER SECONDS."""

import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession

from spectralleader import TextTopics, Vocabulary
from spectralleader.engines.spark import learn_batches


def new_topics() -> TextTopics:
    vocabulary = Vocabulary(["rain", "wind", "sun", "goal", "match", "team"])
    return TextTopics(2, learner="spectral", vocabulary=vocabulary)


def run(spark: SparkSession, folder: Path, seconds: float = 0.0) -> None:
    """Learn all files that are there, one a batch; then wait, so that one can be killed."""
    learn = learn_batches(folder / "topics.model", new_topics, column="value")

    def slowly(frame, batch):
        learn(frame, batch)
        time.sleep(seconds)  # learned and saved, but not yet known to the query's checkpoint

    source = spark.readStream.option("maxFilesPerTrigger", 1).text(str(folder / "texts"))
    query = (
        source.writeStream.foreachBatch(slowly)
        .option("checkpointLocation", str(folder / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()


if __name__ == "__main__":
    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    run(session.getOrCreate(), Path(sys.argv[1]), float(sys.argv[2]))
