"""The learners: each turns a stream of documents into a model; `registry` lists them.

Learners hold the state that documents change. The computations are in `spectral` and `em`, the
metrics in `evaluation`. What a learner of your own needs is exported here, see docs/adding.md.
"""

from spectralleader.checks.saved import field, fields
from spectralleader.checks.states import floats, whole
from spectralleader.documents import Block
from spectralleader.learners.algorithm1 import Algorithm1
from spectralleader.learners.events import Event, EventKind
from spectralleader.learners.hedged import HedgedLeader
from spectralleader.learners.learner_base import LearnerBase
from spectralleader.learners.offline import BatchEM, SpectralMethod
from spectralleader.learners.protocol import (
    HasRecent,
    Learner,
    Merges,
    Refits,
    Remembers,
    Reports,
)
from spectralleader.learners.registry import DEFAULT_LEARNER, LEARNERS, register_learner
from spectralleader.learners.spectral_leader.spectral_leader import SpectralLeader
from spectralleader.learners.stepwise_em import StepwiseEM
from spectralleader.learners.unigram import Unigram
from spectralleader.models import Model, Predictive
from spectralleader.runtime.locks import changing, locked

__all__ = [
    "DEFAULT_LEARNER",
    "LEARNERS",
    "Algorithm1",
    "BatchEM",
    "Block",
    "Event",
    "EventKind",
    "HasRecent",
    "HedgedLeader",
    "Learner",
    "LearnerBase",
    "Merges",
    "Model",
    "Predictive",
    "Refits",
    "Remembers",
    "Reports",
    "SpectralLeader",
    "SpectralMethod",
    "StepwiseEM",
    "Unigram",
    "changing",
    "field",
    "fields",
    "floats",
    "locked",
    "register_learner",
    "whole",
]
