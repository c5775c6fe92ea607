"""FROM MOMENTS TO TOPICS: pure functions; `estimate` is the whole road on one page."""

from spectralleader.spectral.estimate import Anchoring, Decomposition, Estimate, Moments, estimate

__all__ = ["Anchoring", "Decomposition", "Estimate", "Moments", "estimate"]
