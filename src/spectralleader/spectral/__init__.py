"""FROM MOMENTS TO TOPICS: pure functions; `estimate` is the whole road on one page."""

from spectralleader.spectral.estimate import Diagnostics, Moments, estimate

__all__ = ["Diagnostics", "Moments", "estimate"]
