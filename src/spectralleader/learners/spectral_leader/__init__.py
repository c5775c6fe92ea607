"""SpectralLeader: the paper's learner, at a fraction of the cost.

This package keeps the sums of a changing sample up to date and orders the topics. Estimation itself
is in `spectral`, the choice of documents in `samples`.
"""

from spectralleader.learners.spectral_leader.spectral_leader import SpectralLeader

__all__ = ["SpectralLeader"]
