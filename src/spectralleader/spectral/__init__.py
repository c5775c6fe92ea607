"""The spectral method: from moments to topics, as functions; `estimate` has all steps on one page.

`algorithm1` is the paper's algorithm line by line, and shares no code with it.
`learners.spectral_leader` updates the moments as documents enter and leave the sample.
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
