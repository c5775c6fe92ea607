from contextlib import contextmanager
from functools import partial
from itertools import count

import pytest

from tests.servers import SERVERS

NUMBERS = count()


@pytest.fixture(scope="session")
def start_server(tmp_path_factory):
    """Start the server of a kind of source, once."""
    started = {}

    def start(kind):
        why_not, server = SERVERS[kind]
        if (reason := why_not()) is not None:
            pytest.skip(reason)
        if kind not in started:
            started[kind] = server(tmp_path_factory.mktemp(kind))
        return started[kind]

    yield start
    for server in started.values():
        server.kill()


@pytest.fixture(scope="session")
def redis_server(start_server):
    return start_server("redis")


@pytest.fixture(scope="session")
def kafka_cluster(start_server):
    return start_server("kafka")


@pytest.fixture(params=[*SERVERS, "file", "folder"])
def stream(request, tmp_path, start_server):
    """Any live source: its address, and a function that adds texts to it."""
    name = f"clicks{next(NUMBERS)}"
    if request.param in SERVERS:
        server = start_server(request.param)
        return f"{server.address}/{name}", partial(server.add, name)
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
