"""How much is measured: the full run, under ten minutes, and the smoke run, under half a minute."""

from __future__ import annotations

from dataclasses import dataclass

N_TOPICS = 5
SEED = 0


@dataclass(frozen=True)
class Sizes:
    """Numbers of documents, of rounds and of steps."""

    n_docs: int  # of the stream that everybody learns from
    n_copies: int  # of that stream, one after the other, in the long run
    reservoir_size: int
    rounds: int  # each round measures every contender once
    growth_rounds: int
    steps: int  # with a model after every single document
    literal_steps: int
    fidelity_steps: int  # blocks of ten, judged with the fast and the literal learner
    sweeps: dict[str, tuple[int, ...]]  # what grows, and through which sizes
    sweep_docs: int  # documents of a growth run, where it is not documents that grow
    memory: dict[str, int]
    label_seeds: int  # runs on labelled documents, but of slow peers


FULL = Sizes(
    n_docs=100_000,
    n_copies=10,
    reservoir_size=10_000,
    rounds=3,
    growth_rounds=2,
    steps=10_000,
    literal_steps=60,
    fidelity_steps=300,  # Algorithm 1 takes seconds for ten of them at 10,000 documents
    sweeps={
        "documents": (10_000, 100_000, 1_000_000),
        "reservoir": (1_000, 10_000, 100_000),
        "vocabulary": (500, 5_000, 50_000),
        "topics": (5, 10, 20, 50),
    },
    sweep_docs=100_000,
    memory={"n_docs": 20_000, "n_words": 50_000, "n_topics": 20, "reservoir_size": 10_000},
    label_seeds=10,
)

QUICK = Sizes(
    n_docs=1_000,
    n_copies=2,
    reservoir_size=200,
    rounds=1,
    growth_rounds=1,
    steps=100,
    literal_steps=3,
    fidelity_steps=10,
    sweeps={
        "documents": (500, 1_000),
        "reservoir": (50, 100),
        "vocabulary": (50, 100),
        "topics": (2, 4),
    },
    sweep_docs=500,
    memory={"n_docs": 1_000, "n_words": 500, "n_topics": 3, "reservoir_size": 200},
    label_seeds=1,
)
