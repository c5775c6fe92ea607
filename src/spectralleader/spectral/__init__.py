"""FROM MOMENTS TO TOPICS: pure functions; `estimate` is the whole road on one page."""

from spectralleader.spectral.estimate import (
    Anchoring,
    Decomposition,
    Estimate,
    estimate,
    warm_estimate,
)
from spectralleader.spectral.joint import joint_diagonalisation
from spectralleader.spectral.power import power_method

__all__ = ["DECOMPOSITIONS", "Anchoring", "Decomposition", "Estimate", "estimate", "warm_estimate"]

DECOMPOSITIONS: dict[str, Decomposition] = {"power": power_method, "joint": joint_diagonalisation}
