"""STREAM IN, MODEL OUT: the learners, one a file; `registry` lists them."""

from spectralleader.learners.literal import LiteralLeader
from spectralleader.learners.protocol import Learner, Predictive
from spectralleader.learners.registry import LEARNERS
from spectralleader.learners.spectral_leader import SpectralLeader

__all__ = ["LEARNERS", "Learner", "LiteralLeader", "Predictive", "SpectralLeader"]
