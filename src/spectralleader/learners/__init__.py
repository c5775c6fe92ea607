"""STREAM IN, MODEL OUT: the learners, one a file; `registry` lists them."""

from spectralleader.learners.batch_em import BatchEM
from spectralleader.learners.hedged import HedgedLeader
from spectralleader.learners.incremental_em import IncrementalEM
from spectralleader.learners.literal import LiteralLeader
from spectralleader.learners.protocol import Learner, Predictive
from spectralleader.learners.registry import DEFAULT_LEARNER, LEARNERS
from spectralleader.learners.spectral_leader import SpectralLeader
from spectralleader.learners.spectral_method import SpectralMethod
from spectralleader.learners.stepwise_em import StepwiseEM
from spectralleader.learners.unigram import Unigram
from spectralleader.learners.variance_reduced_em import VarianceReducedEM

__all__ = [
    "DEFAULT_LEARNER",
    "LEARNERS",
    "BatchEM",
    "HedgedLeader",
    "IncrementalEM",
    "Learner",
    "LiteralLeader",
    "Predictive",
    "SpectralLeader",
    "SpectralMethod",
    "StepwiseEM",
    "Unigram",
    "VarianceReducedEM",
]
