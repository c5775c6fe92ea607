"""Load on a service for a while: what it answers, how fast, and what memory it takes.

python -m tests.serve.load --seconds 600
"""

from __future__ import annotations

import argparse
import http.client
import json
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tests.factories import texts
from tests.serve.serving import Serving

WARM = 0.3  # share of the time before memory is compared


class Load(NamedTuple):
    """What was measured."""

    n_predicted: int
    n_posted: int  # documents
    n_learned: int
    n_failed: int  # answers that were neither right nor a request to wait
    p99: float  # seconds of /predict
    memory: list[float]  # megabytes, once a second

    @property
    def growth(self) -> float:
        """Megabytes by which the last part has more than the part after warming up."""
        warm = self.memory[int(WARM * len(self.memory)) :]
        half = len(warm) // 2
        return float(np.median(warm[half:]) - np.median(warm[:half]))


def run(seconds: float, folder: Path, n_clients: int = 4) -> Load:
    """Post and predict from several clients at once."""
    written = texts(2000)[0]
    times: list[float] = []
    counts = {"posted": 0, "failed": 0}
    lock, end = threading.Lock(), time.monotonic() + seconds

    def work(number: int) -> None:
        rng = np.random.default_rng(number)
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
        i = 0
        while time.monotonic() < end:
            learns, i = i % 10 == 0, i + 1
            some = [written[k] for k in rng.integers(len(written), size=50 if learns else 1)]
            body = json.dumps({"texts": some})
            began = time.perf_counter()
            path, kind = "/learn" if learns else "/predict", {"Content-Type": "application/json"}
            connection.request("POST", path, body, kind)
            answer = connection.getresponse()
            answer.read()
            took = time.perf_counter() - began
            with lock:
                if answer.status not in (200, 202, 429):
                    counts["failed"] += 1
                elif learns and answer.status == 202:
                    counts["posted"] += 50
                elif not learns:
                    times.append(took)
        connection.close()

    with Serving(folder / "load.model", "-k", "8", "--checkpoint-every", "5s") as service:
        clients = [threading.Thread(target=work, args=(n,), daemon=True) for n in range(n_clients)]
        for client in clients:
            client.start()
        memory = []
        while time.monotonic() < end:
            memory.append(service.memory())
            service.get("/metrics"), service.get("/topics?level=3")
            time.sleep(1.0)
        for client in clients:
            client.join(60)
        service.wait(lambda: service.n_docs >= counts["posted"], 300)
        n_learned = service.n_docs
        assert service.stop()[0] == 0, service.said
    p99 = float(np.quantile(times, 0.99))
    return Load(len(times), counts["posted"], n_learned, counts["failed"], p99, memory)


def main() -> None:
    """Run for some time, and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    seconds = parser.parse_args().seconds
    with tempfile.TemporaryDirectory() as folder:
        found = run(seconds, Path(folder))
    print(
        f"{found.n_predicted:,} predictions ({found.n_predicted / seconds:,.0f} per second, p99 "
        f"{1e3 * found.p99:.1f} ms), {found.n_posted:,} documents posted, {found.n_learned:,} "
        f"learned, {found.n_failed} failures; memory {found.memory[-1]:.0f} MB, grew by "
        f"{found.growth:.1f} MB"
    )
    assert found.n_failed == 0
    assert found.n_learned == found.n_posted
    assert found.growth < max(10.0, 0.05 * found.memory[-1])


if __name__ == "__main__":
    main()
