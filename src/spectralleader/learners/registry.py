"""Every learner by name: what the command line offers and the laws are tested on."""

from __future__ import annotations

from typing import NamedTuple

from spectralleader.learners.literal import LiteralLeader
from spectralleader.learners.protocol import Learner
from spectralleader.learners.spectral_leader import SpectralLeader


class Entry(NamedTuple):
    """A learner's class and what it is, in one line."""

    learner: type[Learner]
    description: str


LEARNERS: dict[str, Entry] = {
    "spectral": Entry(SpectralLeader, "online spectral learning, a model in microseconds"),
    "literal": Entry(LiteralLeader, "Algorithm 1 to the letter: rebuilt from the sample each step"),
}
