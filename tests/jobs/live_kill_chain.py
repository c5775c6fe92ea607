"""Learn a stream while being killed again and again: run as a module, prints what happened.

As `kill_chain`, for a broker. A Redis server is a child of this process: it is killed and started
again among the kills of its consumer, while that one is connected, waits for it, or starts.
"""

import json
import os
import random
import sys
import threading
import time
from functools import partial
from pathlib import Path

from spectralleader import load
from spectralleader.jobs import Progress, Source, learn
from tests.jobs.kill_chain import kill_one
from tests.servers import RedisServer

MOST_STEPS = 6  # between two kills
RESTART_EVERY = 5  # kills of the consumer


class Until(Progress):
    """Ends the job once so many documents are learned, and asks another progress before that."""

    def __init__(self, n_docs, inner):
        self.n_docs, self.inner = n_docs, inner

    def stepped(self, result):
        if result.topics.n_docs >= self.n_docs:
            raise KeyboardInterrupt
        self.inner.stepped(result)


def run(options, progress=None, save=None):
    progress = Until(options["n_docs"], progress or Progress())
    source = Source(**options["source"])
    settings = {**options["learn"], "save": save or options["save"]}
    return learn(source, **settings, checkpoint_every=1, progress=progress)


def fill(server, n_docs):
    words = ("rain wind", "late goal")
    server.fill("clicks", [{"text": f"{words[i % 2]} rare{i % 97}"} for i in range(n_docs)])


def restart(server, pause):
    server.kill()
    time.sleep(pause)
    server.start()


def in_child(work):
    """Do something in a process of its own: a client of Kafka does not survive a fork."""
    child = os.fork()
    if not child:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def main(options):
    rng, path, server = random.Random(options["seed"]), options["save"], None
    if "redis" in options:
        server = RedisServer(Path(options["redis"]))
        fill(server, options["n_docs"])
        options["source"]["files"] = [f"{server.address}/clicks"]
    try:
        began = time.monotonic()
        in_child(lambda: run(options, save=options["whole"]))
        step = (time.monotonic() - began) / (options["n_docs"] / options["source"]["block"])
        n_docs, n_kills, n_restarts = [], 0, 0
        for i in range(options["n_kills"]):
            away = None
            if server is not None and i % RESTART_EVERY == 2:
                pauses = rng.uniform(0, 0.2), rng.uniform(0, 0.3)
                time.sleep(pauses[0])
                away = threading.Thread(target=restart, args=(server, pauses[1]))
                away.start()
                n_restarts += 1
            steps = i % MOST_STEPS
            n_kills += kill_one(partial(run, options), steps, rng.uniform(0, 3 * step))
            if away is not None:
                away.join()
            n_docs.append(load(path).n_docs if os.path.exists(path) else 0)
        in_child(lambda: run(options))
    finally:
        if server is not None:
            server.kill()
    print(json.dumps({"n_docs": n_docs, "n_kills": n_kills, "n_restarts": n_restarts}))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
