"""The candidates that compete: their names, and where each one's column is."""

from __future__ import annotations

import numpy as np

SAMPLES = ("reservoir", "window")  # that topics are polished on
STRENGTHS = (0.1, 1.0)  # words of background in a topic, for each word of the vocabulary
PRIOR_MEMORIES = (3.0, 30.0, 300.0)  # documents that tracked weights remember
PRIOR_RUNS = (10.0, 100.0)  # documents that a topic stays for, where it is thought to
MEMORIES = np.array([300.0, 1000.0, 3000.0, 10_000.0])  # documents, of the forgetting EMs


def candidates() -> list[str]:
    """Return the candidates' names, in the order of their columns."""
    smoothings = ("", ", smoother")
    memories = (f", weights of the last {memory:g}" for memory in PRIOR_MEMORIES)
    priors = ("", *memories, *(f", runs of {run:g}" for run in PRIOR_RUNS))
    return [
        "any word",
        "word frequencies",
        *(f"{sample}{prior}{s}" for sample in SAMPLES for s in smoothings for prior in priors),
        *(f"EM of the last {memory:g}{s}" for memory in MEMORIES for s in smoothings),
    ]


_NAMES = candidates()
OWN = [_NAMES.index(sample) for sample in SAMPLES]  # the columns of polished topics as they are
FORGETTING = [_NAMES.index(f"EM of the last {memory:g}") for memory in MEMORIES]
