"""The service: requests per second while it learns, beside scikit-learn's LDA behind FastAPI."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

from benchmarks import http_load
from benchmarks.bench import Bench
from benchmarks.rows import Row
from spectralleader import Vocabulary, Words
from tests.serve.serving import Serving
from tests.servers import free_port

SECTION = "service"
OURS, PEER = "serve, while learning at full speed", "FastAPI and scikit-learn LDA, not learning"
BUSY = "learning, as many requests as are answered"
LEARNING_PEER = "FastAPI and scikit-learn LDA, while partial_fit learns in a thread"
ALONE, ASKED = "learning, no requests", "learning, 100 requests per second"
PER_SECOND, P99, DOCS, MEMORY = "requests per second", "ms, p99", "documents per second", "MB"
GREW = "growth of memory under requests, last half against first"
N_TOPICS, N_WORDS = 20, 5000
RATE = 100  # requests per second
TIMES = 5  # target: so many times the peer's requests per second
SLOWED = 0.8  # of the speed of learning, to keep
GROWTH = 10.0  # MB at most
AHEAD = 1_500_000  # documents that are written before they are learned: a round of a minute
WARM = 3.0  # seconds before anything is measured


def run(bench: Bench) -> None:
    """Ask both in turn; then learn with and without requests."""
    seconds = 1.0 if bench.sizes.rounds == 1 else 10.0
    path = bench.scratch / "served.txt"
    texts = [" ".join(text.split()) for text in bench.stream.texts]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    asked = texts[:1000]
    found: dict[tuple[str, str], list[float]] = {}
    advance = bench.bar(SECTION, 5 * bench.sizes.rounds)
    with Service(bench, path) as service, Peer(path) as peer, Peer(path, "learn") as learning:
        everyone: dict[str, Service | Peer] = {OURS: service, PEER: peer, LEARNING_PEER: learning}
        for other in (peer, learning):
            other.pause(True)
        time.sleep(WARM if seconds > 1 else 0.0)
        http_load.ask(service.port, asked, 1.0)
        memory = [service.memory()]
        for _ in range(bench.sizes.rounds):
            service.pause(False)
            service.append(service.n_docs)
            for name, one in everyone.items():
                for other in everyone.values():  # must not take the processors
                    other.pause(other is not one)
                before = service.n_docs if one is service else 0
                answer = http_load.ask(one.port, asked, seconds)
                if one is service:  # what the answers cost those who learn
                    speed = (service.n_docs - before) / seconds
                    found.setdefault((BUSY, DOCS), []).append(speed)
                found.setdefault((name, PER_SECOND), []).append(answer.per_second)
                found.setdefault((name, P99), []).append(answer.p99)
                advance()
            learning.pause(True)
            service.pause(False)
            for name, rate in ((ALONE, None), (ASKED, RATE)):
                speed = service.speed(seconds, asked, rate)
                found.setdefault((name, DOCS), []).append(speed)
                advance()
            memory.append(service.memory())
        half = len(memory) // 2
        grew = max(memory[half:]) - max(memory[:half] or memory)
    for (name, unit), values in found.items():
        bench.results.rows.append(Row(SECTION, name, tuple(values), 1, unit=unit))
    bench.results.rows.append(Row(SECTION, "resident", (memory[-1],), 1, unit=MEMORY))
    bench.results.rows.append(Row(SECTION, GREW, (grew,), 1, unit=MEMORY))


class Service(Serving):
    """`serve`, learning a file that grows: more is appended before it comes to the end."""

    def __init__(self, bench: Bench, path: Path) -> None:
        self._followed = bench.scratch / "followed.txt"
        self._texts = path.read_bytes()
        self._n_texts, self._n_written = self._texts.count(b"\n"), 0
        self.append(0)
        known = bench.scratch / "words.txt"
        texts = self._texts.decode().splitlines()
        known.write_text("\n".join(Vocabulary.most_frequent(texts, N_WORDS, words=Words())) + "\n")
        words = ("-k", str(N_TOPICS), "--vocabulary", str(known))
        source = ("--learn", str(self._followed), "--follow", "--format", "text")
        super().__init__(bench.scratch / "served.model", *words, *source)

    def append(self, n_learned: int) -> None:
        """Write more documents than are learned in a round."""
        with self._followed.open("ab") as file:
            while self._n_written < n_learned + AHEAD:
                file.write(self._texts)
                self._n_written += self._n_texts

    def pause(self, stops: bool) -> None:  # noqa: FBT001
        """Stop the process, or let it go on."""
        self.process.send_signal(signal.SIGSTOP if stops else signal.SIGCONT)

    def speed(self, seconds: float, texts: list[str], rate: float | None) -> float:
        """Return the documents learned a second, while requests come or none do."""
        before, began = self.n_docs, time.perf_counter()
        if rate is None:
            time.sleep(seconds)
        else:
            http_load.ask(self.port, texts, seconds, rate=rate)
        return (self.n_docs - before) / (time.perf_counter() - began)


class Peer:
    """The service that is compared with, as a process."""

    def __init__(self, path: Path, *options: str) -> None:
        self.port = free_port()
        arguments = [str(path), str(self.port), str(N_TOPICS), str(N_WORDS), *options]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.lda_service", *arguments]
        )

    def __enter__(self) -> Peer:
        end = time.monotonic() + 120
        while time.monotonic() < end:
            try:
                http_load.ask(self.port, ["warm"], 0.2, n_clients=1)
                return self
            except OSError:
                time.sleep(0.2)
        raise TimeoutError("the peer did not start")

    def pause(self, stops: bool) -> None:  # noqa: FBT001
        """Stop the process, or let it go on."""
        self.process.send_signal(signal.SIGSTOP if stops else signal.SIGCONT)

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
