"""Every learner by name: what the command line offers and the laws are tested on."""

from __future__ import annotations

from typing import NamedTuple

from spectralleader.learners.algorithm1 import Algorithm1
from spectralleader.learners.batch_em import BatchEM
from spectralleader.learners.fixed import Fixed
from spectralleader.learners.hedged import HedgedLeader
from spectralleader.learners.protocol import Learner
from spectralleader.learners.spectral_leader.spectral_leader import SpectralLeader
from spectralleader.learners.spectral_method import SpectralMethod
from spectralleader.learners.stepwise_em import StepwiseEM
from spectralleader.learners.unigram import Unigram


class Entry(NamedTuple):
    """The class of a learner, with a description in one line."""

    learner: type[Learner]
    description: str


DEFAULT_LEARNER = "hedged"  # default of the command line, the adapters and the demo
LEARNERS: dict[str, Entry] = {
    "hedged": Entry(HedgedLeader, "stable topics; predicts by a mixture of experts; no tuning"),
    "spectral": Entry(SpectralLeader, "the paper's learner, fast: a model in microseconds"),
    "algorithm1": Entry(Algorithm1, "the paper's Algorithm 1 line by line; slow, for verification"),
    "stepwise-em": Entry(StepwiseEM, "online EM with decreasing step size, the paper's baseline"),
    "batch-em": Entry(BatchEM, "batch EM on all documents, best of several starts; offline"),
    "spectral-method": Entry(SpectralMethod, "the spectral method on all documents; offline"),
    "unigram": Entry(Unigram, "word frequencies without topics, the baseline"),
}
# Learners that files may contain: these, and fixed models.
STORED = LEARNERS | {"fixed": Entry(Fixed, "a fixed model, for instance from an engine")}
