"""SpectralLeader: the paper's learner, at a fraction of the cost."""

from spectralleader.learners.spectral_leader.spectral_leader import SpectralLeader

__all__ = ["SpectralLeader"]
