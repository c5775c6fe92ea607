"""The learners: each turns a stream of documents into a model; `registry` lists them.

Learners hold the state that documents change. The computations are in `spectral` and `em`, the
metrics in `evaluation`.
"""

from spectralleader.learners.algorithm1 import Algorithm1
from spectralleader.learners.hedged import HedgedLeader
from spectralleader.learners.learner_base import LearnerBase
from spectralleader.learners.offline import BatchEM, SpectralMethod
from spectralleader.learners.protocol import Learner
from spectralleader.learners.registry import DEFAULT_LEARNER, LEARNERS, register_learner
from spectralleader.learners.spectral_leader.spectral_leader import SpectralLeader
from spectralleader.learners.stepwise_em import StepwiseEM
from spectralleader.learners.unigram import Unigram
from spectralleader.models import Predictive

__all__ = [
    "DEFAULT_LEARNER",
    "LEARNERS",
    "Algorithm1",
    "BatchEM",
    "HedgedLeader",
    "Learner",
    "LearnerBase",
    "Predictive",
    "SpectralLeader",
    "SpectralMethod",
    "StepwiseEM",
    "Unigram",
    "register_learner",
]
