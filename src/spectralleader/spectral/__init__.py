"""From moments to topics, functions only: `estimate` is the whole road on one page.

`algorithm1` is the paper's, line by line, and shares no code with it. What keeps sums up to date as
documents come and go is in `learners.spectral_leader`.
"""

from spectralleader.spectral.estimate import (
    Anchoring,
    Decomposition,
    Details,
    Estimate,
    estimate,
    warm_model,
)
from spectralleader.spectral.joint import joint_diagonalisation
from spectralleader.spectral.power import power_method

__all__ = [
    "DECOMPOSITIONS",
    "Anchoring",
    "Decomposition",
    "Details",
    "Estimate",
    "estimate",
    "warm_model",
]

DECOMPOSITIONS: dict[str, Decomposition] = {"power": power_method, "joint": joint_diagonalisation}
