"""Live sources: brokers beside a file, the same texts read, and read and learned."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path

from benchmarks.bench import Bench
from benchmarks.rows import Row
from benchmarks.timing import Trial, interleave
from spectralleader import TextTopics
from spectralleader.sources import Reader, open_source, read
from tests.servers import KafkaCluster, RedisServer, why_no_kafka, why_no_redis

READING = "live sources: reading"
LEARNING = {n: f"live sources: learning, K = {n}" for n in (5, 20)}
FILE, FOLLOWED, REDIS, KAFKA = "a file", "a followed file", "Redis", "Kafka, 4 partitions"
N_LEARNED = 20_000  # documents; all of the stream are read
BLOCK = 100
HALF = 0.5  # target speed, relative to the file

Open = Callable[[], Reader]


def run(bench: Bench) -> None:
    """Put the texts into a file and into brokers; time reading, then learning, in turn."""
    texts, folder = bench.stream.texts, bench.scratch / "live"
    folder.mkdir()
    sources, server = fill(texts, folder, bench)
    works: dict[str, tuple[Callable[[Open], int], int]] = {READING: (read_all, len(texts))}
    for n_topics, section in LEARNING.items():
        works[section] = (partial(learn_some, n_topics), min(N_LEARNED, len(texts)))
    try:
        for section, (work, n_docs) in works.items():
            advance = bench.bar(section, len(sources) * bench.sizes.rounds)
            starters = [
                (name, partial(Trial, partial(work, opened), n_docs))
                for name, opened in sources.items()
            ]
            work(sources[FILE])  # warm
            for name, (values, n) in interleave(starters, bench.sizes.rounds, advance).items():
                bench.results.rows.append(Row(section, name, tuple(values), n))
    finally:
        if server is not None:
            server.kill()


def fill(
    texts: list[str], folder: Path, bench: Bench
) -> tuple[dict[str, Open], RedisServer | None]:
    """Return how each source with the texts is opened, and the server to be stopped at the end."""
    path, server = folder / "texts.jsonl", None
    lines = [json.dumps({"text": text}) for text in texts]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    live = partial(open_source, block=BLOCK, follow=False, text="text")
    sources: dict[str, Open] = {
        FILE: partial(read, path, text="text", block=BLOCK),
        FOLLOWED: partial(live, path),
    }
    if (reason := why_no_redis()) is None:
        server = RedisServer(folder)
        server.fill("texts", [{"text": text} for text in texts])
        sources[REDIS] = partial(live, f"{server.address}/texts")
    else:
        bench.results.left_out[REDIS] = reason
    if (reason := why_no_kafka()) is None:
        cluster = KafkaCluster()
        cluster.fill("texts", lines)
        sources[KAFKA] = partial(live, f"{cluster.address}/texts")
        CLUSTERS.append(cluster)
    else:
        bench.results.left_out[KAFKA] = reason
    return sources, server


CLUSTERS: list[KafkaCluster] = []  # kept as long as the process runs: they hold the messages


def read_all(opened: Open) -> int:
    """Connect, and read all blocks."""
    with opened() as reader:
        return sum(map(len, reader))


def learn_some(n_topics: int, opened: Open) -> int:
    """Read and learn blocks, as a consumer does; what was learned is not saved."""
    topics = TextTopics(n_topics, block_size=BLOCK)
    with opened() as reader:
        for block in islice(reader, N_LEARNED // BLOCK):
            topics.learn(block.texts)
    return topics.n_docs
