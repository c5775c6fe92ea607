"""Every learner by name: what the command line offers and the laws are tested on."""

from __future__ import annotations

from typing import NamedTuple

from spectralleader.learners.algorithm1 import Algorithm1
from spectralleader.learners.batch_em import BatchEM
from spectralleader.learners.fixed import Fixed
from spectralleader.learners.hedged import HedgedLeader
from spectralleader.learners.incremental_em import IncrementalEM
from spectralleader.learners.protocol import Learner
from spectralleader.learners.spectral_leader.spectral_leader import SpectralLeader
from spectralleader.learners.spectral_method import SpectralMethod
from spectralleader.learners.stepwise_em import StepwiseEM
from spectralleader.learners.unigram import Unigram
from spectralleader.learners.variance_reduced_em import VarianceReducedEM


class Entry(NamedTuple):
    """A learner's class and what it is, in one line."""

    learner: type[Learner]
    description: str


DEFAULT_LEARNER = "hedged"  # of the command line and of the demo
LEARNERS: dict[str, Entry] = {
    "hedged": Entry(HedgedLeader, "raced and polished topics, many candidates mixed; no tuning"),
    "spectral": Entry(SpectralLeader, "the paper's learner, made fast: a model in microseconds"),
    "algorithm1": Entry(Algorithm1, "the paper's Algorithm 1, line by line; slow, for checking"),
    "stepwise-em": Entry(StepwiseEM, "online EM with a shrinking step, the paper's baseline"),
    "incremental-em": Entry(IncrementalEM, "EM over a memory, one document's posterior at a time"),
    "variance-reduced-em": Entry(
        VarianceReducedEM, "online EM with a constant step, by passes over a memory"
    ),
    "batch-em": Entry(BatchEM, "EM over all documents, the best of several starts; offline"),
    "spectral-method": Entry(SpectralMethod, "the spectral method on all documents; offline"),
    "unigram": Entry(Unigram, "word frequencies without topics, the floor to clear"),
}
# What a file may hold: these, and models learned elsewhere, such as by an engine.
STORED = LEARNERS | {"fixed": Entry(Fixed, "a model that was learned elsewhere; learns no more")}
