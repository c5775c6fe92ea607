"""The spectral method: from moments to topics, as functions; `estimate` has all steps on one page.

`algorithm1` is the paper's algorithm line by line, and shares no code with it.
`learners.spectral_leader` updates the moments as documents enter and leave the sample.
"""

from spectralleader.spectral.estimate import Anchoring, Decomposition, Estimate, estimate
from spectralleader.spectral.warm import Details, warm_model

__all__ = ["Anchoring", "Decomposition", "Details", "Estimate", "estimate", "warm_model"]
