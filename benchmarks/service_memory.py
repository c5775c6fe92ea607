"""Memory of a service: ``python -m benchmarks.service_memory 20 50000`` posts documents to one.

Half of the words of a document are of its class, of 20; the rest are any, the first ones more
often. Levels, trends and the page are computed at the end.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

from tests.serve.serving import Serving

N_DOCS, LENGTH, N_CLASSES = 60_000, 20, 20  # the reservoir is full after 50,000 documents
AT_ONCE = 1000


def make_texts(n_words: int, rng: np.random.Generator) -> list[str]:
    """Return the texts of a request."""
    frequencies = 1 / np.arange(1, n_words + 1) ** 0.6
    words = rng.choice(n_words, size=(AT_ONCE, LENGTH), p=frequencies / frequencies.sum())
    classes = rng.integers(0, N_CLASSES, (AT_ONCE, 1))
    own = (words // N_CLASSES * N_CLASSES + classes) % n_words
    chosen = np.where(rng.random(words.shape) < 0.5, own, words)
    return [" ".join(f"w{word}x" for word in row) for row in chosen.tolist()]


def measure(n_topics: int, n_words: int) -> str:
    """Return the memory of a service of so many topics and words, in MiB."""
    rng = np.random.default_rng(0)
    options = "-k", str(n_topics), "--vocabulary", f"grow:{n_words}"
    with (
        tempfile.TemporaryDirectory() as folder,
        Serving(Path(folder) / "t.model", *options) as service,
    ):
        for _ in range(N_DOCS // AT_ONCE):
            body = {"texts": make_texts(n_words, rng)}
            service.wait(lambda body=body: service.post("/learn", body).status == 202)
        service.wait(lambda: service.n_docs == N_DOCS, 600)
        for path in ("/topics", "/trends", "/"):
            service.get(path)
        status = Path(f"/proc/{service.process.pid}/status").read_text()
        [peak] = [int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line]
        memory = f"{peak / 1024:.0f} MiB at most, {service.memory():.0f} at the end"
        return f"{n_topics} topics, {n_words} words: {memory}"


if __name__ == "__main__":
    print(measure(int(sys.argv[1]), int(sys.argv[2])))
