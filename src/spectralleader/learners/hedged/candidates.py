"""The candidates that compete: their names, and where each one's column is."""

from __future__ import annotations

from spectralleader.learners.hedged.polished import PRIOR_MEMORIES, PRIOR_RUNS

SAMPLES = ("reservoir", "window")  # that topics are polished on
STRENGTHS = (0.1, 1.0)  # words of background in a topic, for each word of the vocabulary
MEMORIES = (300.0, 1000.0, 3000.0, 10_000.0)  # documents that the forgetting EMs remember


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
