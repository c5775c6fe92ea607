"""What only a fresh interpreter can tell: peak memory.

``python -m benchmarks.probe memory '{"n_docs": ...}'`` prints its measurement as JSON.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import threads

ROOT = Path(__file__).resolve().parents[1]
BLOCK = 1000
LENGTH = 12  # words a document
SEED = 0


def ask(question: str, **details: Any) -> dict[str, float]:
    """Ask a fresh interpreter."""
    environment = details.pop("environment", None)
    command = [sys.executable, "-m", "benchmarks.probe", question, json.dumps(details)]
    answer = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=ROOT, env=environment
    )
    return json.loads(answer.stdout)


def memory(
    *,
    n_docs: int,
    n_words: int,
    n_topics: int,
    reservoir_size: int,
    learner: str = "SpectralLeader",
) -> dict[str, float]:
    """Learn and read; return the megabytes with all imports, and the most above them.

    What draws the documents is among the megabytes above: ours is a little less.
    """
    import spectralleader
    from benchmarks.synthetic import zipf_source

    made = getattr(spectralleader, learner)
    before = resident("VmRSS")
    source = zipf_source(n_topics, n_words, exponent=1.0, seed=SEED)
    one = made(n_topics, n_words=n_words, reservoir_size=reservoir_size, seed=SEED)
    for block in _blocks(source, n_docs):
        one.learn(block)
        one.model  # noqa: B018  # reading is the work
    return {"imports": before, "above": resident("VmHWM") - before}


def _blocks(source: Any, n_docs: int) -> Iterator[Any]:
    import numpy as np

    rng = np.random.default_rng(SEED)
    for _ in range(n_docs // BLOCK):
        yield source.draw(np.full(BLOCK, LENGTH), rng)


def resident(field: str) -> float:
    """Return this process's resident megabytes, now (VmRSS) or at most (VmHWM).

    Read from the kernel, because `ru_maxrss` of a child begins at its parent's size.
    """
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f"/proc/self/status has no {field}; peak memory is measured on Linux only")


def exercise(learner_class: Any) -> None:
    """Go down every path of a learner: blocks of 1, 10, 1000; filling and full; d small and not."""
    import numpy as np

    from benchmarks.synthetic import zipf_source

    for n_words in (3, 100):
        source = zipf_source(3, n_words, exponent=1.0, seed=SEED)
        documents = source.draw(np.full(2 * BLOCK, LENGTH), np.random.default_rng(SEED))
        for size in (1, 10, BLOCK):
            learner = learner_class(3, n_words=n_words, reservoir_size=BLOCK // 2, seed=SEED)
            for block in documents.blocks(size):
                learner.learn(block)
            learner.model  # noqa: B018  # reading is the work


QUESTIONS = {"memory": memory}

if __name__ == "__main__":
    threads.use_one()
    print(json.dumps(QUESTIONS[sys.argv[1]](**json.loads(sys.argv[2]))))
