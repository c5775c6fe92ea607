import json
from contextlib import contextmanager
from itertools import count

import pytest

from tests.servers import KafkaCluster, RedisServer, why_no_kafka, why_no_redis

NUMBERS = count()


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory):
    if (reason := why_no_redis()) is not None:
        pytest.skip(reason)
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    yield server
    server.kill()


@pytest.fixture(scope="session")
def kafka_cluster():
    if (reason := why_no_kafka()) is not None:
        pytest.skip(reason)
    return KafkaCluster()


@pytest.fixture(params=["redis", "kafka", "file", "folder"])
def stream(request, tmp_path):
    """Any live source: its address, and a function that adds texts to it."""
    name = f"clicks{next(NUMBERS)}"
    if request.param == "redis":
        server = request.getfixturevalue("redis_server")

        def add(texts):
            server.fill(name, [{"text": text} for text in texts])

        return f"{server.address}/{name}", add
    if request.param == "kafka":
        cluster = request.getfixturevalue("kafka_cluster")

        def add(texts):
            cluster.fill(name, [json.dumps({"text": text}) for text in texts])

        return f"{cluster.address}/{name}", add
    if request.param == "file":
        path = tmp_path / f"{name}.log"
        path.touch()

        def add(texts):
            with path.open("a") as file:
                file.writelines(f"{text}\n" for text in texts)

        return str(path), add
    folder = tmp_path / name
    folder.mkdir()
    numbers = count()

    def add(texts):
        (folder / f"{next(numbers):05}.txt").write_text("".join(f"{text}\n" for text in texts))

    return str(folder), add


@contextmanager
def opened(reader):
    try:
        yield reader
    finally:
        reader.close()
